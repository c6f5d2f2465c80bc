"""Grounded numbers: plain numbers of an answer that are said to be of a column, "a pitch of 438"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.counts import is_amount
from synthesis.reading.phrases import NEGATIONS
from synthesis.reading.shown_row import Cell, noun_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts, tells_a_rule
from synthesis.reading.words import key, word_set
from synthesis.reading.written_rows import WrittenRows

_BETWEEN = word_set("of is was had been stood to at now = : as a an the measured")
_MOST_BETWEEN = 3
_NOT_ITS_VALUE = word_set(
    "total sum together altogether all more less fewer above below over under difference left remaining "
    "remain remains instead than from between about around roughly per each both if would could should"
)
_DOING = word_set("i we now entered recorded set changed updated added booked")
"""Words of a clause that tells what was just done."""
_NO_NUMBERS = ("id", "cents", "on", "at", "date", "phone", "year")
"""Last words of columns whose values are read as something else."""
_SHORTEST_NOUN, _SIZE = 4, "_size"
_PLACING = frozenset(("at",))
"""Of the words that rules have, one that stands before a place: "at position 3"."""


class GroundedNumbers:
    """Plain numbers that an answer may tell of a column.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        written: Those of them that calls wrote.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts, written: WrittenRows) -> None:
        self._shown, self._texts, self._written = shown, texts, written
        self._by_noun: dict[str, frozenset[Cell]] = {}

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The numbers of a clause that no row has in the column named before them, in words."""
        if clause.texts & (NEGATIONS | _NOT_ITS_VALUE):
            return
        is_deed = bool(clause.sentence_texts & _DOING)
        is_rule = tells_a_rule(clause.sentence_texts - _PLACING)
        for at in clause.valued:
            token = clause.document.tokens[at]
            numbers = token.values.get("number")
            if not numbers or is_amount(token) or "date" in token.values or ":" in token.text:
                continue
            noun = self._noun_before(clause, at)
            if not noun:
                continue  # nearly always, and rows are read only for an answer that needs them
            known = (is_deed and self._written_of(noun)) or self._shown_of(noun)
            if known and not numbers & (known | self._texts.values("number", rules=is_rule)):
                yield f"the {noun} {token.text}"

    @staticmethod
    def _noun_before(clause: AnswerClause, at: int) -> str:
        """The key of the noun right before a number, small words left out: "pitch is now 438"."""
        for place in range(at - 1, max(clause.chunk.first, at - 1 - _MOST_BETWEEN) - 1, -1):
            token = clause.document.tokens[place]
            if token.text not in _BETWEEN:
                return token.key if token.kind == "word" else ""
        return ""

    def _shown_of(self, noun: str) -> frozenset[Cell]:
        """The numbers of the columns of a noun, and the keys of the rows that are called so."""
        if noun not in self._by_noun:
            columns = {
                column
                for column in self._shown.columns
                if _only_noun(column) == noun
                or (column.endswith(_SIZE) and key(column.removesuffix(_SIZE)) == noun)
            }
            numbers = _numbers_in(self._shown.cells(self._shown.rows) if columns else (), columns)
            if numbers:  # "order 803" is the row of that key
                kinds = {kind for kind, _ in self._shown.rows if noun_of(kind) == noun}
                numbers |= {number for kind, number in self._shown.rows if kind in kinds}
            self._by_noun[noun] = numbers
        return self._by_noun[noun]

    def _written_of(self, noun: str) -> frozenset[Cell]:
        """The numbers that calls wrote into the columns of a noun."""
        cells = [(c, v) for c, v in self._written.cells(self._written.idents) if _only_noun(c) == noun]
        return _numbers_in(cells, {column for column, _ in cells})


def _numbers_in(cells: Iterable[tuple[str, Any]], columns: Collection[str]) -> frozenset[Cell]:
    return frozenset(value for column, value in cells if column in columns and type(value) in (int, float))


@lru_cache(maxsize=4_096)
def _only_noun(column: str) -> str:
    """The key of the only noun in a column's name; "" where it has none or several, or holds no numbers."""
    nouns = [word for word in column.split("_") if len(word) >= _SHORTEST_NOUN]
    return key(nouns[0]) if len(nouns) == 1 and column.rpartition("_")[2] not in _NO_NUMBERS else ""
