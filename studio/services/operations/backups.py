"""Backup and restore: one archive of database and storage, independent of the database it came from."""

from __future__ import annotations

import json
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from auditlog.context import disable_auditlog
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.core.files import File
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from studio.models import EnvironmentRecord, Run
from studio.services.exports import stored_archives
from studio.services.operations import table_rows
from studio.services.operations.table_rows import StoredTable
from synthesis.errors import InvalidInput

FORMAT = "worldwright-backup-1"
MANIFEST, TABLES, STORAGE = "manifest.json", "tables", "storage"


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What an archive holds."""

    rows: int
    files: int
    fingerprints: dict[str, str]
    """SHA-256 of the rows by table."""

    @property
    def fingerprint(self) -> str:
        """One digest of all tables."""
        return table_rows.fingerprint_of(f"{n} {d}\n".encode() for n, d in sorted(self.fingerprints.items()))[
            0
        ]


def write_backup(path: Path) -> BackupSummary:
    """Write an archive of everything the studio stores.

    Args:
        path: Where the archive goes; a `.tar.gz`. It appears when it is complete.

    Raises:
        InvalidInput: There is a file already, or the folder does not exist or cannot be written to.
    """
    if path.exists():
        raise InvalidInput(f"{path} exists already: choose another name, or remove it.")
    if not path.parent.is_dir():
        raise InvalidInput(f"There is no folder {path.parent}: create it first.")
    try:
        place = tempfile.TemporaryDirectory(dir=path.parent)
    except OSError as error:
        raise _unwritable(path.parent, error) from error
    with place as folder:
        unfinished = Path(folder) / "backup"
        try:
            with tarfile.open(unfinished, "w:gz", compresslevel=3) as archive, _one_moment():
                summary = _write(archive, Path(folder))
            unfinished.rename(path)
        except OSError as error:
            if stored_archives.is_full(error):
                raise _unwritable(path.parent, error) from error
            raise  # what is read may fail as well, and says so itself
    return summary


@contextmanager
def _one_moment() -> Iterator[None]:
    """All tables as they were at one moment, while others go on working."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if connection.vendor == "postgresql" and outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _unwritable(folder: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"{folder} cannot be written to ({error.strerror or error}), so there is no backup. Free some space, "
        "or choose another folder."
    )


def _write(archive: tarfile.TarFile, place: Path) -> BackupSummary:
    fingerprints: dict[str, str] = {}
    rows = 0
    for table in table_rows.stored_tables():
        file = place / table.name
        with file.open("wb") as target:
            target.writelines(table.lines())
        with file.open("rb") as source:
            fingerprints[table.name], count = table_rows.fingerprint_of(source)
        rows += count
        archive.add(file, f"{TABLES}/{table.name}.jsonl")
        file.unlink()
    stored = list(stored_archives.names())
    for name in stored:
        _add_stored(archive, name)
    summary = BackupSummary(rows, len(stored), fingerprints)
    manifest = place / MANIFEST
    manifest.write_text(json.dumps(_manifest(summary), indent=1), encoding="utf-8")
    archive.add(manifest, MANIFEST)
    return summary


def _add_stored(archive: tarfile.TarFile, name: str) -> None:
    with stored_archives.opened(name) as file:
        member = tarfile.TarInfo(f"{STORAGE}/{name}")
        member.size = file.seek(0, 2)
        file.seek(0)
        archive.addfile(member, file)


def _manifest(summary: BackupSummary) -> dict[str, object]:
    return {
        "format": FORMAT,
        "release": version("worldwright"),
        "at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": _migrations(),
        "rows": summary.rows,
        "files": summary.files,
        "fingerprints": summary.fingerprints,
        "fingerprint": summary.fingerprint,
    }


def _migrations() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def restore_backup(path: Path) -> BackupSummary:
    """Fill an empty, migrated database and the storage from an archive.

    Args:
        path: An archive that `write_backup` wrote.

    Returns:
        What is stored now, read again from the database.

    Raises:
        InvalidInput: It is no such archive, is damaged or of another release, or something is stored already.
    """
    try:
        with tarfile.open(path, "r:*") as archive:
            return _restore(archive)
    except (OSError, EOFError, KeyError, ValueError, SuspiciousOperation, tarfile.TarError) as error:
        raise InvalidInput(f"{path} cannot be read as a backup: {error}.") from None


def _restore(archive: tarfile.TarFile) -> BackupSummary:
    manifest = _read_manifest(archive)
    _require_empty()
    # What migrations stored goes first, without a trail: its numbers are those of the backup's own trail.
    with transaction.atomic(), disable_auditlog():
        tables = table_rows.stored_tables()
        for table in tables:
            table.rows.all().delete()
        for table in tables:
            _restore_table(archive, table)
        table_rows.reset_sequences()
        summary = stored_now()
        if summary.fingerprints != manifest["fingerprints"]:
            wrong = [n for n, d in summary.fingerprints.items() if d != manifest["fingerprints"].get(n)]
            raise InvalidInput(f"The backup is damaged: {', '.join(wrong)} differ. Nothing was restored.")
        return replace(summary, files=_restore_storage(archive))


def stored_now() -> BackupSummary:
    """The fingerprints of what is stored."""
    digests = {table.name: table_rows.fingerprint_of(table.lines()) for table in table_rows.stored_tables()}
    return BackupSummary(
        sum(count for _, count in digests.values()),
        sum(1 for _ in stored_archives.names()),
        {label: digest for label, (digest, _) in digests.items()},
    )


def _read_manifest(archive: tarfile.TarFile) -> dict[str, dict[str, str]]:
    try:
        member = archive.extractfile(MANIFEST)
        assert member is not None
        manifest = json.loads(member.read())
    except (KeyError, ValueError):
        manifest = {}
    if manifest.get("format") != FORMAT:
        raise InvalidInput(f"This archive is no backup of the studio: its {MANIFEST} is not of {FORMAT}.")
    if manifest["migrations"] != _migrations():
        raise InvalidInput(
            f"The backup is of release {manifest['release']} with other migrations than this database has: "
            "install that release, migrate, restore, then upgrade."
        )
    return dict(manifest)


def _require_empty() -> None:
    if any(model.objects.exists() for model in (User, EnvironmentRecord, Run)):
        raise InvalidInput("The studio is not empty: restore into a new database that was only migrated.")


def _restore_table(archive: tarfile.TarFile, table: StoredTable) -> None:
    lines = archive.extractfile(f"{TABLES}/{table.name}.jsonl")
    assert lines is not None
    table.store(lines)


def _restore_storage(archive: tarfile.TarFile) -> int:
    files = 0
    for member in archive.getmembers():
        if member.isfile() and member.name.startswith(f"{STORAGE}/"):
            content = File(archive.extractfile(member))
            stored_archives.store(content, member.name.removeprefix(f"{STORAGE}/"))
            files += 1
    return files
