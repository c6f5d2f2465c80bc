"""Bundles for programs: export what is approved, fetch archives, take in others'."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest
from ninja import Field, File, Router, Schema, Status
from ninja.files import UploadedFile
from ninja.pagination import paginate

from studio.api.authentication import caller, needs
from studio.api.environments import RevisionOut
from studio.api.runs import RunOut
from studio.models import Act, BundleRecord
from studio.services.environments import environments
from studio.services.errors import Missing
from studio.services.exports import bundles, stored_archives

router = Router()


class BundleOut(Schema):
    """An archive that was exported."""

    id: int
    environment: str = Field(alias="environment.name")
    revision: int = Field(alias="revision.number")
    codec: str
    path: str
    fingerprint: str
    size: int
    waiver: str
    manifest: dict[str, str]
    created_at: datetime


class BundleExportIn(Schema):
    """What is to be exported; a waiver says why something leaves without approval."""

    environment: str
    codec: str = "native"
    waiver: str = ""
    with_trajectories: bool = True


class ImportOut(Schema):
    """Where an imported bundle went."""

    environment: str
    revision: RevisionOut


@router.get("", response=list[BundleOut], summary="List bundles, newest first")
@paginate
def list_bundles(request: HttpRequest, environment: str = "") -> QuerySet[BundleRecord]:
    """All, or one environment's."""
    bundle_records = BundleRecord.objects.select_related("environment", "revision")
    return bundle_records.filter(environment__name=environment) if environment else bundle_records


@router.post(
    "/exports", response={202: RunOut}, summary="Export an approved environment", auth=needs(Act.EXPORT)
)
def start_export(request: HttpRequest, body: BundleExportIn) -> Status[Any]:
    """The archive is written by a worker; the run's result names the bundle."""
    run = bundles.start_export(
        record=environments.find(body.environment),
        codec=body.codec,
        waiver=body.waiver,
        with_trajectories=body.with_trajectories,
        requested_by=caller(request),
    )
    return Status(202, run)


@router.post("/imports", response={201: ImportOut}, summary="Import a bundle", auth=needs(Act.IMPORT))
def import_bundle(request: HttpRequest, file: File[UploadedFile]) -> Status[Any]:
    """A zip archive in the native format, at most 512 MiB unpacked."""
    revision = bundles.import_uploaded(
        pieces=file.chunks(), name=file.name or "", imported_by=caller(request)
    )
    return Status(201, {"environment": revision.environment.name, "revision": revision})


@router.get("/{int:bundle_id}", response=BundleOut, summary="One bundle with its manifest")
def read_bundle(request: HttpRequest, bundle_id: int) -> BundleRecord:
    """Digests of every file in it."""
    return _find(bundle_id)


@router.get("/{int:bundle_id}/archive", summary="Download the archive")
def download_bundle(request: HttpRequest, bundle_id: int) -> FileResponse:
    """Bytes whose SHA-256 is the bundle's fingerprint."""
    return stored_archives.download(_find(bundle_id).path)


def _find(bundle_id: int) -> BundleRecord:
    bundle = BundleRecord.objects.select_related("environment", "revision").filter(pk=bundle_id).first()
    if bundle is None:
        raise Missing(f"There is no bundle {bundle_id}.")
    return bundle
