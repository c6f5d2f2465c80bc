"""Grounded possessions: what an answer says that somebody has, of a kind of which no result shows them any.

"It was skipped because Yarrow Cafe has unpaid charges" needs a charge of that cafe among what the calls
showed, "it is Ada Lund's second rental" two of her rentals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import combinations

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.rule_numbers import day_of
from synthesis.reading.shown_row import Ident
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows

_HAVING = word_set("has have had with owes owed")
_UNREAL = NEGATIONS | CONDITIONS | word_set("would could should might may can will must no without until")
_OPEN = word_set(
    "a an the another other some more any his her its their unpaid overdue outstanding late already"
)
_PAID, _MEANWHILE = word_set("paid settled"), word_set("since meanwhile already now")
_APART, _THREE = word_set("above over below under more less"), 3
_DAYS, _MOST_DAYS = word_set("day days"), 6
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_PRONOUNS = word_set("he she they it")
_BETWEEN, _LONGEST = 4, 3


def _days_of(values: Iterable[object]) -> list[date]:
    """The days among the values of a column, as it had them one after another."""
    return [day for value in values if isinstance(value, str) and (day := day_of(value))][:_MOST_DAYS]


def _is_another_difference(clause: AnswerClause) -> bool:
    """Whether two amounts of a clause are told to be apart by a third that they are not apart by: "245.00 is
    105.00 above the limit of 130.00"."""
    amounts = [
        (at, cents)
        for at, word in enumerate(clause.words)
        if is_amount(word)
        for cents in word.values.get("money_cents", ())
        if isinstance(cents, int)
    ]
    if len(amounts) != _THREE:
        return False
    (_, one), (at, step), (_, other) = amounts
    follows = clause.words[at + 1 : at + 2]
    return bool(follows) and follows[0].text in _APART and abs(one - other) != step


class GroundedPossessions:
    """What an answer may say that somebody has.

    Args:
        shown: The rows that results show.
        world: The world's rows, for what its tables are called.
        texts: What the agent was told.
    """

    def __init__(self, shown: ShownRows, world: WorldRows, texts: TaskTexts) -> None:
        self._shown, self._world, self._texts = shown, world, texts

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says that somebody has which nothing shows, in words."""
        if clause.texts & _UNREAL:
            return
        if self._has_paid(clause):
            yield "that somebody has paid"
        if self._is_another_step(clause):
            yield "by how many days it was moved"
        if _is_another_difference(clause):
            yield "how far from the limit it is"
        for place, word in enumerate(clause.words):
            if word.text in _HAVING and (noun := self._noun_behind(clause, place)):
                owners = self._others_than(noun, self._owners(clause, place))
                if owners and not self._number(owners, noun):
                    yield f"that somebody has such {' '.join(noun)}"
            is_owned = bool(place) and clause.words[place - 1].text == "'s"
            if (
                is_owned
                and (number := _ORDINALS.get(word.text, 0))
                and (noun := self._noun_at(clause, place + 1))
            ):
                owners = self._others_than(noun, clause.sentence_rows)
                if len(owners) == 1 and 0 < self._number(owners, noun) < number:
                    yield f"that it is number {number} of somebody"

    def _has_paid(self, clause: AnswerClause) -> bool:
        """Whether somebody is told to have paid in the meantime, where nothing shows any payment."""
        if clause.texts.isdisjoint(_PAID):
            return False
        texts = [word.text for word in clause.sentence_words]
        at = next((place for place, text in enumerate(texts) if text in _PAID), -1)
        before = texts[max(0, at - _BETWEEN) : at] if at > 0 else []
        if not _MEANWHILE.intersection(before) or not _HAVING.intersection(before):
            return False
        rows = self._shown.around(clause.subject | clause.default)
        cells = self._shown.cells(rows)
        return not any(column.startswith("paid") or value in _PAID for column, value in cells)

    def _is_another_step(self, clause: AnswerClause) -> bool:
        """Whether a day is told to have been moved by another number of days than it was: "by three days"."""
        texts = [word.text for word in clause.words]
        at = next((place for place in range(1, len(texts)) if texts[place] in _DAYS), 0)
        if not at or texts[at - 2 : at - 1] != ["by"]:
            return False
        stated = {n for n in clause.words[at - 1].values.get("number", ()) if isinstance(n, int)}
        steps = {
            abs((one - other).days)
            for ident in self._shown.around(clause.subject | clause.default)
            for values in (self._shown.rows[ident].cells.values() if ident in self._shown.rows else ())
            for one, other in combinations(_days_of(values), 2)
        }
        return bool(stated) and bool(steps) and steps.isdisjoint(stated)

    def _noun_behind(self, clause: AnswerClause, place: int) -> tuple[str, ...]:
        """What a table is called that stands behind "has", with no other noun between; empty without one."""
        for at in range(place + 1, min(place + 1 + _BETWEEN, len(clause.words))):
            if noun := self._noun_at(clause, at):
                is_given = all(token.text in self._texts.words for token in clause.words[at : at + len(noun)])
                return () if is_given else noun
            states = {phrase for phrase, *_ in clause.states}
            text = clause.words[at].text
            if text not in _OPEN and not any(text in phrase for phrase in states):
                return ()
        return ()

    def _noun_at(self, clause: AnswerClause, at: int) -> tuple[str, ...]:
        """What a table is called that begins at a place, the longest first."""
        words = tuple(token.key for token in clause.words[at : at + _LONGEST])
        whole = next((words[:n] for n in range(len(words), 0, -1) if words[:n] in self._world.nouns), ())
        return whole or (words[:1] if words[:1] and words[0] in self._last_words else ())

    @cached_property
    def _last_words(self) -> dict[str, str]:
        """The tables by the last word of what they are called, where no other table has it."""
        tables: dict[str, set[str]] = {}
        for noun, table in self._world.nouns.items():
            tables.setdefault(noun[-1], set()).add(table)
        return {word: each.pop() for word, each in tables.items() if len(each) == 1}

    def _table(self, noun: tuple[str, ...]) -> str:
        return self._world.nouns.get(noun) or self._last_words[noun[-1]]

    def _owners(self, clause: AnswerClause, place: int) -> frozenset[Ident]:
        """Whom a clause says to have something: the one that is named last before "has", or that a pronoun
        stands for."""
        at = clause.chunk.first + place
        named = [each for each in clause.named if each.last <= at]
        if named:
            return named[-1].rows
        first = clause.words[: place + 1]
        is_pronoun = any(word.text in _PRONOUNS for word in first)
        return clause.sentence_rows if is_pronoun else frozenset()

    def _others_than(self, noun: tuple[str, ...], rows: frozenset[Ident]) -> frozenset[Ident]:
        """Those of some rows that are not themselves of what is had."""
        return frozenset(row for row in rows if self._world.table_of(row[0]) != self._table(noun))

    def _number(self, owners: frozenset[Ident], noun: tuple[str, ...]) -> int:
        """How many rows of what is called so were shown that refer to some owners."""
        table = self._table(noun)
        return sum(
            self._world.table_of(ident[0]) == table and not owners.isdisjoint(row.refers)
            for ident, row in self._shown.rows.items()
        )
