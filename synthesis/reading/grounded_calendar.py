"""Grounded calendar: months and days like "yesterday" of an answer, held against the days of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.grounded_values import ends_of
from synthesis.reading.lexicon import MONTHS
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.words import word_set

_STEPS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_UNREAL = NEGATIONS | CONDITIONS | word_set("would could should might may can will must until not than")
_BEFORE_MONTHS = word_set("in until till since during by of for before after this last next early late mid")
_NEAR, _FAR, _PHRASE = 3, 99, 4


class GroundedCalendar:
    """Months and relative days that an answer may tell.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts) -> None:
        self._shown, self._texts = shown, texts

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The months and days of a clause that no row bears out, in words."""
        for before, token in zip(clause.words, clause.words[1:], strict=False):
            is_month = token.text in MONTHS and token.capital and not token.values
            if is_month and before.text in _BEFORE_MONTHS and token.text not in self._months(clause):
                yield f"the month {token.text}"
        yield from self._misdated(clause)

    def _months(self, clause: AnswerClause) -> frozenset[str]:
        """The months of all days that were shown, told or are told by the answer itself."""
        days = (str(value) for value in clause.document.values("date"))
        return self._known | {MONTHS[int(day[5:7]) - 1] for day in days}

    @cached_property
    def _known(self) -> frozenset[str]:
        days = {*self._shown.days, *(str(day) for day in self._texts.values("date", rules=True))}
        days |= {self._texts.today.isoformat()} if self._texts.today else set()
        words = {token.text for text in (self._texts.instruction, self._texts.rules) for token in text.tokens}
        return frozenset(MONTHS[int(day[5:7]) - 1] for day in days) | words.intersection(MONTHS)

    def _misdated(self, clause: AnswerClause) -> Iterator[str]:
        """That something was due or to end "yesterday" which was to end on other days."""
        today = self._texts.today
        relative = clause.texts & _STEPS.keys()
        if today is None or len(relative) != 1 or clause.texts & _UNREAL or not self._is_of_end(clause):
            return
        word = next(iter(relative))
        rows = clause.sentence_rows or clause.subject
        ends = ends_of(self._shown, rows)
        if ends and today + timedelta(_STEPS[word]) not in ends:
            yield f"that it was due {word}"

    @staticmethod
    def _is_of_end(clause: AnswerClause) -> bool:
        """Whether a clause tells when something was due: "was due back yesterday", "yesterday was the last
        day"."""
        texts = [token.text for token in clause.words]
        day = next(place for place, text in enumerate(texts) if text in _STEPS)
        due = texts.index("due") if "due" in texts else -_FAR
        is_due = 0 < day - due <= _NEAR and texts[due - 1 : due] != ["past"]
        return is_due or not {("was", "the", "last", "day"), ("last", "day", "was", texts[day])}.isdisjoint(
            zip(*([each.text for each in clause.sentence_words][at:] for at in range(_PHRASE)), strict=False)
        )
