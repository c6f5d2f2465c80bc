"""Grounded possessions: what an answer says that somebody has, of a kind of which no result shows them any.

"It was skipped because Yarrow Cafe has unpaid charges" needs a charge of that cafe among what the calls
showed, "it is Ada Lund's second rental" two of her rentals.
"""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
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
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_PRONOUNS = word_set("he she they it")
_BETWEEN, _LONGEST = 4, 3


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
