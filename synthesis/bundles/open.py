"""Open: a bundle from a path, for people and trainers who hold one."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from synthesis.bundles.native import NativeCodec
from synthesis.documents.bundle import Bundle


def open_bundle(path: str | PathLike[str]) -> Bundle:
    """Open a native bundle, a folder or a zip.

    Raises:
        InvalidBundle: It cannot be opened; the text names the file and the remedy.
        SandboxUnavailable: This host lacks a layer of the sandbox in which tools.py is read.
    """
    return NativeCodec().read(Path(path))
