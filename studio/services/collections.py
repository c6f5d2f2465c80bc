"""Collections: bundles of many environments in one archive; nothing unapproved or stale gets in."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from studio.models import (
    Act,
    BundleCollection,
    BundleRecord,
    EnvironmentRecord,
    EnvironmentState,
    FlagSeverity,
    FlagState,
    Revision,
    Run,
    RunKind,
)
from studio.services import bundles, ladder, runs, trajectory_exports
from studio.services.accounts import require
from studio.services.bulk import Plan, plan_of, require_unchanged
from studio.services.execution import Hold
from studio.services.refusals import NotReady
from synthesis.errors import Cancelled, InvalidInput

FORMAT = "worldwright-collection/1"
MOST = 2_000
"""Environments one collection may hold."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_WHY = {
    EnvironmentState.DRAFT: "Draft: it does not run yet.",
    EnvironmentState.EXECUTABLE: "A check does not hold.",
    EnvironmentState.PROVED: "Nobody has reviewed it as it is now.",
    EnvironmentState.REVIEWED: "Its reviews do not approve every part as it is now.",
}


def plan(matching: QuerySet[EnvironmentRecord]) -> Plan:
    """What a collection of everything a filter matches would hold, and why it would leave out the others.

    A state is settled whenever something may move it, so an approval that went stale shows here at once.
    """
    blocking = Q(flags__state=FlagState.OPEN, flags__severity=FlagSeverity.BLOCKING)
    marked = matching.annotate(blocking=Count("flags", filter=blocking, distinct=True))
    return plan_of(marked, _left_out)


def _left_out(record: EnvironmentRecord) -> str:
    blocking: int = record.blocking  # type: ignore[attr-defined]
    if record.rung.rung >= EnvironmentState.APPROVED.rung and not blocking:
        return ""
    if blocking:
        return "An open flag blocks it." if blocking == 1 else f"{blocking} open flags block it."
    return _WHY.get(record.rung, "It is not approved as it is now.")


@transaction.atomic
def start_collection(
    *,
    matching: QuerySet[EnvironmentRecord],
    seen: str,
    shown: int,
    title: str,
    query: str = "",
    with_trajectories: bool = True,
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
        raise NotReady("Nothing that matches is approved, so nothing can leave.", remedy="Choose others.")
    if len(agreed.included) > MOST:
        raise InvalidInput(f"One collection holds {MOST:,} environments at most; narrow the choice.")
    return runs.queue_run(
        kind=RunKind.EXPORT,
        title=f"Collection {title}",
        request={
            "collection": title,
            "query": query[:2000],
            "revisions": [record.current_id for record in agreed.included],
            "with_trajectories": with_trajectories,
        },
        requested_by=requested_by,
        total=len(agreed.included),
    )


def execute_export(hold: Hold) -> None:
    """Write what a claimed run of kind export asks for: one bundle, a collection of many, or trajectories."""
    if trajectory_exports.is_trajectory_export(hold.run):
        trajectory_exports.execute_trajectory_export(hold)
    elif "collection" in hold.run.request:
        execute_collection(hold)
    else:
        bundles.execute_export(hold)


def execute_collection(hold: Hold) -> None:
    """Write the archive a claimed run asks for.

    Raises:
        Cancelled: Somebody asked to stop.
        InvalidInput: Something of it is no longer approved as it was; the text names it.
    """
    request = hold.run.request
    found = Revision.objects.select_related("environment__current").in_bulk(request["revisions"])
    revisions = sorted(found.values(), key=lambda revision: revision.environment.name)
    refuse_stale(revisions, asked=len(request["revisions"]))
    kept: list[BundleRecord] = []
    for revision in revisions:
        if hold.cancelled():
            raise Cancelled("Stopped before the collection was whole.")
        path, fingerprint, size, manifest = bundles.write_bundle(
            revision, with_trajectories=request["with_trajectories"]
        )
        with hold.writing(done=len(kept) + 1):
            kept.append(
                bundles.keep_bundle(
                    revision=revision,
                    path=path,
                    codec="native",
                    fingerprint=fingerprint,
                    size=size,
                    manifest=manifest,
                    run=hold.run,
                )
            )
    refuse_stale(revisions, asked=len(request["revisions"]))
    manifest = manifest_of(request["collection"], kept)
    written, fingerprint, size = write_collection(manifest, kept)
    with hold.writing():
        collection = _keep(hold.run, kept, manifest, written, fingerprint, size)
        hold.finish({"collection": collection.pk, "path": collection.path, "fingerprint": fingerprint})


def refuse_stale(revisions: Sequence[Revision], *, asked: int) -> None:
    """Go on only while every environment is approved in exactly these revisions.

    Raises:
        InvalidInput: One is not, was changed or is gone; the text names the first three.
    """
    said = [f"{asked - len(revisions)} of them are gone"] if len(revisions) < asked else []
    for revision in revisions:
        record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
        if record.current_id != revision.pk:
            said.append(f"{record.title} was changed since it was chosen")
        elif why := ladder.blocker(record):
            said.append(f"{record.title}: {why}")
    if said:
        more = f" And {len(said) - 3} more." if len(said) > 3 else ""
        raise InvalidInput(f"Nothing was bundled: {'; '.join(said[:3])}.{more} Look at the dry run again.")


def manifest_of(title: str, kept: Iterable[BundleRecord]) -> dict[str, Any]:
    """What `collection.json` says: per environment its digests, the decisions on it and its waivers."""
    return {"format": FORMAT, "title": title, "environments": [_entry(bundle) for bundle in kept]}


def _entry(bundle: BundleRecord) -> dict[str, Any]:
    """One environment. A waiver is a flag that stayed open because it does not block approval."""
    record, revision = bundle.environment, bundle.revision
    decided = record.reviews.submitted().order_by("id")
    flags = record.flags.filter(state=FlagState.OPEN).exclude(severity=FlagSeverity.BLOCKING).order_by("id")
    return {
        "name": record.name,
        "title": record.title,
        "category": record.category,
        "revision": revision.number,
        "fingerprint": revision.fingerprint,
        "archive": f"bundles/{Path(bundle.path).name}",
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
            for flag in flags
        ],
    }


def write_collection(manifest: Mapping[str, Any], kept: Sequence[BundleRecord]) -> tuple[Path, str, int]:
    """Write the archive under the bundles folder; equal bundles give equal bytes.

    Returns:
        The file, its SHA-256 and its size in bytes.
    """
    folder = Path(settings.BUNDLES_DIR) / "collections"
    folder.mkdir(parents=True, exist_ok=True)
    document = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False).encode()
    name = f"collection-{hashlib.sha256(document).hexdigest()[:16]}"
    handle, draft = tempfile.mkstemp(dir=folder, prefix=".draft-")
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            _add(archive, f"{name}/collection.json", document)
            for bundle in kept:
                _add(archive, f"{name}/bundles/{Path(bundle.path).name}", bundle.file.read_bytes())
        Path(draft).chmod(0o644)
        written = Path(draft).replace(folder / f"{name}.zip")
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    with written.open("rb") as content:
        return written, hashlib.file_digest(content, "sha256").hexdigest(), written.stat().st_size


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, date_time=_EPOCH)
    entry.external_attr = 0o100644 << 16
    entry.create_system = 3
    archive.writestr(entry, content)


def _keep(
    run: Run, kept: list[BundleRecord], manifest: dict[str, Any], written: Path, fingerprint: str, size: int
) -> BundleCollection:
    collection, _ = BundleCollection.objects.update_or_create(
        path=written.relative_to(settings.BUNDLES_DIR).as_posix(),
        defaults={
            "title": run.request["collection"],
            "query": run.request["query"],
            "run": run,
            "fingerprint": fingerprint,
            "size": size,
            "count": len(kept),
            "manifest": manifest,
            "created_by": run.requested_by,
        },
    )
    collection.bundles.set(kept)
    return collection
