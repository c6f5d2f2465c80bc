"""Grounded cells: values that an answer tells with the name of their column, held against a row's.

"His tier is patron" and "a driver" behind a name tell what a column of that row has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.document import Phrase
from synthesis.reading.phrases import CONDITIONS, EARLIER, NEGATIONS
from synthesis.reading.shown_row import Ident, Named
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import atoms, key, word_set
from synthesis.reading.world_rows import WorldRows

_UNREAL = (
    NEGATIONS
    | CONDITIONS
    | EARLIER - {"still", "currently"}
    | word_set(
        "would could should might may must needs need requires than rather instead only any every no was were"
    )
)
_BETWEEN = word_set("is : = - of the a an now on in being as")
_OWNERS = word_set("his her its their 's")
_ARTICLES = frozenset(("a", "an", "the"))
_TOWNS = frozenset(("city", "town", "place", "village", "district"))
_ROLE, _STATUS = "role", "status"
_BEING, _NO_VALUES = (
    word_set("is : ="),
    word_set("the a an to that what of in still now also just only currently not no"),
)
_STATE = re.compile(r"[a-z][a-z_]{1,30}")
_NEAR = 3


class GroundedCells:
    """Values of named columns that an answer may tell.

    Args:
        shown: The rows that results show.
        world: The world's rows, for its columns of states.
    """

    def __init__(self, shown: ShownRows, world: WorldRows) -> None:
        self._shown, self._world = shown, world

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The values of a clause that the row which it speaks of has not in the column it names, in words."""
        if clause.texts & _UNREAL:
            return
        yield from self._in_other_words(clause)
        for each in clause.named:
            if town := self._another_town(clause, each):
                yield f"that it is in {town}"
        for phrase, first, _ in clause.states:
            for column in self._named_columns(clause, phrase, first):
                rows = clause.nearest(first) or clause.subject
                if self._has_another(rows, phrase, column):
                    yield f"that its {column.replace('_', ' ')} is {' '.join(phrase)}"
            if self._is_apposition(clause, first) and self._has_another(
                self._before(clause, first), phrase, _ROLE
            ):
                yield f"that somebody is a {' '.join(phrase)}"

    def _in_other_words(self, clause: AnswerClause) -> Iterator[str]:
        """The value of a column of states that is told with its owner and that no row has: "her tier is"."""
        words = clause.words
        for owner, name, being, value in zip(words, words[1:], words[2:], words[3:], strict=False):
            is_stated = owner.text in _OWNERS and being.text in _BEING and value.kind == "word"
            if not is_stated or value.capital or value.text in _NO_VALUES:
                continue
            known = {
                word
                for column, cell in self._shown.cells(clause.subject)
                if key(column) == name.key and isinstance(cell, str) and _STATE.fullmatch(cell)
                for word in cell.split("_")
            }
            if known and value.text not in known and name.key != key(_STATUS):
                yield f"that its {name.text} is {value.text}"

    def _another_town(self, clause: AnswerClause, each: Named) -> str:
        """The town from which a name is told to be, and is not: "Ada Lund from Millhaven"; "" without."""
        tokens = clause.document.tokens
        words = tokens[each.last : each.last + 2]
        if len(words) < 2 or words[0].text != "from" or not words[1].capital or words[1].kind != "word":
            return ""
        known = {
            word
            for column, value in self._shown.cells(self._shown.alone(each))
            if column in _TOWNS and isinstance(value, str)
            for word in atoms(value)
        }
        return words[1].text if known and words[1].text not in known else ""

    def _named_columns(self, clause: AnswerClause, phrase: Phrase, first: int) -> list[str]:
        """The columns of a state whose name stands before it, with its owner: "her tier is gold"."""
        tokens = clause.document.tokens
        place = first - 1
        while place >= clause.chunk.first and first - place <= _NEAR and tokens[place].text in _BETWEEN:
            place -= 1
        owner = tokens[place - 1].text if place > clause.chunk.first else ""
        if place < clause.chunk.first or (owner and owner not in _OWNERS):
            return []
        beside = {tokens[place].key}
        columns = dict.fromkeys(column for _, column in self._world.states[phrase])
        return [column for column in columns if column != _STATUS and key(column) in beside]

    def _is_apposition(self, clause: AnswerClause, first: int) -> bool:
        """Whether a clause is only what somebody is, behind a name: "Ada Lund, a driver"."""
        tokens, begins = clause.document.tokens, clause.chunk.first
        is_behind = clause.chunk.begins_with in (",", "(") and begins == first - 1
        return is_behind and tokens[begins].text in _ARTICLES and begins > 0

    def _before(self, clause: AnswerClause, first: int) -> frozenset[Ident]:
        """The rows of the name that ends right before a clause."""
        ends = clause.chunk.first - 1
        named = [each for each in self._shown.names_in(clause.document) if each.last in (ends, ends + 1)]
        return self._shown.alone(named[-1]) if named and named[-1].last <= first else frozenset()

    def _has_another(self, rows: frozenset[Ident], phrase: Phrase, column: str) -> bool:
        """Whether every one of some rows that has a column has another value in it than a state's."""
        known = [
            value in self._shown.rows[row].cells[column]
            for row in rows
            for (table, name), value in self._world.states[phrase].items()
            if name == column
            and table == self._world.table_of(row[0])
            and row in self._shown.rows
            and column in self._shown.rows[row].cells
        ]
        return bool(known) and not any(known)
