"""ReportedAct: one act that a text tells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReportedAct:
    """One act that a text claims, denies or declines."""

    denied: bool
    verb: str
    """Key of the verb; "" for an act in general ("done", "nothing was changed")."""
    at: int
    about: frozenset[str]
    """Keys of the words around it."""
    subject: bool = False
    """Whether the speaker is its subject in words: "I cancelled", not "Cancelled"."""
    own: bool = False
    """Whether the speaker claims it ("I cancelled")."""
    state: bool = False
    """Whether it may be how things stood before ("is already cancelled")."""
    vague: bool = False
    """Whether its object is the request itself: "this", "it", "anything"."""
    limited: bool = False
    """Whether it is about something else than what was asked ("nothing else")."""
