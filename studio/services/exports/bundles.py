"""Bundles: approved environments are exported reproducibly, bundles of others are imported."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from studio.models import (
    AuthorKind,
    BundleRecord,
    EnvironmentRecord,
    Revision,
    Run,
    RunKind,
    TrajectoryRecord,
)
from studio.services.environments import archive, dictionaries, quality_gates
from studio.services.environments.environments import load_environment, store_environment
from studio.services.errors import NotReady
from studio.services.exports import stored_archives
from studio.services.review import reviews
from studio.services.rollouts.trajectories import load_judged, store_trajectory
from studio.services.runs import runs
from studio.services.runs.execution import RunLease
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.document import Document
from synthesis.errors import InvalidBundle, InvalidInput

MOST_UPLOADED = 100 * 2**20
"""Bytes of an archive that a page takes; programs and the command take larger ones."""
LONGEST_NAME = 120


def bundle_of(revision: Revision, *, with_trajectories: bool = True) -> Bundle:
    """The revision as a bundle: its design, what was proved, decided and tried in it."""
    report = quality_gates.latest_report(revision, whole=True)
    words = dictionaries.edited(revision.environment)
    return Bundle(
        environment=load_environment(revision),
        report=report.load() if report else None,
        reviews=reviews.documents(revision),
        trajectories=tuple(_tried(revision)) if with_trajectories else (),
        dictionary=None if words.empty else words,
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


def export_blocker(revision: Revision) -> str:
    """Why a revision may not leave as an approved one, as things are now, or "" when it may."""
    record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
    if record.current_id != revision.pk:
        return f"Revision {revision.number} is no longer the current one."
    if record.archived_at is not None:
        return archive.blocker(record)
    return quality_gates.blocker(record)


def require_exportable(revision: Revision, *, waiver: str = "") -> None:
    """Pass when the revision is approved as it is, or when somebody says why it leaves without.

    It is asked when the export is queued and again when it is written.

    Raises:
        NotReady: It is not; the text says what is missing.
        InvalidInput: The reason is too long.
    """
    if len(waiver) > 300:
        raise InvalidInput("Keep the reason for the waiver under 300 characters.")
    if not (why := export_blocker(revision)):
        return
    title = revision.environment.title
    if not settings.WORLDWRIGHT.gate_waivers:
        raise NotReady(
            f"{title} is not approved. {why}",
            remedy="Have it approved; WORLDWRIGHT_GATE_WAIVERS does not allow exports without approval.",
        )
    if not waiver.strip():
        raise NotReady(
            f"{title} is not approved. {why}",
            remedy="Have it approved, or give a reason for exporting it without approval.",
        )


class BundleRequest(Document):
    """One environment's bundle."""

    revision: int
    codec: str = "native"
    waiver: str = ""
    with_trajectories: bool = True


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
    assert record.current is not None
    require_exportable(record.current, waiver=waiver)
    return runs.queue_run(
        kind=RunKind.EXPORT,
        title=f"Export of {record.title}",
        request=BundleRequest(
            revision=record.current.pk,
            codec=codec,
            waiver=waiver.strip(),
            with_trajectories=with_trajectories,
        ),
        requested_by=requested_by,
        environment=record,
        total=1,
    )


def execute_export(lease: RunLease, request: BundleRequest) -> None:
    """Write the bundle a claimed run asks for.

    Raises:
        InvalidInput: This environment cannot be expressed in that format, or may no longer be exported.
    """
    revision = Revision.objects.select_related("environment").get(pk=request.revision)
    _require_still_exportable(revision, request.waiver)
    name, fingerprint, size, manifest = write_bundle(
        revision, codec=request.codec, with_trajectories=request.with_trajectories
    )
    _require_still_exportable(revision, request.waiver)
    with lease.writing(done=1):
        bundle = keep_bundle(
            revision=revision,
            name=name,
            codec=request.codec,
            fingerprint=fingerprint,
            size=size,
            manifest=manifest,
            waiver=request.waiver,
            run=lease.run,
        )
        lease.finish({"bundle": bundle.pk, "path": bundle.path, "fingerprint": fingerprint})


def _require_still_exportable(revision: Revision, waiver: str) -> None:
    """Go on only while the revision may leave: flags and edits arrive while an export waits and is written.

    Raises:
        InvalidInput: It may not any more; the text says why.
    """
    try:
        require_exportable(revision, waiver=waiver)
    except NotReady as refused:
        raise InvalidInput(f"Nothing was exported: {refused.message} {refused.remedy}") from None


def write_bundle(
    revision: Revision, *, codec: str = "native", with_trajectories: bool = True
) -> tuple[str, str, int, dict[str, str]]:
    """Store a revision as a bundle; the same content gives the same bytes.

    Returns:
        Its name in the storage, its SHA-256, its size in bytes and its manifest's digests by file.

    Raises:
        StorageDown: The storage cannot be used.
    """
    from synthesis.bundles.registry import codec as codec_named

    writer = codec_named(codec)
    bundle = bundle_of(revision, with_trajectories=with_trajectories)
    name = f"{revision.environment.name}-r{revision.number}-{revision.fingerprint[:12]}"
    with stored_archives.draft_folder() as folder:
        written = writer.write(bundle, folder / f"{name}{writer.suffix}")
        content = written.read_bytes()
        manifest = writer.read(written).manifest if codec == "native" else None
        stored = f"{codec}/{written.name}"
        stored_archives.store(written, stored)
    files = dict(manifest.files) if manifest is not None else {}
    return stored, hashlib.sha256(content).hexdigest(), len(content), files


@transaction.atomic
def keep_bundle(
    *,
    revision: Revision,
    name: str,
    codec: str,
    fingerprint: str,
    size: int,
    manifest: dict[str, str],
    waiver: str = "",
    run: Run | None = None,
) -> BundleRecord:
    """Remember a stored bundle; one archive is one record, the newest content counts."""
    bundle, _ = BundleRecord.objects.update_or_create(
        path=name,
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
    quality_gates.settle(EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id))
    return bundle


def import_uploaded(
    *, pieces: Iterable[bytes], name: str, imported_by: User, with_trajectories: bool = True
) -> Revision:
    """Take in a zip archive that somebody sent.

    Args:
        pieces: Its content, one piece after the other.
        name: What it is called where it comes from.
        imported_by: Who sent it.
        with_trajectories: Whether what agents did in it comes along.

    Raises:
        InvalidBundle: It cannot be opened; the text names it as it was sent and the remedy.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "uploaded.zip"
        with path.open("wb") as target:
            target.writelines(pieces)
        called = "".join(filter(str.isprintable, Path(name).name))[-LONGEST_NAME:] or path.name
        try:
            return import_bundle(
                path=path, called=called, imported_by=imported_by, with_trajectories=with_trajectories
            )
        except InvalidBundle as error:
            raise InvalidBundle(str(error).replace(str(path), called)) from None


def import_bundle(
    *, path: Path, called: str = "", imported_by: User | None = None, with_trajectories: bool = True
) -> Revision:
    """Take in a bundle: its environment, the report and the trajectories in it. Reviews are not taken over:
    people here decide for themselves.

    Args:
        path: The bundle, a folder or a zip archive.
        called: What it is called where it comes from; as the file is when empty.
        imported_by: Who takes it in.
        with_trajectories: Whether what agents did in it comes along.

    Raises:
        InvalidBundle: It cannot be opened; the text names the file and the remedy.
    """
    from synthesis.bundles.open import open_bundle

    bundle = open_bundle(path)
    with transaction.atomic():
        revision = store_environment(
            environment=bundle.environment,
            author_kind=AuthorKind.HAND,
            reason=f"Imported from {called or path.name}.",
            report=bundle.report,
            author=imported_by,  # nobody here knows who wrote what is in it
            created_by=imported_by,
        )
        if bundle.dictionary is not None and dictionaries.edited(revision.environment).empty:
            dictionaries.keep(revision.environment, bundle.dictionary)
        known = set(revision.trajectories.values_list("task_id", "agent", "model", "seed"))
        for judged in bundle.trajectories if with_trajectories else ():
            tried = judged.trajectory
            if (tried.task_id, tried.agent, tried.model or "", tried.seed) not in known:
                store_trajectory(revision=revision, judged=judged)
    return revision
