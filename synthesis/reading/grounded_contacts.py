"""Grounded contacts: that somebody was told something, where no message that was written is to them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.deeds import has_contacted, words_of_messages
from synthesis.reading.effects import Deed
from synthesis.reading.phrases import CONDITIONS, EARLIER, NEGATIONS
from synthesis.reading.shown_row import Ident
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.words import word_set
from synthesis.reading.written_rows import WrittenRows

_REACHED = word_set(
    "told informed notified e-mailed emailed mailed telephoned phoned alerted contacted texted"
)
_PRONOUNS = word_set("he she they")
_HELPERS = word_set("was were been")
_BETWEEN = word_set("has have was were been also already both all now since then duly just")
_UNREAL = NEGATIONS | CONDITIONS | word_set("would could should might may can will must to until")
_MOST_BETWEEN = 5


class GroundedContacts:
    """What an answer may tell of who was reached.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        deeds: What the world's writing tools do, and how often each was called.
        written: The rows that calls wrote.
    """

    def __init__(
        self, shown: ShownRows, texts: TaskTexts, deeds: Sequence[Deed], written: WrittenRows
    ) -> None:
        self._shown, self._texts, self._deeds, self._written = shown, texts, deeds, written

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """Who a clause says was told something, to whom nothing was sent, in words."""
        if clause.texts.isdisjoint(_REACHED) or not clause.texts.isdisjoint(_UNREAL):
            return
        for at in clause.places:
            token = clause.document.tokens[at]
            if token.text not in _REACHED or not self._is_of_others(clause, at):
                continue
            rows = self._subject(clause, at)
            if token.key in self._texts.keys or (self._has_contacted and not self._recipients):
                continue
            if rows is None and self._recipients:
                continue
            if rows is None or rows.isdisjoint(self._recipients):
                yield f"that somebody was {token.text}"

    @staticmethod
    def _is_of_others(clause: AnswerClause, at: int) -> bool:
        """Whether a passive with a subject tells it: "she was told", "Ada Lund has been informed"."""
        before = [token.text for token in clause.document.tokens[max(clause.chunk.first, at - 3) : at]]
        return before[-1:] != [] and not _HELPERS.isdisjoint(before) and EARLIER.isdisjoint(before[-1:])

    def _subject(self, clause: AnswerClause, at: int) -> frozenset[Ident] | None:
        """Who may be meant: the name before a verb, for a pronoun those of its sentence and the one before;
        None where nobody known is."""
        tokens = clause.document.tokens
        place = at - 1
        while place > clause.chunk.first and tokens[place].text in _BETWEEN and at - place <= _MOST_BETWEEN:
            place -= 1
        names = self._shown.names_in(clause.document)
        if tokens[place].text in _PRONOUNS:
            sentence = clause.document.sentences[max(0, clause.chunk.sentence - 1)]
            before = [each.rows for each in names if sentence.first <= each.first < place]
            return frozenset().union(*filter(self._is_person, before)) or None
        return next((each.rows for each in names if each.last == place + 1), None)

    def _is_person(self, rows: Collection[Ident]) -> bool:
        """Whether rows are of people, whose names have two words."""
        names = [
            value
            for column, value in self._shown.cells(rows)
            if column in ("name", "first_name") and isinstance(value, str)
        ]
        return any(len(name.split()) > 1 for name in names)

    @cached_property
    def _has_contacted(self) -> bool:
        return has_contacted(self._deeds)

    @cached_property
    def _recipients(self) -> frozenset[Ident]:
        """Those whom the written messages are to."""
        messages = self._written.called(words_of_messages(self._deeds))
        return frozenset(other for ident in messages for other in self._shown.rows[ident].refers)
