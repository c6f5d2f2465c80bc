"""Grounded groups: what an answer says of both or all of some rows, held against each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.counts import is_amount
from synthesis.reading.grounded_values import is_any_day
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_row import Ident, is_key, nouns_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows

_UNREAL = (
    NEGATIONS
    | CONDITIONS
    | word_set(
        "would could should might may must can until together total altogether sum either whose than but "
        "except to from now into before after within"
    )
)
_ALL = frozenset(("all", "each"))
_OWN = word_set(
    "of them these those are were is cost costs , ( - : have has had the his her their its due at on with of"
)
_PAIR, _MOST = 2, 60


class GroundedGroups:
    """What may be said of each of several rows.

    Args:
        shown: The rows that results show.
        world: The world's rows, for its columns of states.
    """

    def __init__(self, shown: ShownRows, world: WorldRows) -> None:
        self._shown, self._world = shown, world

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says of both or all of some rows that is not so of one of them, in words."""
        at, count = self._several(clause)
        if not count or clause.texts & _UNREAL:
            return
        groups = list(self._groups(clause, at, count))
        if not groups:
            return
        tokens = clause.document.tokens
        for place in clause.valued:
            days, cents = (
                tokens[place].values.get("date"),
                tokens[place].values.get("money_cents", frozenset()),
            )
            is_stated = place > at and (days or is_amount(tokens[place]))
            if is_stated and not any(self._all_have(group, days, cents) for group in groups):
                yield f"that {tokens[place].text} is of all"
        for phrase, first, _ in clause.states:
            if first > at and not any(self._all_are(group, phrase) for group in groups):
                yield f"that all are {' '.join(phrase)}"

    @staticmethod
    def _several(clause: AnswerClause) -> tuple[int, int]:
        """Where a clause speaks of several rows at once and of how many: "both", "all three"; 0 of none."""
        tokens = clause.document.tokens
        for at in clause.places:
            follows = tokens[at + 1 : at + 2]
            if tokens[at].text == "both":
                return at, _PAIR
            if tokens[at].text in _ALL and follows:
                numbers = [n for n in follows[0].values.get("number", ()) if isinstance(n, int)]
                if numbers and 1 < numbers[0] <= _MOST and "date" not in follows[0].values:
                    return at + 1, numbers[0]
        return 0, 0

    def _groups(self, clause: AnswerClause, at: int, count: int) -> Iterator[Collection[Ident]]:
        """The rows that may be meant: as many that the sentence names, or that a list has of somebody."""
        sentence = clause.document.sentences[clause.chunk.sentence]
        named = [
            self._shown.alone(each)
            for each in self._shown.names_in(clause.document)
            if sentence.first <= each.first < at
        ]
        single = [next(iter(rows)) for rows in named if len(rows) == 1]
        for kind in {kind for kind, _ in single}:
            own = {ident for ident in single if ident[0] == kind}
            if len(own) == count:
                yield own
                return
        noun = clause.document.tokens[at + 1].key if at + 1 < len(clause.document.tokens) else ""
        text = clause.document.tokens[at + 1].text if noun else ""
        people = clause.subject | clause.default | clause.sentence_rows
        for listed in self._shown.lists:
            if len(listed.idents) != count or listed.total != count:
                continue
            is_called = text in _OWN or noun in nouns_of(listed.idents[0][0])
            owners = [(name, value) for name, value in listed.asked.items() if is_key(name, value)]
            if is_called and any(self._shown.ident_under(name, value) in people for name, value in owners):
                yield listed.idents

    def _all_have(self, rows: Collection[Ident], days: Collection[object] | None, cents: object) -> bool:
        """Whether each of some rows has a day, or an amount."""
        return all(
            any(
                (isinstance(value, str) and is_any_day(days, value[:10]))  # type: ignore[arg-type]
                if days
                else (column.endswith("cents") and value in cents)  # type: ignore[operator]
                for column, value in self._shown.cells(self._shown.owned(ident))
            )
            for ident in rows
        )

    def _all_are(self, rows: Collection[Ident], phrase: tuple[str, ...]) -> bool:
        """Whether each of some rows was shown in a state, or has no column of it."""
        columns = self._world.states.get(phrase, {})
        return all(
            value in self._shown.rows[ident].cells[column]
            for ident in rows
            for (table, column), value in columns.items()
            if table == self._world.table_of(ident[0]) and self._shown.rows[ident].cells.get(column)
        )
