"""Collection: native bundles of many environments in one archive, with splits and a card.

collection.json      by environment: digests, split, licence, provenance, decisions, waivers
README.md            the card; by its head `datasets` loads the folder from its path
data/<split>.jsonl   a line for each task
bundles/<name>.zip   the bundles
signature.json       where it is signed, see `synthesis.bundles.signature`
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from synthesis.bundles import reading
from synthesis.bundles.archive import (
    ANCHOR,
    UNREADABLE,
    ArchiveLimits,
    Tally,
    is_plain_file,
    plain_files,
    refuse_repeated,
    relative_names,
)
from synthesis.bundles.data_card import counted
from synthesis.bundles.dataset_card import dataset_head
from synthesis.bundles.native import SIGNATURE
from synthesis.bundles.open import open_bundle
from synthesis.documents.document import digest
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.errors import InvalidBundle, WorldwrightError

FORMAT = "worldwright-collection/1"
INDEX, CARD = "collection.json", "README.md"
_ARCHIVE = re.compile(r"bundles/[\w.-]+\.zip")
_INDEX_BYTES = 128 * 2**20
_PIECE = 2**20
_SMALL = 2**16
"""Bytes of an entry as packed, below which its ratio says little."""
LIMITS = ArchiveLimits(files=20_000, file_bytes=512 * 2**20, total_bytes=32 * 2**30)
"""Of a collection: a file of it may be as large as a whole bundle, and none is read whole but the index."""


class CollectedEntry(BaseModel):
    """What the index says of one environment, as far as it is checked."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    fingerprint: str
    archive: str
    sha256: str
    split: str = ""
    licence: str = ""
    waivers: tuple[dict[str, JsonValue], ...] = ()


class CollectionIndex(BaseModel):
    """The content of collection.json, as far as it is checked."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: str
    title: str
    environments: tuple[CollectedEntry, ...]
    files: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True)
class Checked:
    """One bundle of a collection after it was looked at.

    Attributes:
        entry: What the index says.
        environment: What the bundle holds; None where it is not what the index says.
        problem: What is wrong; empty where nothing is.
    """

    entry: CollectedEntry
    environment: Environment | None = None
    problem: str = ""


def collection_files(index: Mapping[str, Any], tasks: Mapping[str, Sequence[Task]]) -> dict[str, bytes]:
    """Everything of a collection but its bundles; equal input gives equal bytes.

    Args:
        index: What collection.json says of title and environments.
        tasks: Of each environment, by its name.
    """
    rows: dict[str, list[bytes]] = {}
    for entry in index["environments"]:
        own = rows.setdefault(f"data/{entry['split']}.jsonl", [])
        own += (orjson.dumps(_line(entry, task)) + b"\n" for task in tasks[entry["name"]])
    lines = {path: b"".join(each) for path, each in rows.items()}
    head = dataset_head("tasks", {Path(path).stem: path for path in lines})
    files = {CARD: (head + _card(index, tasks)).encode(), **lines}
    whole = {**index, "files": {name: digest(content) for name, content in sorted(files.items())}}
    return {INDEX: json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False).encode(), **files}


def _line(entry: Mapping[str, Any], task: Task) -> dict[str, Any]:
    return {
        "environment": entry["name"],
        "environment_fingerprint": entry["fingerprint"],
        "archive": entry["archive"],
        "task_id": task.id,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "split": entry["split"],
        "instruction": task.instruction,
    }


def _card(index: Mapping[str, Any], tasks: Mapping[str, Sequence[Task]]) -> str:
    """What people read first: how much of what there is, and how to check it."""
    entries = index["environments"]
    every = [(entry, task) for entry in entries for task in tasks[entry["name"]]]
    charts = {
        "Environments by split": Counter(entry["split"] for entry in entries),
        "Tasks by split": Counter(entry["split"] for entry, _ in every),
        "Tasks by kind": Counter(task.kind for _, task in every),
        "Tasks by difficulty": Counter(task.difficulty for _, task in every),
        "Environments by category": Counter(entry["category"] or "none" for entry in entries),
        "Environments by licence": Counter(entry["licence"] for entry in entries),
        "Parts by author": Counter(
            str(each["author"]) for entry in entries for each in entry["provenance"].values()
        ),
        "Environments by waivers": Counter(str(len(entry["waivers"])) for entry in entries),
    }
    about = (
        f"Environments: {len(entries)}, with {len(every)} tasks in all. Each bundle holds its database, "
        "tools, tasks, verifiers, the proof of them and the reviews; an environment is wholly in one split."
    )
    commands = "worldwright verify COLLECTION\nworldwright serve COLLECTION/bundles/NAME.zip"
    text = f"# {index['title']}\n\n{about}\n\n```sh\n{commands}\n```"
    sections = (counted(name, dict(sorted(counts.items()))) for name, counts in charts.items())
    return "\n\n".join((text, *sections)) + "\n"


def is_collection(path: Path) -> bool:
    """Whether a folder or an archive holds a collection rather than one environment."""
    if path.is_dir():
        return (path / INDEX).is_file() and not (path / ANCHOR).exists()
    with suppress(OSError, *UNREADABLE), zipfile.ZipFile(path) as archive:
        return _holds_index(frozenset(archive.namelist()))
    return False


def _holds_index(names: frozenset[str]) -> bool:
    """Whether an index is at the top or in a folder there, and beside or above it no bundle's own mark."""
    tops = [
        name.removesuffix(INDEX) for name in names if name in (INDEX, f"{name.partition('/')[0]}/{INDEX}")
    ]
    return bool(tops) and names.isdisjoint({ANCHOR, f"{min(tops, key=len)}{ANCHOR}"})


class OpenCollection:
    """A collection that is read; made by `open_collection`.

    Attributes:
        index: What it says it holds.
        document: The bytes of the index, which a signature is over.
        signature: Those of the signature; None where there is none.
    """

    def __init__(self, files: Mapping[str, Path | zipfile.ZipInfo], archive: zipfile.ZipFile | None) -> None:
        self._files, self._archive = files, archive
        self.document = self._bounded(INDEX)
        self.index = reading.as_type(INDEX, CollectionIndex, reading.json_value(INDEX, self.document))
        if self.index.format != FORMAT:
            raise InvalidBundle(
                f"{INDEX}: its format is {self.index.format!r}; this program reads {FORMAT!r}. "
                "Upgrade worldwright."
            )
        self.signature = self._bounded(SIGNATURE) if SIGNATURE in files else None

    def problems(self) -> Iterator[str]:
        """What is wrong with what is no bundle."""
        expected = {INDEX, SIGNATURE, *self.index.files, *(each.archive for each in self.index.environments)}
        for name in sorted(set(self._files) - expected):
            yield f"{name}: is not listed in {INDEX}; remove it, or get the collection again."
        for name, sha256 in sorted(self.index.files.items()):
            if name not in self._files:
                yield f"{name}: is missing, though {INDEX} lists it; get the collection again."
                continue
            try:
                changed = self._copied(name, None) != sha256
            except InvalidBundle as error:
                yield str(error)
                continue
            if changed:
                yield f"{name}: was changed after the collection was built; get it again."
        archives = Counter(each.archive for each in self.index.environments)
        yield from (f"{name}: is listed more than once in {INDEX}." for name, n in archives.items() if n > 1)

    def bundles(self) -> Iterator[Checked]:
        """Every bundle, opened and held against the index."""
        with tempfile.TemporaryDirectory() as folder:
            for entry in self.index.environments:
                yield self._checked(entry, Path(folder) / "bundle.zip")

    def copied_to(self, folder: Path) -> dict[str, Path]:
        """Copies of all files that the index lists, by their names; the copies are called by numbers."""
        listed = [INDEX, *self.index.files, *(each.archive for each in self.index.environments)]
        copies = {}
        for number, name in enumerate(dict.fromkeys(listed)):
            if name not in self._files:
                raise InvalidBundle(f"{name}: is missing; get the collection again.")
            copies[name] = folder / str(number)
            with copies[name].open("wb") as copy:
                self._copied(name, copy)
        return copies

    def _checked(self, entry: CollectedEntry, path: Path) -> Checked:
        if not _ARCHIVE.fullmatch(entry.archive) or entry.archive not in self._files:
            return Checked(entry, problem=f"{entry.archive}: is missing; get the collection again.")
        try:
            with path.open("wb") as copy:
                sha256 = self._copied(entry.archive, copy)
        except InvalidBundle as error:
            return Checked(entry, problem=str(error))
        if sha256 != entry.sha256:
            return Checked(
                entry, problem=f"{entry.archive}: its SHA-256 is not the one in {INDEX}; get it again."
            )
        try:
            environment = open_bundle(path).environment
        except WorldwrightError as error:
            return Checked(entry, problem=f"{entry.archive}: {error}")
        if environment.fingerprint != entry.fingerprint:
            return Checked(entry, problem=f"{entry.archive}: holds another environment than {INDEX} says.")
        return Checked(entry, environment)

    def _bounded(self, name: str) -> bytes:
        if name not in self._files:
            raise InvalidBundle(f"{name}: is missing; get the collection again.")
        content = bytearray()
        for piece in self._pieces(name):
            content += piece
            if len(content) > _INDEX_BYTES:
                raise InvalidBundle(f"{name}: is larger than {_INDEX_BYTES:,} bytes.")
        return bytes(content)

    def _copied(self, name: str, target: IO[bytes] | None) -> str:
        """The SHA-256 of a file, which is copied a piece at a time where a target is given."""
        sha256 = hashlib.sha256()
        for piece in self._pieces(name):
            sha256.update(piece)
            if target is not None:
                target.write(piece)
        return sha256.hexdigest()

    def _pieces(self, name: str) -> Iterator[bytes]:
        try:
            with self._opened(name) as source:
                while piece := source.read(_PIECE):
                    yield piece
        except (OSError, *UNREADABLE) as error:
            raise InvalidBundle(f"{name}: cannot be read ({error}); get the collection again.") from error

    def _opened(self, name: str) -> IO[bytes]:
        file = self._files[name]
        if isinstance(file, Path):
            return file.open("rb")
        assert self._archive is not None
        return self._archive.open(file)


@contextmanager
def open_collection(path: Path, limits: ArchiveLimits = LIMITS) -> Iterator[OpenCollection]:
    """Read a collection, a folder or a zip; none of its names is ever written to.

    Args:
        path: Where it is.
        limits: Sizes beyond which it is refused unread.

    Raises:
        InvalidBundle: It is damaged or too large, holds something beside plain files, or its index is none.
    """
    if path.is_dir():
        yield OpenCollection(_of_folder(path, limits), None)
        return
    with ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(path))
        except (OSError, *UNREADABLE) as error:
            raise InvalidBundle(f"{path}: is damaged ({error}); get it again.") from error
        yield OpenCollection(_of_archive(archive, path, limits), archive)


def _of_folder(path: Path, limits: ArchiveLimits) -> dict[str, Path]:
    tally = Tally(limits, "collection")
    files = {}
    try:
        for each in plain_files(path):
            name = each.relative_to(path).as_posix()
            tally.take(name, each.stat().st_size)
            files[name] = each
    except OSError as error:
        raise InvalidBundle(
            f"{error.filename or path}: cannot be read: {error.strerror or error}."
        ) from error
    refuse_repeated(files, path)
    return files


def _of_archive(archive: zipfile.ZipFile, path: Path, limits: ArchiveLimits) -> dict[str, zipfile.ZipInfo]:
    entries = [entry for entry in archive.infolist() if is_plain_file(entry)]
    names = [entry.filename for entry in entries]
    if not _holds_index(frozenset(names)):
        raise InvalidBundle(f"{path}: holds no {INDEX}; name a collection.")
    tally = Tally(limits, "collection")
    for entry in entries:
        _refuse_bomb(entry, limits)
        tally.take(entry.filename, entry.file_size)
    return dict(zip(relative_names(names, path, INDEX), entries, strict=True))


def _refuse_bomb(entry: zipfile.ZipInfo, limits: ArchiveLimits) -> None:
    """No more is ever read of an entry than it says it holds, so what it says is enough to judge it by."""
    most = min(limits.file_bytes, limits.ratio * max(entry.compress_size, _SMALL))
    if entry.file_size > most:
        raise InvalidBundle(
            f"{entry.filename}: would be {entry.file_size:,} bytes, and {most:,} at most are read; "
            "get the collection again."
        )
