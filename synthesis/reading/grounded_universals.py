"""Grounded universals: that nobody else, none or all of some rows are in a state, held against the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.rule_numbers import day_of
from synthesis.reading.shown_row import ID, Ident
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.words import keys, word_set
from synthesis.reading.world_rows import WorldRows

_NOBODY_ELSE = (("nobody", "else"), ("no-one", "else"), ("no", "one", "else"), ("none", "else"))
_NONE, _ALL = word_set("none nothing neither"), word_set("all both every each everything")
_BEING = word_set("is are was were stays remains stay remain been left")
_OTHER = word_set("other others another more further")
_NARROWING = word_set(
    "that which who with than before after from under above below over until would could may if"
)
_OVERDUE, _DUE = word_set("overdue"), "due_on"
_MOST_BETWEEN = 4


class GroundedUniversals:
    """What an answer may say of all or none of some rows.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        world: The world's rows, for their states.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts, world: WorldRows) -> None:
        self._shown, self._texts, self._world = shown, texts, world

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says of all or none of some rows that the rows contradict, in words."""
        texts = [token.text for token in clause.words]
        if not clause.texts.isdisjoint(_NARROWING):
            return
        if clause.texts & _OVERDUE:
            yield from self._overdue(clause)
        for phrase, first, _ in clause.states:
            before = texts[: max(0, first - clause.chunk.first)]
            if _BEING.isdisjoint(before[-_MOST_BETWEEN:]):
                continue
            if _has_phrase(before, _NOBODY_ELSE) or (
                "no" in before[:1] and before[1:2] and before[1] in _OTHER
            ):
                if any(ident not in clause.sentence_rows for ident in self._others_in(phrase, clause)):
                    yield f"that nobody else is {' '.join(phrase)}"
            elif before[:1] == ["no"] and self._of_noun(clause, before) & self._left_in(phrase):
                yield f"that none is {' '.join(phrase)}"
            elif before[:1] and before[0] in _ALL and _OTHER.isdisjoint(before) and len(clause.states) == 1:
                rows = self._of_noun(clause, before)
                if rows & self._left_otherwise(phrase):
                    yield f"that all are {' '.join(phrase)}"

    def _overdue(self, clause: AnswerClause) -> Iterator[str]:
        """That none or all of the rows that were listed for what is asked about are overdue."""
        today = self._texts.today
        ends = [
            day
            for listed in self._shown.lists
            if any(ident in self._shown.called or ident in clause.default for ident in listed.idents)
            or any(self._shown.owned(ident) & clause.subject for ident in listed.idents)
            for ident in listed.idents
            for value in self._shown.rows[ident].cells.get(_DUE, ())[-1:]
            if isinstance(value, str) and (day := day_of(value))
        ]
        if today is None or not ends:
            return
        if clause.texts & _NONE and any(day < today for day in ends) and not clause.texts & _OTHER:
            yield "that none is overdue"
        if clause.texts & {"all", "both"} and "not" not in clause.texts and any(day > today for day in ends):
            yield "that all are overdue"

    def _others_in(self, phrase: tuple[str, ...], clause: AnswerClause) -> Iterator[Ident]:
        """Rows that are in a state and were listed beside one that the answer speaks of, but not with it."""
        left = self._left_in(phrase)
        for listed in self._shown.lists:
            beside = frozenset(listed.idents)
            if beside & self._named(clause):
                yield from (beside - self._named(clause)) & left

    def _named(self, clause: AnswerClause) -> frozenset[Ident]:
        return frozenset().union(*(each.rows for each in self._shown.names_in(clause.document)))

    def _left_in(self, phrase: tuple[str, ...]) -> frozenset[Ident]:
        """The rows that were last shown in a state."""
        return frozenset(ident for ident, has in self._having(phrase) if has)

    def _left_otherwise(self, phrase: tuple[str, ...]) -> frozenset[Ident]:
        return frozenset(ident for ident, has in self._having(phrase) if not has)

    def _having(self, phrase: tuple[str, ...]) -> Iterator[tuple[Ident, bool]]:
        columns = self._world.states.get(phrase, {})
        for ident, row in self._shown.rows.items():
            table = self._world.table_of(ident[0])
            for (name, column), value in columns.items():
                if name == table and row.cells.get(column):
                    yield ident, row.cells[column][-1] == value

    def _of_noun(self, clause: AnswerClause, before: Sequence[str]) -> frozenset[Ident]:
        """The rows that a noun at the beginning of a clause may mean: those that were listed for the owners
        whom the task is about."""
        words = keys(" ".join(before))
        kinds = {kind for kind, noun in self._nouns.items() if noun & words}
        owners = clause.default | clause.subject
        return frozenset(
            ident
            for listed in self._shown.lists
            for ident in listed.idents
            if ident[0] in kinds and self._shown.rows[ident].refers & owners
        )

    @cached_property
    def _nouns(self) -> dict[str, frozenset[str]]:
        kinds = dict.fromkeys(kind for kind, _ in self._shown.rows)
        return {kind: keys(kind.removesuffix(ID).rpartition("_")[2]) for kind in kinds}


def _has_phrase(texts: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> bool:
    return any(
        tuple(texts[at : at + len(phrase)]) == phrase for phrase in phrases for at in range(len(texts))
    )
