"""Stored archives: bundles, collections and exports in the storage of the settings, a folder or a bucket."""

from __future__ import annotations

import errno
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.http import FileResponse

from studio.services.errors import Missing, StorageDown
from synthesis.errors import WorldwrightError

logger = logging.getLogger(__name__)

REMEDY = "Export it again."


def _storage() -> Any:
    return storages["archives"]


@contextmanager
def _reaching(name: str) -> Iterator[None]:
    """Say clearly what is wrong with the storage."""
    try:
        yield
    except FileNotFoundError:
        raise Missing(f"The archive {name} is not in the storage any more.", remedy=REMEDY) from None
    except _storage().failures as error:
        logger.warning("The storage of archives: %s: %s", name, error)
        if is_full(error):
            raise _full() from None
        raise StorageDown(
            f"The storage of archives cannot be used now, so {name} was neither read nor written.",
            remedy="Try again later; /ready/ and the log tell an administrator more.",
        ) from None


def is_full(error: BaseException) -> bool:
    """Whether a disk, or what this user may have of it, was used up, whatever that was reported as since."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return (earlier := error.__cause__ or error.__context__) is not None and is_full(earlier)


def _full() -> StorageDown:
    return StorageDown(
        "The disk on which archives are written is full, so nothing was stored.",
        remedy="Free some space under WORLDWRIGHT_VAR, then try again.",
    )


def store(content: File[bytes] | Path, name: str) -> None:
    """Store an archive; one of the same name is replaced.

    Raises:
        StorageDown: The storage cannot be used.
        SuspiciousFileOperation: The name leads out of the storage.
    """
    if isinstance(content, Path):
        with content.open("rb") as file:
            store(File(file), name)
        return
    with _reaching(name):
        _storage().save(name, content)


def remove(name: str) -> None:
    """Delete an archive; one that is gone already is no error.

    Raises:
        StorageDown: The storage cannot be used.
    """
    with _reaching(name):
        _storage().delete(name)


def is_there(name: str) -> bool:
    """Whether there is an archive of that name.

    Raises:
        StorageDown: The storage cannot be used.
    """
    with _reaching(name):
        return bool(_storage().exists(name))


def opened(name: str) -> File[bytes]:
    """An archive to read from, complete and at its beginning.

    Raises:
        Missing: There is none.
        StorageDown: The storage cannot be used.
    """
    with _reaching(name):
        file: File[bytes] = _storage().open(name, "rb")
        # An object of a bucket is fetched by the first use, which must not fail within a reply.
        file.seek(0, 2)
        file.seek(0)
    return file


def download(name: str) -> FileResponse:
    """The reply that sends an archive.

    Raises:
        Missing: There is none.
        StorageDown: The storage cannot be used.
    """
    return FileResponse(opened(name), as_attachment=True, filename=Path(name).name)


def fetch(name: str, folder: Path) -> Path:
    """An archive as a file: where it lies, or copied into a folder when it lies in a bucket.

    Raises:
        Missing: There is none.
        StorageDown: The storage cannot be used.
    """
    try:
        path = Path(_storage().path(name))
    except NotImplementedError:
        target = folder / Path(name).name
        with opened(name) as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy, 2**20)
        return target
    if not path.is_file():
        raise Missing(f"The archive {name} is not in the storage any more.", remedy=REMEDY)
    return path


def address(name: str) -> str:
    """Where an archive is, for people: a path or s3://bucket/name."""
    return str(_storage().address(name))


def names(folder: str = "") -> Iterator[str]:
    """Every archive of the storage, in order.

    Raises:
        StorageDown: The storage cannot be used.
    """
    with _reaching(folder or "the list of archives"):
        folders, files = _storage().listdir(folder)
    prefix = f"{folder}/" if folder else ""
    yield from (f"{prefix}{file}" for file in sorted(files) if not file.startswith(".") and file)
    for each in sorted(folders):
        if not each.startswith("."):
            yield from names(f"{prefix}{each}")


@contextmanager
def draft_folder() -> Iterator[Path]:
    """A folder on this machine in which an archive is written before it is stored.

    Raises:
        StorageDown: The disk is full; nothing of the archive is left.
    """
    folder = Path(settings.BUNDLES_DIR)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".draft-", dir=folder) as draft:
            yield Path(draft)
    except (OSError, WorldwrightError) as error:
        if is_full(error):
            raise _full() from None
        raise


def problem() -> str:
    """Why the storage cannot be used; "" when it can."""
    try:
        _storage().require_usable()
    except _storage().failures as error:
        logger.warning("Not ready: the storage of archives: %s", error)
        return "the bucket of WORLDWRIGHT_BUCKET cannot be used"
    return ""
