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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from synthesis.bundles import reading
from synthesis.bundles.archive import ANCHOR, ArchiveLimits
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
    lines: dict[str, bytes] = {}
    for entry in index["environments"]:
        rows = (_line(entry, task) for task in tasks[entry["name"]])
        path = f"data/{entry['split']}.jsonl"
        lines[path] = lines.get(path, b"") + b"".join(orjson.dumps(row) + b"\n" for row in rows)
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
    with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        return _top(archive.namelist()) is not None
    return False


def _top(names: Sequence[str]) -> str | None:
    """What the paths of a collection in an archive begin with: "" or one folder; None where it has none."""
    tops = [
        name.removesuffix(INDEX) for name in names if name in (INDEX, f"{name.partition('/')[0]}/{INDEX}")
    ]
    return min(tops, key=len, default=None)


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
            elif self._copied(name, None) != sha256:
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
        with path.open("wb") as copy:
            sha256 = self._copied(entry.archive, copy)
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
        with self._opened(name) as source:
            content = source.read(_INDEX_BYTES + 1)
        if len(content) > _INDEX_BYTES:
            raise InvalidBundle(f"{name}: is larger than {_INDEX_BYTES:,} bytes.")
        return content

    def _copied(self, name: str, target: IO[bytes] | None) -> str:
        """The SHA-256 of a file, which is copied a piece at a time where a target is given."""
        sha256 = hashlib.sha256()
        with self._opened(name) as source:
            while piece := source.read(_PIECE):
                sha256.update(piece)
                if target is not None:
                    target.write(piece)
        return sha256.hexdigest()

    def _opened(self, name: str) -> IO[bytes]:
        file = self._files[name]
        if isinstance(file, Path):
            return file.open("rb")
        assert self._archive is not None
        return self._archive.open(file)


@contextmanager
def open_collection(path: Path) -> Iterator[OpenCollection]:
    """Read a collection, a folder or a zip; none of its names is ever written to.

    Raises:
        InvalidBundle: It is damaged, or its index is none.
    """
    if path.is_dir():
        names = {each.relative_to(path).as_posix(): each for each in sorted(path.rglob("*")) if _plain(each)}
        yield OpenCollection(names, None)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            prefix = _top([entry.filename for entry in entries])
            if prefix is None:
                raise InvalidBundle(f"{path}: holds no {INDEX}; name a collection.")
            for entry in entries:
                _refuse_bomb(entry)
            yield OpenCollection({each.filename.removeprefix(prefix): each for each in entries}, archive)
    except zipfile.BadZipFile as error:
        raise InvalidBundle(f"{path}: is damaged ({error}); get it again.") from error


def _refuse_bomb(entry: zipfile.ZipInfo) -> None:
    """No more is ever read of an entry than it says it holds, so what it says is enough to judge it by."""
    limits = ArchiveLimits()
    most = min(limits.total_bytes, limits.ratio * max(entry.compress_size, _SMALL))
    if entry.file_size > most:
        raise InvalidBundle(
            f"{entry.filename}: would be {entry.file_size:,} bytes, and {most:,} at most are read; "
            "get the collection again."
        )


def _plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and not path.name.startswith(".")
