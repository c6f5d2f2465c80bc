"""Spoken numbers: what counts nothing in an answer: hours, lengths of time, ages, house numbers, rules."""

from __future__ import annotations

import re

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.rule_numbers import day_of, time_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import atoms, word_set

_BEFORE_HOURS = word_set("at from to until till by before after past around and -")
_HOURS, _HALF_DAY = 24, 12
_PAST = {"half": 30, "quarter": 15}
_HOUR = word_set("h hr hrs hour hours")
_MINUTE = word_set("m min mins minute minutes")
_AGED = word_set("aged age")
_OLD = word_set("old")
_MOST_RULES = 99


class SpokenNumbers:
    """Numbers that say when, how long, how old or where.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts) -> None:
        self._shown, self._texts = shown, texts

    def is_known(self, count: int, clause: AnswerClause, at: int) -> bool:
        """Whether a number at a place is an hour, a length of time, an age, a house number or a rule's."""
        return (
            self._is_hour(count, clause, at)
            or self._is_length(clause, at)
            or self._is_age(count, clause, at)
            or self._is_of_a_rule(count, clause, at)
            or self._is_in_a_text(count, clause, at)
        )

    def _is_hour(self, count: int, clause: AnswerClause, at: int) -> bool:
        """Whether it is an hour of a time that was told or shown: "from nine to eleven"."""
        tokens = clause.document.tokens
        before, follows = (
            [token.text for token in tokens[a:b]] for a, b in ((max(0, at - 2), at), (at + 1, at + 2))
        )
        if count > _HOURS:
            return False
        if before[-1:] == ["past"] and before[0] in _PAST:
            return (count % _HALF_DAY, _PAST[before[0]]) in self._times
        is_hour = before[-1:] != [] and before[-1] in _BEFORE_HOURS
        return (is_hour or follows[:1] in (["to"], ["-"])) and (count % _HALF_DAY, 0) in self._times

    @cached_property
    def _times(self) -> frozenset[tuple[int, int]]:
        """Hours of half a day with their minutes."""
        asked = {str(value) for value in self._texts.values("time", rules=True)}
        shown = {
            f"{time:%H:%M}"
            for _, value in self._shown.cells(self._shown.rows)
            if isinstance(value, str) and (time := time_of(value))
        }
        shown |= {
            value[:5]
            for _, value in self._shown.cells(self._shown.rows)
            if isinstance(value, str) and _CLOCK.fullmatch(value)
        }
        return frozenset((int(each[:2]) % _HALF_DAY, int(each[3:5])) for each in asked | shown)

    def _is_length(self, clause: AnswerClause, at: int) -> bool:
        """Whether it belongs to hours and minutes that come to a number of minutes shown: "4 h 15 min"."""
        tokens = clause.document.tokens
        first = at - 2 if at >= 2 and tokens[at - 1].text in _HOUR else at
        span = tokens[first : first + 4]
        if len(span) < 2 or span[1].text not in _HOUR:
            return False
        minutes = _number(span[2]) if len(span) == 4 and span[3].text in _MINUTE else 0
        total = _number(span[0]) * 60 + minutes
        return any(value == total for _, value in self._shown.cells(self._shown.rows))

    def _is_age(self, count: int, clause: AnswerClause, at: int) -> bool:
        """Whether it is how many years ago somebody was born: "aged 46", "46 years old"."""
        tokens, today = clause.document.tokens, self._texts.today
        is_spoken = (at > 0 and tokens[at - 1].text in _AGED) or any(
            token.text in _OLD for token in tokens[at + 1 : at + 3]
        )
        if today is None or not is_spoken:
            return False
        born = (
            day_of(value)
            for column, value in self._shown.cells(clause.nearest(at) or clause.subject)
            if isinstance(value, str) and ("birth" in column or column.startswith("born"))
        )
        return any(
            day is not None
            and count == today.year - day.year - ((today.month, today.day) < (day.month, day.day))
            for day in born
        )

    def _is_of_a_rule(self, count: int, clause: AnswerClause, at: int) -> bool:
        """Whether it is the number of a rule of the policy: "rule 12"."""
        is_spoken = at > 0 and clause.document.tokens[at - 1].text == "rule" and count <= _MOST_RULES
        return is_spoken and re.search(rf"(?m)^\W{{0,4}}{count}[.)]", self._texts.rules.text) is not None

    def _is_in_a_text(self, count: int, clause: AnswerClause, at: int) -> bool:
        """Whether it stands in a text of a row before the same word: "4 Birchwood Close"."""
        follows = clause.document.tokens[at + 1 : at + 2]
        return (
            bool(follows)
            and follows[0].kind == "word"
            and f" {count} {' '.join(atoms(follows[0].text))} " in self._folded
        )

    @cached_property
    def _folded(self) -> str:
        texts = dict.fromkeys(v for _, v in self._shown.cells(self._shown.rows) if isinstance(v, str))
        return "".join(f" {' '.join(atoms(text))} |" for text in texts)


_CLOCK = re.compile(r"[012]\d:[0-5]\d(?::[0-5]\d)?")


def _number(token: TextToken) -> int:
    return next((value for value in token.values.get("number", ()) if isinstance(value, int)), 0)
