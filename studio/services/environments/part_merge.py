"""Part merge: what two people made of one version of a part, where they changed different things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studio.services.environments.line_merge import LinesOverlap, merge_lines

IDENTITIES = ("id", "task_id")
"""What tells the entries of a list apart: tasks, rows, verifiers.

A name does not: a solution calls one tool many times, and the order of its calls counts.
"""
_GONE = object()
"""Stands for what is not there, which null is."""


class Overlapping(Exception):
    """Both changed one thing; the text says which: "tasks book_visit instruction"."""


def merge(base: Any, mine: Any, theirs: Any, *, path: Sequence[str] = ()) -> Any:
    """What both changed of one document, as plain values.

    Objects are merged by their keys, lists of objects by what tells their entries apart, and texts of several
    lines by line. Entries that I added come after theirs. Every other list is one value.

    Args:
        base: What both began with.
        mine: What one made of it.
        theirs: What the other made of it.
        path: Where it stands, for the error.

    Raises:
        Overlapping: Both changed the same thing differently.
    """
    if mine in (base, theirs):
        return theirs
    if theirs == base:
        return mine
    versions = (base, mine, theirs)
    if all(isinstance(each, Mapping) for each in versions):
        return _merged_objects(base, mine, theirs, path)
    if all(isinstance(each, list) for each in versions):
        return _merged_lists(base, mine, theirs, path)
    if all(isinstance(each, str) for each in versions) and "\n" in base:
        return _merged_texts(base, mine, theirs, path)
    raise _overlapping(path)


def _merged_objects(
    base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any], path: Sequence[str]
) -> dict[str, Any]:
    merged = {
        key: merge(base.get(key, _GONE), mine.get(key, _GONE), theirs.get(key, _GONE), path=(*path, str(key)))
        for key in dict.fromkeys((*theirs, *mine, *base))
    }
    return {key: value for key, value in merged.items() if value is not _GONE}


def _merged_lists(base: list[Any], mine: list[Any], theirs: list[Any], path: Sequence[str]) -> list[Any]:
    for name in IDENTITIES:
        versions = [_by_identity(each, name) for each in (base, mine, theirs)]
        first, second, third = versions
        if first is None or second is None or third is None:
            continue
        merged = _merged_objects(first, second, third, path)
        return [merged[key] for key in _order(first, second, third, path) if key in merged]
    raise _overlapping(path)


def _order(
    base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any], path: Sequence[str]
) -> list[str]:
    """The keys in the order of who changed it; what only one has comes where the other's ends."""
    before, own, other = (
        [key for key in each if key in base and key in mine and key in theirs]
        for each in (base, mine, theirs)
    )
    if before not in (own, other) and own != other:
        raise _overlapping((*path, "order"))
    first, second = (theirs, mine) if own in (before, other) else (mine, theirs)
    return list(dict.fromkeys((*first, *second)))


def _merged_texts(base: str, mine: str, theirs: str, path: Sequence[str]) -> str:
    try:
        return merge_lines(base, mine, theirs)
    except LinesOverlap as error:
        raise _overlapping((*path, str(error))) from None


def _overlapping(path: Sequence[str]) -> Overlapping:
    return Overlapping(" ".join(dict.fromkeys(path)))


def _by_identity(entries: list[Any], name: str) -> dict[str, Any] | None:
    """The entries by what tells them apart; None where that is missing or several have it."""
    keys = [entry.get(name) if isinstance(entry, Mapping) else None for entry in entries]
    if None in keys or len({str(key) for key in keys}) != len(keys):
        return None
    return dict(zip(map(str, keys), entries, strict=True))
