"""Day bounds: days that an answer tells as bounds ("before 6 October") or as wrong ones ("not 30 April")."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from itertools import pairwise

from synthesis.reading.document import ParsedText
from synthesis.reading.mentions import Value
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import key

_DAY, _LONGEST = key("day"), 80
_NEAR = 5
_FAR = 20
_WINDOWS = frozenset(("window", "deadline", "period", "cut-off", "cutoff"))
_ENDED = frozenset(("ended", "ends", "end", "expired", "expires", "until", "over", "ran"))
_SMALL = frozenset(("on", "of", "the", "due", "by"))
_ON = frozenset(("on", "onwards", "onward"))


def is_bound_day(document: ParsedText, at: int) -> bool:
    """Whether a day is told as one before, after or from which something holds, and of nothing that was done:
    "closed before 6 October", "from 22 October on", "again on 22 October"."""
    tokens = document.tokens
    before = [token.text for token in tokens[max(0, at - 2) : at]]
    after = {token.text for token in tokens[at + 1 : at + 2]}
    if before[-1:] == ["from"]:
        return not after.isdisjoint(_ON)
    return before[-1:] in (["before"], ["after"]) or "again" in before or _ends_a_window(document, at)


def _ends_a_window(document: ParsedText, at: int) -> bool:
    """Whether a day is told as when a time that a rule gives was over: "the window ended on 30 September"."""
    tokens = document.tokens
    number = document.chunk_of[at]
    first = document.sentences[document.chunks[number].sentence].first if number >= 0 else at
    words = {token.text for token in tokens[max(first, at - _FAR) : at]}
    return not words.isdisjoint(_WINDOWS) and not words.isdisjoint(_ENDED)


def is_denied_day(document: ParsedText, at: int) -> bool:
    """Whether a day is one that the text says it is not: "not 30 April", "rather than on 30 April"."""
    before = [token.text for token in document.tokens[max(0, at - _NEAR) : at]]
    while before and before[-1] in _SMALL:
        before.pop()
    return before[-1:] == ["not"] or before[-2:] in (["rather", "than"], ["instead", "of"])


def is_reckoned_day(document: ParsedText, at: int, spans: Collection[int], today: date | None) -> bool:
    """Whether a day lies as many days from another one of its sentence as that tells, where a rule has so
    many: "the 21 days after it was closed on 16 February ended on 9 March".

    Args:
        document: The text.
        at: Where the day stands.
        spans: The numbers of days that rules have.
        today: The day of the clock: a day without a year is of the same one.
    """
    number = document.chunk_of[at]
    if number < 0 or today is None:
        return False
    sentence = document.sentences[document.chunks[number].sentence]
    tokens = document.tokens[sentence.first : min(sentence.last, sentence.first + _LONGEST)]
    stated = {
        n
        for token, follows in pairwise(tokens)
        if follows.key == _DAY
        for n in token.values.get("number", ())
        if n in spans
    }
    days = _days_of(document.tokens[at], today)
    others = [day for token in tokens if token is not document.tokens[at] for day in _days_of(token, today)]
    return any(abs((day - other).days) in stated for day in days for other in others)


def _days_of(token: TextToken, today: date) -> list[date]:
    """The days that a word may mean."""
    return [date.fromisoformat(str(day)) for day in with_year(token.values.get("date", ()), today.year)]


def with_year(days: Iterable[Value], year: int) -> frozenset[Value]:
    """Days as ISO texts, those of no year in a year."""
    return frozenset(str(day).replace("0000-", f"{year}-", 1) for day in days)
