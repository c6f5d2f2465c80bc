"""Bundles: what is approved leaves the house, reproducibly; what others made comes in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from studio.models import (
    AuthorKind,
    BundleRecord,
    EnvironmentRecord,
    EnvironmentState,
    Revision,
    Run,
    RunKind,
    TrajectoryRecord,
)
from studio.services import ladder, reviews, runs
from studio.services.environments import load_environment, store_environment
from studio.services.execution import Hold
from studio.services.refusals import NotReady
from studio.services.trajectories import load_judged, store_trajectory
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.errors import InvalidInput


def bundle_of(revision: Revision, *, with_trajectories: bool = True) -> Bundle:
    """The revision as a bundle: its design, what was proved, decided and tried in it."""
    report = ladder.latest_report(revision, whole=True)
    return Bundle(
        environment=load_environment(revision),
        report=report.load() if report else None,
        reviews=reviews.documents(revision),
        trajectories=tuple(_tried(revision)) if with_trajectories else (),
    )


def _tried(revision: Revision) -> Iterator[JudgedTrajectory]:
    """The latest trajectory of every agent, model, task and seed, in that order."""
    records = (
        TrajectoryRecord.objects.filter(revision=revision)
        .select_related("revision", "environment")
        .prefetch_related("steps", "verdicts")
        .order_by("task_id", "agent", "model", "seed", "id")
    )
    latest = {(record.task_id, record.agent, record.model, record.seed): record for record in records}
    yield from map(load_judged, latest.values())


def require_exportable(record: EnvironmentRecord, *, waiver: str = "") -> None:
    """Pass when the environment is approved as it is, or when somebody says why it leaves without.

    Raises:
        NotReady: It is not; the text says what is missing.
        InvalidInput: The reason is too long.
    """
    if len(waiver) > 300:
        raise InvalidInput("Keep the reason for the waiver under 300 characters.")
    approved = EnvironmentState(record.state).rung >= EnvironmentState.APPROVED.rung
    if not approved and not settings.ENV["WORLDWRIGHT_GATE_WAIVERS"]:
        raise NotReady(
            f"{record.title} is not approved. {ladder.blocker(record)}",
            remedy="Have it approved; WORLDWRIGHT_GATE_WAIVERS lets nothing leave without.",
        )
    if not approved and not waiver.strip():
        raise NotReady(
            f"{record.title} is not approved. {ladder.blocker(record)}",
            remedy="Have it approved, or give a reason why it is exported without approval.",
        )


def start_export(
    *,
    record: EnvironmentRecord,
    codec: str = "native",
    requested_by: User | None = None,
    waiver: str = "",
    with_trajectories: bool = True,
) -> Run:
    """Queue the export of an environment's current revision.

    Raises:
        UnknownName: There is no such codec.
        NotReady: The environment is not approved and no reason is given.
    """
    from synthesis.bundles.registry import codec as codec_named

    codec_named(codec)
    require_exportable(record, waiver=waiver)
    assert record.current is not None
    return runs.queue_run(
        kind=RunKind.EXPORT,
        title=f"Export of {record.title}",
        request={
            "revision": record.current.pk,
            "codec": codec,
            "waiver": waiver.strip(),
            "with_trajectories": with_trajectories,
        },
        requested_by=requested_by,
        environment=record,
        total=1,
    )


def execute_export(hold: Hold) -> None:
    """Write the bundle a claimed run asks for.

    Raises:
        InvalidInput: This environment cannot be said in that format.
    """
    request = hold.run.request
    revision = Revision.objects.select_related("environment").get(pk=request["revision"])
    path, fingerprint, size, manifest = write_bundle(
        revision, codec=request["codec"], with_trajectories=request["with_trajectories"]
    )
    with hold.writing(done=1):
        bundle = keep_bundle(
            revision=revision,
            path=path,
            codec=request["codec"],
            fingerprint=fingerprint,
            size=size,
            manifest=manifest,
            waiver=request["waiver"],
            run=hold.run,
        )
        hold.finish({"bundle": bundle.pk, "path": bundle.path, "fingerprint": fingerprint})


def write_bundle(
    revision: Revision, *, codec: str = "native", with_trajectories: bool = True
) -> tuple[Path, str, int, dict[str, str]]:
    """Write a revision under the bundles folder; the same content gives the same bytes.

    Returns:
        The file, its SHA-256, its size in bytes and its manifest's digests by file.
    """
    from synthesis.bundles.registry import codec as codec_named

    writer = codec_named(codec)
    bundle = bundle_of(revision, with_trajectories=with_trajectories)
    name = f"{revision.environment.name}-r{revision.number}-{revision.fingerprint[:12]}"
    folder = Path(settings.BUNDLES_DIR) / codec
    folder.mkdir(parents=True, exist_ok=True)
    written = writer.write(bundle, folder / f"{name}{writer.suffix}")
    content = written.read_bytes()
    manifest = writer.read(written).manifest if codec == "native" else None
    files = dict(manifest.files) if manifest is not None else {}
    return written, hashlib.sha256(content).hexdigest(), len(content), files


@transaction.atomic
def keep_bundle(
    *,
    revision: Revision,
    path: Path,
    codec: str,
    fingerprint: str,
    size: int,
    manifest: dict[str, str],
    waiver: str = "",
    run: Run | None = None,
) -> BundleRecord:
    """Remember a written bundle; one file is one record, the newest content counts."""
    bundle, _ = BundleRecord.objects.update_or_create(
        path=path.relative_to(settings.BUNDLES_DIR).as_posix(),
        defaults={
            "environment": revision.environment,
            "revision": revision,
            "run": run,
            "codec": codec,
            "fingerprint": fingerprint,
            "size": size,
            "manifest": manifest,
            "waiver": waiver,
            "created_by": run.requested_by if run else None,
        },
    )
    ladder.settle(EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id))
    return bundle


def import_bundle(*, path: Path, imported_by: User | None = None, with_trajectories: bool = True) -> Revision:
    """Take in a bundle: its environment, the report and the trajectories in it. Reviews are not taken over:
    people here decide for themselves.

    Raises:
        InvalidBundle: It cannot be opened; the text names the file and the remedy.
    """
    from synthesis.bundles.open import open_bundle

    bundle = open_bundle(path)
    with transaction.atomic():
        revision = store_environment(
            environment=bundle.environment,
            author_kind=AuthorKind.HAND,
            reason=f"Imported from {path.name}.",
            report=bundle.report,
            created_by=imported_by,
        )
        known = set(revision.trajectories.values_list("task_id", "agent", "model", "seed"))
        for judged in bundle.trajectories if with_trajectories else ():
            tried = judged.trajectory
            if (tried.task_id, tried.agent, tried.model or "", tried.seed) not in known:
                store_trajectory(revision=revision, judged=judged)
    return revision
