"""Grounded siblings: what an answer says of one of two like rows, of which calls wrote just one.

Where two payments, two loans or two orders were listed together and one of them was voided, cancelled or
taken back, its day and its kind are told of it, and those of the other one of the other one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from synthesis.reading.answer_clauses import MOST_WORDS, AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.effects import Deed
from synthesis.reading.grounded_values import is_any_day
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.rule_numbers import day_of
from synthesis.reading.shown_row import Ident, noun_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows
from synthesis.reading.written_rows import WrittenRows

_UNREAL = NEGATIONS | CONDITIONS | word_set("would could should might may instead both all each")
_OTHER = word_set("other kept keeps stands stand counts valid standing")
_EARLY, _LATE = word_set("earlier first older earliest"), word_set("later second newer latest")
_OF_A_ROW = word_set("of from dated on paid made received")
_DAYS, _RELATIVE, _PAIR = word_set("day days"), word_set("after before"), 2
_OF_TWO_WORDS = word_set("one of the two both them . ;")
_METHOD, _MEANS = "method", word_set("cash card cheque transfer")
_CHANGING = frozenset(("status",))
_MOST_ALIKE, _DAY = 6, 10


class Siblings(NamedTuple):
    """A row that calls wrote, and those that were listed with it."""

    own: Ident
    others: tuple[Ident, ...]


class GroundedSiblings:
    """What an answer may tell of one of several like rows.

    Args:
        shown: The rows that results show.
        written: Those of them that calls wrote.
        world: The world's rows, for its columns of states.
        deeds: What the world's writing tools do, and how often each was called.
    """

    def __init__(
        self, shown: ShownRows, written: WrittenRows, world: WorldRows, deeds: Sequence[Deed]
    ) -> None:
        self._shown, self._written, self._world, self._deeds = shown, written, world, deeds

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause tells of one of the rows that is so of another one of them, in words."""
        if not self._written or clause.texts & _UNREAL or self._siblings is None:
            return
        apart = self._is_farther_apart(clause, self._siblings)
        if apart or self._is_called_the_other(clause, self._siblings):
            yield "how far they are apart" if apart else "which of two it is"
        yield from self._of_rows(clause, self._siblings)

    def _of_rows(self, clause: AnswerClause, siblings: Siblings) -> Iterator[str]:
        """What a clause tells of the rows that it means which they have not."""
        rows = self._meant(clause, siblings)
        for at in clause.valued if rows else ():
            days = clause.document.tokens[at].values.get("date")
            if days and self._is_of_a_row(clause, at) and self._has_another_day(days, rows, siblings):
                yield f"the day {clause.document.tokens[at].text} of it"
            elif is_amount(clause.document.tokens[at]) and self._has_another_amount(clause, at, rows):
                yield f"the amount {clause.document.tokens[at].text} of it"
        if rows and (means := self._is_by_other_means(clause, rows)):
            yield f"that it is {means}"
        for phrase, _, _ in clause.states if rows else ():
            if self._is_in_another_state(phrase, rows):
                yield f"that it is {' '.join(phrase)}"

    @cached_property
    def _siblings(self) -> Siblings | None:
        """The only row that was written of a list of like ones; None where there are several such lists."""
        matches = {
            Siblings(next(iter(written)), tuple(row for row in listed.idents if row not in written))
            for listed in self._shown.lists
            if 1 < len(listed.idents) <= _MOST_ALIKE
            and len(written := self._written.idents.intersection(listed.idents)) == 1
            and len({kind for kind, _ in listed.idents}) == 1
        }
        return matches.pop() if len(matches) == 1 else None

    def _is_farther_apart(self, clause: AnswerClause, siblings: Siblings) -> bool:
        """Whether one of two is told to have come another number of days after the other: "four days after
        the first"."""
        for place in range(1, len(clause.words) - 2):
            texts = [token.text for token in clause.words[place : place + _PAIR + 2]]
            numbers = {n for n in clause.words[place - 1].values.get("number", ()) if isinstance(n, int)}
            is_span = texts[0] in _DAYS and texts[1] in _RELATIVE and texts[2] == "the"
            if not numbers or not is_span or texts[3:4] == [] or texts[3] not in _EARLY | _LATE | _OTHER:
                continue
            days = [[day_of(day) for day in self._days((row,))] for row in (siblings.own, *siblings.others)]
            apart = {abs((a - b).days) for one in days for two in days for a in one for b in two if a and b}
            return bool(apart) and apart.isdisjoint(numbers)
        return False

    def _is_called_the_other(self, clause: AnswerClause, siblings: Siblings) -> bool:
        """Whether a day of one of two is told as that of the earlier or the later one, and is not: "of 6 May,
        the earlier of the two"."""
        before = clause.document.tokens[max(0, clause.chunk.first - 2) : clause.chunk.first]
        days = frozenset().union(*(token.values.get("date", frozenset()) for token in before))
        texts = [token.text for token in clause.words[:2]]
        rest = {token.text for token in clause.words[2:]}
        if clause.chunk.begins_with != "," or not _OF_TWO_WORDS.issuperset(rest):
            return False
        if not days or texts[:1] != ["the"] or texts[-1] not in _EARLY | _LATE or len(siblings.others) != 1:
            return False
        ordered = sorted((siblings.own, *siblings.others), key=self._first_day)
        row = ordered[0] if texts[-1] in _EARLY else ordered[-1]
        known = any(is_any_day([*map(str, days)], day) for each in ordered for day in self._days((each,)))
        return known and not any(is_any_day([*map(str, days)], day) for day in self._days((row,)))

    def _meant(self, clause: AnswerClause, siblings: Siblings) -> tuple[Ident, ...]:
        """Of which of the rows a clause tells; none where it does not say."""
        before = self._words_before(clause)
        texts = clause.texts | {token.text for token in before}
        if texts & _OTHER:
            return siblings.others
        if len(siblings.others) == 1 and texts & (_EARLY | _LATE):
            ordered = sorted((siblings.own, *siblings.others), key=self._first_day)
            return (ordered[0],) if texts & _EARLY else (ordered[-1],)
        called = {deed.key for deed in self._deeds if deed.calls and deed.calls == 1}
        if any(is_past(token.text) and token.key in called for token in (*clause.words, *before)):
            return (siblings.own,)
        return self._pointed_at(clause, siblings, called) if clause.words[0].text == "it" else ()

    @staticmethod
    def _words_before(clause: AnswerClause) -> Sequence[TextToken]:
        """The words of the clause before one that only adds a day to it: "the other one, of 4 May"."""
        number = clause.document.chunk_of[clause.chunk.first]
        is_colon = clause.chunk.begins_with == ":"
        is_beside = clause.chunk.begins_with in (",", "(") and _begins_with_value(clause)
        if number < 1 or not (is_colon or is_beside):
            return ()
        before = clause.document.chunks[number - 1]
        words = clause.document.tokens[before.first : min(before.last, before.first + MOST_WORDS)]
        return words if before.sentence == clause.chunk.sentence else ()

    def _pointed_at(
        self, clause: AnswerClause, siblings: Siblings, called: Collection[str]
    ) -> tuple[Ident, ...]:
        """What "it" means: the one that was named last, else what the sentence before tells to be done."""
        every = frozenset((siblings.own, *siblings.others))
        named = [
            each.rows & every
            for each in self._shown.names_in(clause.document)
            if each.last <= clause.chunk.first and each.rows & every
        ]
        if named:
            return tuple(named[-1]) if len(named[-1]) == 1 else ()
        before = clause.document.sentences[max(0, clause.chunk.sentence - 1)]
        words = clause.document.tokens[before.first : min(before.last, before.first + MOST_WORDS)]
        return (siblings.own,) if any(is_past(token.text) and token.key in called for token in words) else ()

    def _first_day(self, row: Ident) -> str:
        return min(self._days((row,)), default="")

    def _days(self, rows: Sequence[Ident]) -> list[str]:
        return [
            value[:_DAY] for _, value in self._shown.cells(rows) if isinstance(value, str) and day_of(value)
        ]

    @staticmethod
    def _is_of_a_row(clause: AnswerClause, at: int) -> bool:
        """Whether a day stands behind a word that tells which one is meant: "the payment of 4 May"."""
        before = clause.document.tokens[max(clause.chunk.first, at - 1) : at]
        return not before or before[0].text in _OF_A_ROW

    def _has_another_day(self, days: frozenset[object], rows: Sequence[Ident], siblings: Siblings) -> bool:
        """Whether a day is one that the rows which are meant have not, but one that was listed with them."""
        stated = [str(day) for day in days]
        own = any(is_any_day(stated, day) for day in self._days(rows))
        rest = [row for row in (siblings.own, *siblings.others) if row not in rows]
        is_known = any(is_any_day(stated, day) for day in self._days(rest))
        return not own and (is_known or siblings.own in rest)

    def _has_another_amount(self, clause: AnswerClause, at: int, rows: Sequence[Ident]) -> bool:
        """Whether an amount is told with the day of a row that has another one: "296.00 of 13 April"."""
        tokens = clause.document.tokens
        behind = tokens[at + 1 : min(at + 3, clause.places.stop)]
        if len(behind) < 2 or behind[0].text not in _OF_A_ROW or not (days := behind[1].values.get("date")):
            return False
        dated = [row for row in rows if any(is_any_day([*map(str, days)], day) for day in self._days((row,)))]
        amounts = {value for column, value in self._shown.cells(dated) if column.endswith("_cents")}
        return bool(amounts) and amounts.isdisjoint(tokens[at].values.get("money_cents", ()))

    def _is_by_other_means(self, clause: AnswerClause, rows: Sequence[Ident]) -> str:
        """The means of payment that a clause tells and that no row which is meant has; "" without one."""
        kinds = {noun_of(kind) for kind, _ in rows}
        known = [value for column, value in self._shown.cells(rows) if column == _METHOD]
        texts = [token.text for token in clause.words]
        means = next((words for words in self._every_means if _has_words(texts, words)), "") or next(
            (
                token.text
                for before, token, behind in zip(
                    clause.words, clause.words[1:], clause.words[2:], strict=False
                )
                if token.text in _MEANS and (behind.key in kinds or before.text in ("in", "by"))
            ),
            "",
        )
        return means if known and not any(means in str(value).replace("_", " ") for value in known) else ""

    @cached_property
    def _every_means(self) -> list[str]:
        """The means of payment that were shown and have a name of several words, as words."""
        values = {str(value) for column, value in self._shown.cells(self._shown.rows) if column == _METHOD}
        return [value.replace("_", " ") for value in sorted(values) if "_" in value]

    def _is_in_another_state(self, phrase: tuple[str, ...], rows: Sequence[Ident]) -> bool:
        """Whether the rows that are meant have another value in each of the columns of a state."""
        has = [
            value in self._shown.rows[row].cells[column]
            for row in rows
            for (table, column), value in self._world.states[phrase].items()
            if column not in _CHANGING
            and table == self._world.table_of(row[0])
            and row in self._shown.rows
            and column in self._shown.rows[row].cells
        ]
        return bool(has) and not any(has)


def _has_words(texts: Sequence[str], words: str) -> bool:
    """Whether words stand side by side."""
    size = len(words.split())
    return any(" ".join(texts[at : at + size]) == words for at in range(len(texts) - size + 1))


def _begins_with_value(clause: AnswerClause) -> bool:
    """Whether a clause begins with a day or an amount, or with a word before one."""
    return clause.words[0].text in _OF_A_ROW or bool(clause.words[0].values)
