"""Rule numbers: limits, percentages and spans of days that an answer tells, held against rules and dates.

A limit that no rule has, where some rule has another one of the same unit, is untrue; so is a span of days
up to now ("five days ago", "two days late") that no date of the rows lies away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import takewhile

from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.document import ParsedText
from synthesis.reading.fact_values import values_of
from synthesis.reading.json_values import JsonValues
from synthesis.reading.structure import Chunk
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import key, word_set

Unit = tuple[str, int]

_LIMITING = word_set("most limit limits maximum max least minimum limited notice apart between permit allow")
_BOUNDED = word_set("over under within least most nearly almost about up every each until")
_THEM, _NOTICE = word_set("them these those"), word_set("notice")
_COMPARING = word_set("more less fewer longer greater higher")
_AGO = ("ago",)
_LATE, _PAST, _DUE = word_set("late overdue"), "past", word_set("due end")
_AHEAD = word_set("time away ahead")
_LIMIT_OF = (["limit", "of"], ["limit", "is"], ["maximum", "of"], ["maximum", "is"], ["up", "to"])
_PERCENT = "%"
_SHARES = {"half": 50, "quarter": 25, "double": 200}
_DAYS_OF = {key("day"): 1, key("week"): 7}
_ENDING = word_set("due ends end until deadline")
_BEING = word_set("is are was were has have")
"""Words behind a number that is itself spoken of: "3 is the number of permit orders"."""
_SLACK = 3
"""Days by which a number of weeks may be off."""
_MOST_WORDS = 60


class RuleNumbers:
    """What rules and dates an answer's numbers are held against.

    Args:
        rules: The instruction, the policy and other texts the agent was given.
        today: The day of the clock; None where it is not known.
        values: What was shown.
    """

    def __init__(self, rules: ParsedText, *, today: date | None, values: JsonValues) -> None:
        self._rules, self._today, self._values = rules, today, values

    @cached_property
    def _days(self) -> frozenset[date]:
        """All days that were shown."""
        return frozenset(filter(None, (day_of(text) for _, text in self._values.texts)))

    @cached_property
    def _ends(self) -> frozenset[date]:
        """Those of them on which something was due or to end."""
        ends = (text for name, text in self._values.texts if not _ENDING.isdisjoint(name.split("_")))
        return frozenset(filter(None, map(day_of, ends)))

    def untrue(self, document: ParsedText) -> str:
        """What number a text tells that no rule or date bears out, in words; empty where none does."""
        return next((problem for chunk in document.chunks for problem in self._problems(document, chunk)), "")

    def _problems(self, document: ParsedText, chunk: Chunk) -> Iterator[str]:
        last = min(chunk.last, chunk.first + _MOST_WORDS)
        words = document.tokens[chunk.first : last]
        if document.sentences[chunk.sentence].question or not any(token.values for token in words):
            return
        texts = {token.text for token in words}
        is_limit = bool(texts & _LIMITING - ({"between"} if texts & _THEM else frozenset()))
        if any(self._is_another_limit(document.tokens, at) for at in range(chunk.first + 2, last)):
            yield "it tells a limit that no rule has"
        for unit, number, at in quantities(document.tokens, chunk.first, last):
            is_rule = unit == _PERCENT or is_limit
            if texts & _NOTICE and unit in _DAYS_OF and self._is_ahead(number * _DAYS_OF[unit]):
                continue  # how much notice was given
            if is_rule and self._is_another_rule(unit, number) and not self._is_compared(document, chunk, at):
                yield f"it tells a rule with {number} that no rule has"
            elif self._is_another_span(document, chunk, at, number * _DAYS_OF.get(unit, 0)):
                yield f"it tells a span of {number} that no date bears out"

    def _is_another_limit(self, tokens: Sequence[TextToken], at: int) -> bool:
        """Whether an amount is called a limit that is no amount of the rules."""
        amounts = tokens[at].values.get("money_cents", frozenset())
        if not amounts or [token.text for token in tokens[at - 2 : at]] not in _LIMIT_OF:
            return False
        known = values_of(self._rules, "money_cents")
        return bool(known) and not amounts & known

    def _is_compared(self, document: ParsedText, chunk: Chunk, at: int) -> bool:
        """Whether a number is only held against a limit that is told: "3, one below the limit of 4"."""
        known = frozenset().union(*self._known.values())
        tokens = document.tokens
        return any(
            place != at
            and [token.text for token in tokens[place - 2 : place]] in _LIMIT_OF
            and not known.isdisjoint(tokens[place].values.get("number", ()))
            for place in range(chunk.first + 2, min(chunk.last, chunk.first + _MOST_WORDS))
        )

    def _is_another_rule(self, unit: str, number: int) -> bool:
        known = self._known.get(unit, set())
        return bool(known) and number not in known

    @cached_property
    def _known(self) -> dict[str, set[int]]:
        """The numbers of the rules, by unit."""
        known: dict[str, set[int]] = {}
        for unit, number, _ in quantities(self._rules.tokens, 0, len(self._rules.tokens)):
            known.setdefault(unit, set()).add(number)
        if _PERCENT in known:
            known[_PERCENT] |= {_SHARES[token.text] for token in self._rules.tokens if token.text in _SHARES}
        return known

    def _is_ahead(self, span: int) -> bool:
        """Whether a day that was shown is so many days ahead."""
        return self._today is not None and any((day - self._today).days == span for day in self._days)

    def _is_another_span(self, document: ParsedText, chunk: Chunk, at: int, span: int) -> bool:
        if not span or self._today is None or _is_bounded(document.tokens, chunk.first, at):
            return False
        follows = document.tokens[at + 1 : min(at + 5, chunk.last)]
        after = {token.text for token in takewhile(lambda token: token.text != "between", follows)}
        slack = _SLACK if document.tokens[at + 1].key == key("week") else 0
        if after & _LATE or (_PAST in after and after & _DUE):
            return not _is_near((self._today - day for day in self._ends), span, slack)
        if after.intersection(_AGO):
            days = _stated_days(document, chunk, self._today.year) or self._days
            return not _is_near((self._today - day for day in days), span, slack)
        if after & _AHEAD:
            return not _is_near((day - self._today for day in self._days), span, slack)
        return False


def _is_near(spans: Iterable[object], span: int, slack: int) -> bool:
    return any(abs(getattr(each, "days", 0) - span) <= slack for each in spans)


def _is_bounded(tokens: Sequence[TextToken], first: int, at: int) -> bool:
    """Whether a number is only a bound: "more than a week ago", "within 5 days"."""
    before = {token.text for token in tokens[max(first, at - 3) : at]}
    return bool(before & (_BOUNDED | _COMPARING))


def _stated_days(document: ParsedText, chunk: Chunk, year: int) -> list[date]:
    """The one day that a sentence tells before the end of a clause; none where there are more."""
    first = document.sentences[chunk.sentence].first
    texts = [
        str(value) for token in document.tokens[first : chunk.last] for value in token.values.get("date", ())
    ]
    days = [day for text in texts if (day := day_of(text.replace("0000", str(year), 1)))]
    return days if len(days) == 1 else []


def quantities(tokens: Sequence[TextToken], first: int, last: int) -> Iterator[tuple[str, int, int]]:
    """The numbers that stand before a unit, as key of the unit, number and place.

    Args:
        tokens: A text.
        first: Where to begin.
        last: Where to end.
    """
    for at in range(first, last):
        token = tokens[at]
        number = next((n for n in token.values.get("number", ()) if isinstance(n, int)), None)
        if number is None or "date" in token.values or token.unit == "money" or is_amount(token):
            continue
        follows = tokens[at + 1 : at + 2]
        if token.unit == "percent" or (follows and follows[0].text in (_PERCENT, "percent")):
            yield _PERCENT, number, at
        elif follows and follows[0].kind == "word" and follows[0].text not in _BEING:
            yield follows[0].key, number, at


def day_of(text: str) -> date | None:
    """The day that an ISO text begins with; None for any other text."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def time_of(text: str) -> datetime | None:
    """The day and time of an ISO text, as its clock shows them; None for any other text."""
    if "T" not in text and " " not in text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None
