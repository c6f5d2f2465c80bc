"""Line merge: what two people made of one text, where they changed different lines."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple


class LineChange(NamedTuple):
    """Lines of the text that both began with, and what one of them put in their place.

    Attributes:
        start: Where they begin, from 0.
        stop: Where they end; equal to `start` for lines that were put in between.
        lines: What is there now.
        place: Where that begins in the changed text, from 0.
    """

    start: int
    stop: int
    lines: tuple[str, ...]
    place: int

    def clashes(self, other: LineChange) -> bool:
        """Whether both cannot be done: they are about the same line, or the order of what is new is open."""
        if (self.start, self.stop, self.lines) == (other.start, other.stop, other.lines):
            return False
        if self.start == self.stop or other.start == other.stop:
            return self.start <= other.stop and other.start <= self.stop
        return self.start < other.stop and other.start < self.stop


class LinesOverlap(Exception):
    """Both changed the same lines differently; the text says which of theirs: "lines 4 and 9"."""


def merge_lines(base: str, mine: str, theirs: str) -> str:
    """The text with the changed lines of both.

    Args:
        base: What both began with.
        mine: What one made of it.
        theirs: What the other made of it, whose lines the error counts.

    Raises:
        LinesOverlap: Both changed the same lines differently.
    """
    result = base.split("\n")
    own, others = _changes(result, mine.split("\n")), _changes(result, theirs.split("\n"))
    clashing = [each for each in others if any(each.clashes(one) for one in own)]
    if clashing:
        raise LinesOverlap(_named(clashing))
    changes = {(each.start, each.stop): each.lines for each in (*own, *others)}
    for (start, stop), lines in sorted(changes.items(), reverse=True):
        result[start:stop] = lines
    return "\n".join(result)


def _changes(before: list[str], after: list[str]) -> list[LineChange]:
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        LineChange(start, stop, tuple(after[first:last]), first)
        for tag, start, stop, first, last in codes
        if tag != "equal"
    ]


def _named(changes: list[LineChange]) -> str:
    spans = [
        f"{each.place + 1} to {each.place + len(each.lines)}" if len(each.lines) > 1 else f"{each.place + 1}"
        for each in changes
    ]
    words = " and ".join([", ".join(spans[:-1]), spans[-1]] if spans[1:] else spans)
    return f"line{'s' if ' ' in words else ''} {words}"
