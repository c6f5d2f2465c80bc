"""Collections: bundles of many environments in one archive; nothing unapproved or stale gets in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from studio.models import (
    Act,
    BundleCollection,
    BundleRecord,
    EnvironmentRecord,
    EnvironmentState,
    Revision,
    Run,
    RunKind,
)
from studio.services.accounts.accounts import require
from studio.services.environments.environments import load_part
from studio.services.errors import NotReady
from studio.services.exports import bundles, stored_archives
from studio.services.review import flags
from studio.services.review.bulk import BulkPlan, plan_of, require_unchanged
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.bundles.splits import SplitSettings, assign
from synthesis.documents.document import Document
from synthesis.documents.scenario import Scenario
from synthesis.documents.tasks import Task, Tasks
from synthesis.errors import Cancelled, InvalidInput

MOST = 2_000
"""Environments one collection may hold."""

TasksByEnvironment = Mapping[str, tuple[Task, ...]]
"""The tasks of bundles by the name of their environment."""

_WHY = {
    EnvironmentState.DRAFT: "Draft: it does not run yet.",
    EnvironmentState.EXECUTABLE: "A check fails.",
    EnvironmentState.PROVED: "Its current revision has not been reviewed.",
    EnvironmentState.REVIEWED: "Its reviews do not approve every part in its current version.",
}


def plan(matching: QuerySet[EnvironmentRecord]) -> BulkPlan:
    """What a collection of everything a filter matches would hold, and why it would leave out the others.

    A state is settled whenever something may move it, so an approval that went stale shows here at once.
    """
    return plan_of(flags.with_blocking(matching), _left_out)


def _left_out(record: EnvironmentRecord) -> str:
    if record.archived_at is not None:
        return "It is archived."
    blocking: int = record.blocking  # type: ignore[attr-defined]
    if record.level.level >= EnvironmentState.APPROVED.level and not blocking:
        return ""
    if blocking:
        return "An open flag blocks it." if blocking == 1 else f"{blocking} open flags block it."
    return _WHY.get(record.level, "Its current revision is not approved.")


class CollectionRequest(Document):
    """One archive of many environments' bundles."""

    title: str
    query: str
    revisions: tuple[int, ...]
    with_trajectories: bool = True
    splits: SplitSettings = SplitSettings()


@transaction.atomic
def start_collection(
    *,
    matching: QuerySet[EnvironmentRecord],
    seen: str,
    shown: int,
    title: str,
    query: str = "",
    with_trajectories: bool = True,
    splits: SplitSettings | None = None,
    requested_by: User,
) -> Run:
    """Queue the collection of exactly what the dry run showed.

    Args:
        matching: What the filter matches now.
        seen: The digest of the plan that the person agreed to.
        shown: How many it matched then.
        title: What the collection is called.
        query: The query string it was chosen by.
        with_trajectories: Whether trajectories and their verdicts come along.
        splits: How environments are dealt out.
        requested_by: Who asks.

    Raises:
        Forbidden: The person may not export.
        Conflict: The filter matches something else by now.
        NotReady: Nothing that matches is approved.
        InvalidInput: The title is empty, or too many match.
    """
    require(requested_by, Act.EXPORT)
    title = " ".join(title.split())
    if not 1 <= len(title) <= 120:
        raise InvalidInput("Name the collection with 1 to 120 characters.")
    agreed = plan(matching)
    require_unchanged(agreed, seen=seen, shown=shown)
    if not agreed.included:
        raise NotReady(
            "None of the matching environments is approved, so nothing can be exported.",
            remedy="Choose others.",
        )
    if len(agreed.included) > MOST:
        raise InvalidInput(f"A collection can contain at most {MOST:,} environments; narrow the filters.")
    return runs.queue_run(
        kind=RunKind.COLLECTION,
        title=f"Collection {title}",
        request=CollectionRequest(
            title=title,
            query=query[:2000],
            revisions=tuple(record.current_id for record in agreed.included if record.current_id),
            with_trajectories=with_trajectories,
            splits=splits or SplitSettings(),
        ),
        requested_by=requested_by,
        total=len(agreed.included),
    )


def execute_collection(lease: RunLease, request: CollectionRequest) -> None:
    """Write the archive a claimed run asks for.

    Raises:
        Cancelled: Somebody asked to stop.
        InvalidInput: Something of it is no longer approved as it was; the text names it.
    """
    results = Revision.objects.select_related("environment__current").in_bulk(request.revisions)
    revisions = sorted(results.values(), key=lambda revision: revision.environment.name)
    refuse_stale(revisions, asked=len(request.revisions))
    bundle_records: list[BundleRecord] = []
    for revision in revisions:
        if lease.cancelled():
            raise Cancelled("Stopped before the collection was complete.")
        name, fingerprint, size, manifest = bundles.write_bundle(
            revision, with_trajectories=request.with_trajectories
        )
        with lease.writing(done=len(bundle_records) + 1):
            bundle_records.append(
                bundles.keep_bundle(
                    revision=revision,
                    name=name,
                    codec="native",
                    fingerprint=fingerprint,
                    size=size,
                    manifest=manifest,
                    run=lease.run,
                )
            )
    refuse_stale(revisions, asked=len(request.revisions))
    tasks = _tasks_by_environment(bundle_records)
    manifest = manifest_of(request.title, bundle_records, request.splits, tasks=tasks)
    written, fingerprint, size = write_collection(
        manifest, bundle_records, tasks=tasks, project_id=lease.run.project_id
    )
    with lease.writing():
        collection = _keep(lease.run, request, bundle_records, manifest, written, fingerprint, size)
        lease.finish({"collection": collection.pk, "path": collection.path, "fingerprint": fingerprint})


def refuse_stale(revisions: Sequence[Revision], *, asked: int) -> None:
    """Go on only while every environment is approved in exactly these revisions.

    Raises:
        InvalidInput: One is not, was changed or is gone; the text names the first three.
    """
    texts = [f"{asked - len(revisions)} of them no longer exist"] if len(revisions) < asked else []
    remaining = ((revision.environment.title, bundles.export_blocker(revision)) for revision in revisions)
    texts += [f"{title}: {why}" for title, why in remaining if why]
    if texts:
        more = f" And {len(texts) - 3} more." if len(texts) > 3 else ""
        raise InvalidInput(f"Nothing was bundled: {'; '.join(texts[:3])}.{more} Review the new dry run.")


def manifest_of(
    title: str,
    bundle_records: Sequence[BundleRecord],
    splits: SplitSettings | None = None,
    *,
    tasks: TasksByEnvironment | None = None,
) -> dict[str, Any]:
    """What `collection.json` says by environment: digests, split, licence, provenance, decisions, waivers.

    Args:
        title: Of the collection.
        bundle_records: Its bundles.
        splits: How environments are dealt out.
        tasks: Those of the bundles, where they were loaded before.
    """
    from synthesis.bundles.collection import FORMAT

    loaded = _tasks_by_environment(bundle_records) if tasks is None else tasks
    entries = [
        _entry(bundle, loaded[bundle.environment.name], splits or SplitSettings())
        for bundle in bundle_records
    ]
    return {"format": FORMAT, "title": title, "environments": entries}


def _entry(bundle: BundleRecord, tasks: tuple[Task, ...], splits: SplitSettings) -> dict[str, Any]:
    """One environment. A waiver is a flag that stayed open because it does not block approval."""
    record, revision = bundle.environment, bundle.revision
    decided = record.reviews.submitted().order_by("id")
    waived = record.flags.waived().order_by("id")
    own = {task.id: task.split for task in tasks}
    # By the first revision's fingerprint, as in exports of trajectories: later ones stay in the same split.
    first = record.revisions.order_by("number").values_list("fingerprint", flat=True)[0]
    scenario = load_part(revision, "scenario")
    provenance = revision.parts.order_by("part").values_list("part", "author_kind", "provenance")
    return {
        "name": record.name,
        "title": record.title,
        "category": record.category,
        "split": assign(first, own, splits).split,
        "tasks": len(own),
        "licence": scenario.licence if isinstance(scenario, Scenario) else "",
        "provenance": {part: {"author": kind, **(details or {})} for part, kind, details in provenance},
        "revision": revision.number,
        "fingerprint": revision.fingerprint,
        "archive": f"bundles/{bundle.file_name}",
        "sha256": bundle.fingerprint,
        "bytes": bundle.size,
        "checks": {"passed": revision.checks_passed, "failed": revision.checks_failed},
        "decisions": [
            {
                "decision": review.decision,
                "scores": review.scores,
                "of_this_revision": review.revision_id == revision.pk,
                "settles_a_conflict": review.is_adjudication,
            }
            for review in decided
        ],
        "waivers": [
            {"reason": flag.reason, "severity": flag.severity, "part": flag.part, "where": flag.where}
            for flag in waived
        ],
    }


def _tasks(revision: Revision) -> tuple[Task, ...]:
    tasks = load_part(revision, "tasks")
    return tasks.tasks if isinstance(tasks, Tasks) else ()


def _tasks_by_environment(bundle_records: Iterable[BundleRecord]) -> TasksByEnvironment:
    return {bundle.environment.name: _tasks(bundle.revision) for bundle in bundle_records}


def write_collection(
    manifest: Mapping[str, Any],
    bundle_records: Sequence[BundleRecord],
    *,
    tasks: TasksByEnvironment,
    project_id: int,
) -> tuple[str, str, int]:
    """Store the archive; equal bundles give equal bytes.

    Args:
        manifest: What `collection.json` says.
        bundle_records: Its bundles.
        tasks: Those of the bundles.
        project_id: Whose collection it is; each project has archives of its own.

    Returns:
        Its name in the storage, its SHA-256 and its size in bytes.

    Raises:
        Missing: A bundle is not in the storage any more.
        StorageDown: The storage cannot be used.
    """
    from synthesis.bundles.archive import pack
    from synthesis.bundles.collection import INDEX, collection_files

    documents = collection_files(manifest, tasks)
    name = f"collection-{hashlib.sha256(documents[INDEX]).hexdigest()[:16]}"
    entries: dict[str, bytes | Path] = {f"{name}/{path}": content for path, content in documents.items()}
    stored = f"collections/{project_id}/{name}.zip"
    with stored_archives.draft_folder() as folder:
        (folder / "bundles").mkdir()
        for bundle in bundle_records:
            file = stored_archives.fetch(bundle.path, folder / "bundles")
            entries[f"{name}/bundles/{bundle.file_name}"] = file
        written = pack(entries, folder / f"{name}.zip")
        stored_archives.store(written, stored)
        with written.open("rb") as content:
            return stored, hashlib.file_digest(content, "sha256").hexdigest(), written.stat().st_size


def _keep(
    run: Run,
    request: CollectionRequest,
    bundle_records: list[BundleRecord],
    manifest: dict[str, Any],
    written: str,
    fingerprint: str,
    size: int,
) -> BundleCollection:
    collection: BundleCollection
    collection, _ = BundleCollection.all_projects.update_or_create(
        path=written,
        defaults={
            "project_id": run.project_id,
            "title": request.title,
            "query": request.query,
            "run": run,
            "fingerprint": fingerprint,
            "size": size,
            "count": len(bundle_records),
            "manifest": manifest,
            "created_by": run.requested_by,
        },
    )
    collection.bundles.set(bundle_records)
    return collection
