"""Dated rows: which row an answer speaks of by the day on which it is the first that is due or ends."""

from __future__ import annotations

from synthesis.reading.document import ParsedText
from synthesis.reading.grounded_values import is_any_day
from synthesis.reading.shown_row import Ident
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.structure import Chunk
from synthesis.reading.words import word_set

_FIRST = word_set("first earliest oldest soonest next")
_ENDING, _DAY, _MOST_WORDS = ("due", "end"), 10, 80


def first_by_day(shown: ShownRows, document: ParsedText, chunk: Chunk) -> frozenset[Ident]:
    """The one row that is due or ends on the day of which a clause says that it is the first; none where
    several are.

    Args:
        shown: The rows that results show.
        document: The answer.
        chunk: The clause.
    """
    words = document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]
    days = {str(day) for word in words for day in word.values.get("date", ())}
    if not days or not any(word.text in _FIRST for word in words):
        return frozenset()
    rows = frozenset(
        ident
        for listed in shown.lists
        for ident in listed.idents
        if any(
            column.startswith(_ENDING) and isinstance(value, str) and is_any_day(days, value[:_DAY])
            for column, value in shown.cells((ident,))
        )
    )
    return rows if len(rows) == 1 else frozenset()
