"""Archive: the files of one bundle in a folder or a zip, read with suspicion, written whole or not at all."""

from __future__ import annotations

import contextlib
import lzma
import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from synthesis.errors import InvalidBundle, InvalidInput

ANCHOR = "environment.json"
"""The file that marks the root of a bundle."""

UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, UnicodeDecodeError)
"""What reading a damaged zip raises, besides OSError."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_ENCRYPTED = 0x1
_PIECE = 2**20


@dataclass(frozen=True)
class ArchiveLimits:
    """How large a bundle may be before it is refused unread."""

    files: int = 20_000
    file_bytes: int = 128 * 2**20
    total_bytes: int = 512 * 2**20
    ratio: int = 300
    """Uncompressed over compressed size of one entry; text of rows stays far below."""


def read_files(path: Path, *, limits: ArchiveLimits | None = None) -> dict[str, bytes]:
    """Every file of a bundle by its path relative to the bundle's root, with forward slashes.

    A folder's hidden files and `__pycache__` are not part of it. In a zip the root is the top, or the one
    folder everything lies in.

    Args:
        path: A folder or a zip archive.
        limits: Sizes beyond which it is refused.

    Raises:
        InvalidBundle: Neither, unreadable, too large, or holding something other than plain files inside it.
    """
    limits = limits or ArchiveLimits()
    if path.is_dir():
        return _read_folder(path, limits)
    if not path.exists():
        raise InvalidBundle(f"{path}: there is no such file or folder.")
    if not path.is_file():
        raise InvalidBundle(f"{path}: a bundle is a folder or a zip archive; this is neither.")
    return _read_zip(path, limits)


def write_folder(files: Mapping[str, bytes], path: Path) -> Path:
    """Write files as a folder that appears whole.

    Raises:
        InvalidInput: Something exists at `path` already, or it cannot be written.
    """
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InvalidInput(f"{path}: already exists; choose another path or remove it first.")
    with _beside(path) as draft:
        for name, content in sorted(files.items()):
            target = draft / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        draft.chmod(0o755)
        if path.exists():
            path.rmdir()
        draft.rename(path)
    return path


def write_file(content: bytes, path: Path) -> Path:
    """Write one file that appears whole, replacing one that exists.

    Raises:
        InvalidInput: The path cannot be written.
    """
    if path.is_dir():
        raise InvalidInput(f"{path}: is a folder; name a file.")
    with _beside(path) as draft:
        result = draft / "file"
        result.write_bytes(content)
        result.replace(path)
    return path


def write_zip(files: Mapping[str, bytes], path: Path, *, folder: str) -> Path:
    """Write files as a zip with one top folder, replacing a file at `path`; equal files give equal bytes.

    Entries are stored, not deflated: compressors differ between machines, stored bytes do not.

    Raises:
        InvalidInput: The path cannot be written.
    """
    if path.is_dir():
        raise InvalidInput(f"{path}: is a folder; name a file that ends in .zip.")
    return pack({f"{folder}/{name}": content for name, content in files.items()}, path)


def pack_folder(source: Path, path: Path, *, folder: str) -> Path:
    """Write what a folder holds as `write_zip` does, a piece at a time, so that size does not matter.

    Raises:
        InvalidInput: The path cannot be written.
    """
    results = {file.relative_to(source).as_posix(): file for file in source.rglob("*") if file.is_file()}
    return pack({f"{folder}/{name}": file for name, file in results.items()}, path)


def pack(entries: Mapping[str, bytes | Path], path: Path) -> Path:
    """Write an archive of these entries in the order of their names; equal content gives equal bytes.

    Args:
        entries: Content by name; a file is copied a piece at a time.
        path: The archive, replaced at once or not at all.

    Raises:
        InvalidInput: The path cannot be written.
    """
    with _beside(path) as draft:
        result = draft / "bundle.zip"
        with zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as archive:
            for name, content in sorted(entries.items()):
                if isinstance(content, bytes):
                    archive.writestr(_entry(name), content)
                else:
                    _copy(archive, _entry(name), content)
        with result.open("rb") as written:
            os.fsync(written.fileno())
        result.replace(path)
    return path


def _copy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path) -> None:
    entry.file_size = file.stat().st_size  # tells whether the entry needs 64 bits
    with file.open("rb") as content, archive.open(entry, "w") as target:
        shutil.copyfileobj(content, target, _PIECE)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=_EPOCH)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    return entry


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A scratch folder on the same file system as `path`, gone afterwards whatever happens."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written: {error.strerror or error}.") from error
    try:
        yield draft
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


class Tally:
    """Counts files and bytes against the limits.

    Args:
        limits: Beyond which it is refused.
        what: The word for what has the files.
    """

    def __init__(self, limits: ArchiveLimits, what: str = "bundle") -> None:
        self.limits, self.files, self.bytes, self._what = limits, 0, 0, what

    def take(self, name: str, size: int) -> None:
        """Count a file in.

        Raises:
            InvalidBundle: It is one too many or too large.
        """
        self.files += 1
        self.bytes += size
        if size > self.limits.file_bytes:
            raise InvalidBundle(
                f"{name}: it has {size} bytes; a file of a {self._what} may have at most "
                f"{self.limits.file_bytes}."
            )
        if self.bytes > self.limits.total_bytes:
            raise InvalidBundle(f"{name}: with it the {self._what} exceeds {self.limits.total_bytes} bytes.")
        if self.files > self.limits.files:
            raise InvalidBundle(f"{name}: with it the {self._what} exceeds {self.limits.files} files.")


def _read_folder(root: Path, limits: ArchiveLimits) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    tally = Tally(limits)
    try:
        for path in plain_files(root):
            name = path.relative_to(root).as_posix()
            tally.take(name, path.stat().st_size)
            files[name] = path.read_bytes()
    except OSError as error:
        raise InvalidBundle(
            f"{error.filename or root}: cannot be read: {error.strerror or error}."
        ) from error
    refuse_repeated(files, root)
    if ANCHOR not in files:
        raise InvalidBundle(f"{root}: contains no {ANCHOR}; name the folder of one environment.")
    return files


def plain_files(folder: Path) -> Iterator[Path]:
    """The files of a folder and of those in it, but hidden ones.

    Raises:
        InvalidBundle: There is a link or something special among them.
    """
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            raise InvalidBundle(f"{path}: is a symbolic link; put the file itself there.")
        if stat.S_ISDIR(mode):
            yield from plain_files(path)
        elif stat.S_ISREG(mode):
            yield path
        else:
            raise InvalidBundle(f"{path}: is neither a file nor a folder; remove it.")


def _read_zip(path: Path, limits: ArchiveLimits) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if is_plain_file(entry)]
            tally = Tally(limits)
            for entry in entries:
                tally.take(entry.filename, entry.file_size)
                if entry.file_size > limits.ratio * max(entry.compress_size, 1024):
                    raise InvalidBundle(
                        f"{entry.filename}: unpacks to {entry.file_size} bytes; rejected as a zip bomb."
                    )
            names = relative_names([entry.filename for entry in entries], path)
            return {name: archive.read(entry) for name, entry in zip(names, entries, strict=True)}
    except UNREADABLE as error:
        raise InvalidBundle(
            f"{path}: is not a readable zip archive ({error}); write the bundle or copy the file again."
        ) from error
    except OSError as error:
        raise InvalidBundle(f"{path}: cannot be read: {error.strerror or error}.") from error


def is_plain_file(entry: zipfile.ZipInfo) -> bool:
    """Whether the entry is a plain file rather than a folder.

    Raises:
        InvalidBundle: It is neither, is encrypted, or its name leads elsewhere.
    """
    _refuse_unsafe(entry.orig_filename)
    if entry.flag_bits & _ENCRYPTED:
        raise InvalidBundle(f"{entry.filename}: is encrypted; bundles are not.")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if entry.is_dir():
        return False
    if kind not in (0, stat.S_IFREG):
        raise InvalidBundle(
            f"{entry.filename}: is a link or special file; a bundle contains plain files only."
        )
    return True


def _refuse_unsafe(name: str) -> None:
    parts = name.removesuffix("/").split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or ":" in parts[0]:
        raise InvalidBundle(f"{name!r}: is not a relative path with forward slashes; write the bundle again.")
    if any(part in ("", ".", "..") for part in parts):
        raise InvalidBundle(f"{name!r}: leads outside the bundle's folder; such an archive is not opened.")


def refuse_repeated(names: Iterable[str], path: Path) -> None:
    """Refuse names that differ by case alone: they are one file on some machines, whichever is written last.

    Raises:
        InvalidBundle: Two are the same so.
    """
    first: dict[str, str] = {}
    for name in names:
        known = first.get(name.casefold())
        if known is not None:
            which = "occurs more than once" if known == name else f"differs from {known} by case alone"
            raise InvalidBundle(f"{name}: {which} in {path}; write the bundle again.")
        first[name.casefold()] = name


def relative_names(names: list[str], path: Path, anchor: str = ANCHOR) -> list[str]:
    """The names from the root on: the top, or the one folder everything lies in.

    Args:
        names: Of all entries of an archive.
        path: The archive.
        anchor: The file that marks the root.

    Raises:
        InvalidBundle: There is no root, a name lies outside of it, or occurs twice.
    """
    refuse_repeated(names, path)
    if anchor in names:
        return names
    roots = [
        PurePosixPath(name).parent for name in names if name.endswith(f"/{anchor}") and name.count("/") == 1
    ]
    if len(roots) != 1:
        raise InvalidBundle(f"{path}: contains no {anchor} at its top or in its only folder; is it a bundle?")
    prefix = f"{roots[0]}/"
    for name in names:
        if not name.startswith(prefix):
            raise InvalidBundle(f"{name}: lies outside the bundle's folder {prefix}; remove it.")
    return [name.removeprefix(prefix) for name in names]
