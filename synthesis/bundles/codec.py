"""Codec: what every bundle format can do."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from synthesis.documents.bundle import Bundle


class Codec(Protocol):
    """One format. `write` then `read` gives equal fingerprints, or exactly the loss that is declared."""

    @property
    def name(self) -> str:
        """The name by which it is asked for, for example "native"."""
        ...

    @property
    def title(self) -> str:
        """What people call it, and who reads it."""
        ...

    @property
    def loss(self) -> tuple[str, ...]:
        """What does not survive a round trip, as sentences; empty for a lossless format."""
        ...

    @property
    def reads(self) -> bool:
        """Whether `read` can make a bundle again; False for formats that only leave the house."""
        ...

    @property
    def suffix(self) -> str:
        """How the name of a single file of it ends: ".zip" for formats of several files, ".jsonl"."""
        ...

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write the bundle; nothing half-written is ever seen at `path`.

        Returns:
            The file or folder that was written.

        Raises:
            InvalidInput: The path cannot be written, or this bundle cannot be said in this format.
        """
        ...

    def read(self, path: Path) -> Bundle:
        """Read what `write` wrote.

        Raises:
            InvalidBundle: It is not such a bundle; the text names the file and the remedy.
            InvalidInput: This format cannot be read back.
        """
        ...
