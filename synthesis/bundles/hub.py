"""Hub: what of a file or folder is uploaded as a dataset repository, looked at before anything is sent.

A dry run is the default of `worldwright push`. Hidden files and what looks like a private key or a token are
never sent.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from synthesis.bundles.archive import ANCHOR
from synthesis.bundles.open import open_bundle
from synthesis.documents.document import Document
from synthesis.errors import HubRefused, InvalidInput

CARD = "README.md"
_MOST_FILES = 20_000
_PIECE = 2**20
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_SECRETS = re.compile(
    rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"
    rb"|\bhf_[A-Za-z0-9]{30,}\b|\bsk-[A-Za-z0-9_-]{20,}|\bww_[A-Za-z0-9_-]{30,}"
)
_OVERLAP = 128
"""Bytes of the piece before, so that a secret across two pieces is seen."""


class HubFile(Document):
    """One file as it would be in the repository."""

    path: str
    bytes: int
    sha256: str


class PushPlan(Document):
    """What would be sent, and where to."""

    repository: str
    private: bool
    branch: str
    files: tuple[HubFile, ...]
    remarks: tuple[str, ...] = ()
    """What the person who sends should know."""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.bytes for file in self.files)


class Hub(Protocol):
    """What is asked of `huggingface_hub.HfApi`."""

    def create_repo(self, repo_id: str, *, repo_type: str, private: bool, exist_ok: bool) -> Any:
        """Make the repository unless it exists."""

    def create_branch(self, repo_id: str, *, branch: str, repo_type: str, exist_ok: bool) -> Any:
        """Make the branch unless it exists."""

    def upload_file(
        self,
        *,
        path_or_fileobj: str,
        path_in_repo: str,
        repo_id: str,
        repo_type: str,
        revision: str,
        commit_message: str,
    ) -> Any:
        """Send one file as one commit."""

    def upload_folder(
        self,
        *,
        folder_path: str,
        repo_id: str,
        repo_type: str,
        revision: str,
        commit_message: str,
        allow_patterns: list[str],
    ) -> Any:
        """Send files of a folder as one commit."""


def plan(path: Path, repository: str, *, private: bool = True, branch: str = "main") -> PushPlan:
    """What a push would send; nothing is sent.

    Args:
        path: A bundle, an archive, or a folder that `worldwright export` or the studio wrote.
        repository: OWNER/NAME.
        private: Whether only its owners may see a repository that is made.
        branch: Where the commit goes.

    Raises:
        InvalidBundle: It is a bundle and not whole.
        InvalidInput: There is nothing at the path, something in it must not be sent, or the name is no name.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise InvalidInput(f"{repository!r} is not the name of a repository: give OWNER/NAME.")
    files = tuple(_file(path, each) for each in _files(path))
    remarks = list(_remarks(path, {file.path for file in files}))
    if not private:
        remarks.append("Everybody will be able to read it.")
    return PushPlan(
        repository=repository, private=private, branch=branch, files=files, remarks=tuple(remarks)
    )


def push(path: Path, plan: PushPlan, hub: Hub, *, message: str) -> str:
    """Send what was planned; the address of the commit, as the hub tells it.

    Raises:
        InvalidInput: What lies at the path is no longer what was planned.
        HubRefused: The hub refused or does not answer.
    """
    if tuple(_file(path, each) for each in _files(path)) != plan.files:
        raise InvalidInput(f"{path}: has changed since it was looked at; push again.")
    given = {"repo_id": plan.repository, "repo_type": "dataset"}
    commit = {**given, "revision": plan.branch, "commit_message": message}
    try:
        hub.create_repo(plan.repository, repo_type="dataset", private=plan.private, exist_ok=True)
        if plan.branch != "main":
            hub.create_branch(plan.repository, branch=plan.branch, repo_type="dataset", exist_ok=True)
        if path.is_dir():
            names = [_literally(file.path) for file in plan.files]
            return str(hub.upload_folder(folder_path=str(path), allow_patterns=names, **commit))
        return str(hub.upload_file(path_or_fileobj=str(path), path_in_repo=path.name, **commit))
    except (OSError, ValueError) as error:  # huggingface_hub's errors are of these kinds
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise HubRefused(f"The hub did not take it: {reason}{_remedy(error)}") from error


def _remedy(error: Exception) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return " Set HF_TOKEN to a token that may write there, or sign in with `hf auth login`."
    return " Nothing is lost: push again when it answers." if status is None or status >= 500 else ""


def _files(path: Path) -> Iterator[Path]:
    """The files that would be sent; hidden ones stay."""
    if path.is_file() and not path.is_symlink():
        yield path
        return
    if not path.is_dir():
        raise InvalidInput(f"{path}: there is no such file or folder.")
    count = 0
    for each in sorted(path.rglob("*")):
        hidden = any(part.startswith((".", "__pycache__")) for part in each.relative_to(path).parts)
        if hidden or each.is_dir():
            continue
        if each.is_symlink() or not each.is_file():
            raise InvalidInput(f"{each}: is a link or no plain file; copy what is meant into the folder.")
        count += 1
        if count > _MOST_FILES:
            raise InvalidInput(f"{path}: has more than {_MOST_FILES:,} files; export an archive instead.")
        yield each
    if not count:
        raise InvalidInput(f"{path}: the folder has no files to send.")


def _file(root: Path, path: Path) -> HubFile:
    digest, size, before = hashlib.sha256(), 0, b""
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            if _SECRETS.search(before + piece):
                raise InvalidInput(
                    f"{path}: contains a private key or a token; it is not sent. Remove it first."
                )
            digest.update(piece)
            size += len(piece)
            before = piece[-_OVERLAP:]
    name = path.name if path == root else path.relative_to(root).as_posix()
    return HubFile(path=name, bytes=size, sha256=digest.hexdigest())


def _remarks(path: Path, names: set[str]) -> Iterator[str]:
    if ANCHOR in names or (path.is_file() and path.suffix.lower() == ".zip" and _is_bundle(path)):
        bundle = open_bundle(path)
        if not any(review.decision == "approve" for review in bundle.reviews):
            yield "No review in this bundle approves the environment."
    if path.is_dir() and CARD not in names:
        yield f"Without {CARD} the hub shows no card and guesses the columns; exported data has one."


def _is_bundle(path: Path) -> bool:
    """Whether an archive holds one environment, rather than a collection of them."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(
                name.count("/") <= 1 and name.rpartition("/")[2] == ANCHOR for name in archive.namelist()
            )
    except zipfile.BadZipFile as error:
        raise InvalidInput(f"{path}: is not a zip archive; get it again.") from error


def _literally(name: str) -> str:
    """A name as a pattern that matches it alone."""
    return re.sub(r"([*?[])", r"[\1]", name)
