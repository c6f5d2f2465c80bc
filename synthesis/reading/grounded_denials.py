"""Grounded denials: a state that an answer denies of a row that is in it: "Ada Lund is not on duty"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.phrases import CONDITIONS
from synthesis.reading.shown_row import Ident
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows

_DENYING = word_set("isn't aren't not n't neither")
_BEING = word_set("is are 's")
_BETWEEN = word_set("a an the currently actually even also yet still today now presently any of")
_PRONOUNS = word_set("she he it they who which")
_UNREAL = CONDITIONS | word_set("should must may when unless or only just merely yet no longer")
_MOST_BETWEEN = 5


class GroundedDenials:
    """Denials of states.

    Args:
        shown: The rows that results show.
        world: The world's rows, for its columns of states.
    """

    def __init__(self, shown: ShownRows, world: WorldRows) -> None:
        self._shown, self._world = shown, world

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The states that a clause denies of what is in them, in words."""
        if clause.texts.isdisjoint(_DENYING) or clause.texts & _UNREAL:
            return
        for phrase, first, _ in clause.states:
            at = self._denied_at(clause, first)
            rows = self._subject(clause, at) if at >= 0 else frozenset()
            if rows and self._are_in(phrase, rows):
                yield f"that something is not {' '.join(phrase)}"

    @staticmethod
    def _denied_at(clause: AnswerClause, first: int) -> int:
        """Where the denial of a state begins: "is not", "isn't"; -1 where it is not denied so."""
        tokens = clause.document.tokens
        at = first - 1
        while at >= clause.chunk.first and tokens[at].text in _BETWEEN and first - at <= _MOST_BETWEEN:
            at -= 1
        if at < clause.chunk.first or tokens[at].text not in _DENYING:
            return -1
        if tokens[at].text in ("isn't", "aren't"):
            return at
        is_of_being = at > clause.chunk.first and tokens[at - 1].text in _BEING
        return at - 1 if is_of_being else -1

    def _subject(self, clause: AnswerClause, at: int) -> frozenset[Ident]:
        """The rows of the name that stands right before a denial, or that a clause without a subject or with
        a pronoun goes on with; none where that is not known."""
        tokens = clause.document.tokens
        names = [each for each in self._shown.names_in(clause.document) if each.last <= at]
        if not names:
            return frozenset()
        sentence = clause.document.sentences[clause.chunk.sentence]
        is_near = names[-1].last == at
        is_carried_on = at == clause.chunk.first or (
            at == clause.chunk.first + 1 and tokens[at - 1].text in _PRONOUNS
        )
        is_known = is_near or (is_carried_on and names[-1].first >= sentence.first)
        return self._shown.alone(names[-1]) if is_known else frozenset()

    def _are_in(self, phrase: Sequence[str], rows: frozenset[Ident]) -> bool:
        """Whether all of some rows that have a column of a state were last shown in it."""
        columns = self._world.states.get(tuple(phrase), {})
        has = [
            self._shown.rows[ident].cells[column][-1] == value
            for ident in rows & self._shown.rows.keys()
            for (table, column), value in columns.items()
            if table == self._world.table_of(ident[0]) and self._shown.rows[ident].cells.get(column)
        ]
        return bool(has) and all(has)
