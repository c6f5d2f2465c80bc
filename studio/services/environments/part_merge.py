"""Part merge: what two people made of one version of a part, where they changed different things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

IDENTITIES = ("id", "task_id", "name")
"""What tells the entries of a list apart: tasks, verifiers, facts."""
_GONE = object()
"""Stands for what is not there, which null is."""


class Overlapping(Exception):
    """Both changed one thing; the text says which: "tasks book_visit instruction"."""


def merge(base: Any, mine: Any, theirs: Any, *, path: Sequence[str] = ()) -> Any:
    """What both changed of one document, as plain values.

    Objects are merged by their keys and lists of objects by what tells their entries apart; entries that I
    added come after theirs. Texts are not looked into.

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
        listed = [entries for each in versions if (entries := _by_identity(each)) is not None]
        if len(listed) == len(versions):
            first, second, third = listed
            return list(_merged_objects(first, second, third, path).values())
    raise Overlapping(" ".join(dict.fromkeys(path)))


def _merged_objects(
    base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any], path: Sequence[str]
) -> dict[str, Any]:
    merged = {
        key: merge(base.get(key, _GONE), mine.get(key, _GONE), theirs.get(key, _GONE), path=(*path, str(key)))
        for key in dict.fromkeys((*theirs, *mine, *base))
    }
    return {key: value for key, value in merged.items() if value is not _GONE}


def _by_identity(entries: list[Any]) -> dict[str, Any] | None:
    """The entries by what tells them apart; None where nothing does."""
    for name in IDENTITIES:
        keys = [entry.get(name) if isinstance(entry, Mapping) else None for entry in entries]
        if None not in keys and len({str(key) for key in keys}) == len(keys):
            return dict(zip(map(str, keys), entries, strict=True))
    return None
