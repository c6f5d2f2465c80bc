"""Reading: what the author without a model read from a scenario sentence, and what it does not represent."""

from __future__ import annotations

from pydantic import Field

from synthesis.documents.document import Document

LEAST_FIDELITY = 0.8
"""Share of a sentence's content words that a world must represent, unless a setting says otherwise."""


class ReadProcess(Document):
    """Something the business does."""

    verb: str
    """Its verb in the base form, with a particle where it has one: "check in"."""
    pattern: str
    """The process pattern the verb calls for."""
    objects: tuple[str, ...] = ()
    """What it is done to, in the singular."""
    others: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By preposition or conjunction: what else belongs to it, in the singular."""
    agent: str = ""
    """Who does it, where that is not the business."""


class ScenarioReading(Document):
    """What was read from the sentence of a scenario."""

    business: str
    """What the business is called in the sentence, in the singular: "ferry line"."""
    processes: tuple[ReadProcess, ...]
    nouns: dict[str, str]
    """Every noun that was read to its kind: party, staff, place, thing, stock, event, record, money, time."""
    homes: dict[str, str]
    """Every content word to what represents it: "table yachts", "tool store_yacht", "title" ..."""
    unread: tuple[str, ...] = ()
    """Content words that nothing represents."""
    names: tuple[str, ...] = ()
    """Proper names, of brands or people, which a world never uses: all its names are invented."""

    unkept: tuple[str, ...] = ()
    """Rules that the sentence states and the world does not have, in the sentence's words."""

    miscounted: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """How many the sentence says there are of something that the world has another number of."""

    statements: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """What the sentence says besides, in its words, which no record of the world keeps."""

    @property
    def fidelity(self) -> float:
        """Share of the sentence's content words that are represented, from 0 to 1."""
        count = len(self.homes) + len(self.unread)
        return len(self.homes) / count if count else 0.0

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of the sentence the world does not show: words without a home, rules, details,
        numbers, then proper names."""
        rules = (f"{rule} (a rule)" for rule in self.unkept)
        numbers = (f"{number} (a number)" for number in self.miscounted)
        statements = (f"{statement} (a detail)" for statement in self.statements)
        return (*self.unread, *rules, *statements, *numbers, *(f"{name} (a name)" for name in self.names))

    @property
    def summary(self) -> str:
        """What was read, in a sentence or two for people."""
        parts = [
            f"{process.verb} {', '.join(process.objects)}".strip() + f" ({process.pattern})"
            for process in self.processes
        ]
        done = "; ".join(parts) or "nothing it does"
        rules = ", not all of its rules" if self.unkept else ""
        return f"Read: {self.business}: {done}. {self.fidelity:.0%} of the words are represented{rules}."
