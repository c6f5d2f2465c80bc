"""Invariants: what must hold in the database before and after every call."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from synthesis.documents.document import Document, Identifier


class DeclaredInvariant(Document):
    """One function of invariants.py."""

    name: Identifier
    sentence: str = Field(min_length=1)
    """The first line of its docstring: what must hold."""


class Invariants(Document):
    """The source of all invariants. Made by `synthesis.worlds.invariants.read_invariants`."""

    source: str = Field(min_length=1, max_length=100_000)
    """The whole of invariants.py."""
    declared: tuple[DeclaredInvariant, ...] = ()
    """What the source declares, in source order; derived, so not part of the fingerprint."""

    def content(self) -> Any:
        """The source alone: the rest follows from it."""
        return self.source


class BrokenInvariant(Document):
    """An invariant that does not hold in some state."""

    name: str
    sentence: str = ""
    error: str = ""
    """What its function raised or returned instead of True or False; "" where it returned False."""
