"""Table sizes: as many rows as the sentence says there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from synthesis.procedural.business.model import BusinessTable
from synthesis.procedural.sentence.head_counts import HeadCount

_MOST_ROWS = 88
"""Rows of a table that a sentence can ask for: more tell a reader nothing, and each has a name."""
_MOST_PARTIES = 80
"""Those who are served for whom there are names."""
_FEWEST = {"place": 2, "subject": 5}
"""By role of a table: how few rows leave room for all tasks; of others, those it has without a sentence."""
_FEWEST_PEOPLE = 3
"""How few of those who see people leave room for all tasks."""
PEOPLE = "people"
"""What the subjects of a process are that is in their day, instead of a shape."""
_GROWING = frozenset(("hold", "slot", PEOPLE))
"""Shapes of processes whose subjects can be as many as the sentence says."""


def grow(
    tables: Iterable[BusinessTable], counts: Sequence[HeadCount], shapes: Mapping[str, str]
) -> list[HeadCount]:
    """Give tables as many rows as the sentence says there are, where they have no fewer without it.

    Args:
        tables: The tables of a business.
        counts: What the sentence counts.
        shapes: By name of a subject's table: the shape of its process.

    Returns:
        What has a table of another number of rows, which is to be reported.
    """
    left, known = [], list(tables)
    for count in counts:
        table = next((each for each in known if each.noun == count.noun), None)
        if table is None or table.rows == count.number:
            continue
        grows = table.role in ("party", "place") or shapes.get(table.name) in _GROWING
        people = shapes.get(table.name) == PEOPLE
        fewest = _FEWEST_PEOPLE if people else _FEWEST.get(table.role, table.rows)
        most = _MOST_PARTIES if table.role == "party" else _MOST_ROWS
        if grows and fewest <= count.number <= most:
            table.rows = count.number
        else:
            left.append(count)
    return left
