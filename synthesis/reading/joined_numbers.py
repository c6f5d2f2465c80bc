"""Joined numbers: what several tokens say together, "twenty-one", "March 16-19", "15, 17 and 21 July"."""

from __future__ import annotations

from itertools import takewhile

from synthesis.reading.days import iso_day, yearless
from synthesis.reading.lexicon import COUNTS, STOP_WORDS, TENS
from synthesis.reading.text_token import TextToken

_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1_000}
_LARGE = ("hundred", "thousand")
_MOST_SPELLED, _MOST_DECIMALS = 12, 4
_HALF_DAY = 12
_TEN, _CENTS_OF_ONE = 10, 100
_HALVES = {"morning": 0, "afternoon": _HALF_DAY, "evening": _HALF_DAY}
_CENTS = ("cents", "cent", "pence")
_CURRENCIES = frozenset(("euros", "euro", "pounds", "pound", "dollars", "dollar", "francs", "franc"))
_LISTING = frozenset((",", "and", "&"))
_LAST_JOINT = frozenset(("and", "&"))
_SHORT_WORD = 4
_BEFORE_DAYS = frozenset(
    (
        *("between", "until", "till", "before", "after", "since", "both", "through", "during"),
        *("day", "days", "date", "dates", "evening", "evenings", "morning", "mornings"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    )
)
"""Words, besides those without content, behind which a number may be a day."""
_BETWEEN = frozenset(("-", "to", "or", "until", "and", "/"))


def join_numbers(result: list[TextToken]) -> None:
    """Numbers in words ("twenty-one"), noon and midnight, and the second day of "March 16-19"."""
    at = 0
    while at < len(result):
        token = result[at]
        if token.kind == "word":
            if token.text in COUNTS:
                at = _spelled_number(result, at)
            elif token.text in ("noon", "midday", "midnight"):
                time = "00:00" if token.text == "midnight" else "12:00"
                token.values = {"time": frozenset((time,))}
        elif token.kind == "value" and "whole" in token.values and at >= 2:
            _second_day(result, at)
        elif "date" in token.values:
            _days_before(result, at)
        at += 1
    _join_hours(result)
    if any(token.text in _CURRENCIES for token in result):
        _join_currencies(result)
    if any(token.text in _CENTS or token.text.endswith(_CENTS) for token in result):
        _join_cents(result)


def _join_currencies(result: list[TextToken]) -> None:
    """The amount of "twenty-five pounds", and of "one hundred and ninety-seven euros eighty"."""
    for at, token in enumerate(result):
        if token.text not in _CURRENCIES:
            continue
        last = at - 1 - (at > 1 and result[at - 1].kind == "word" and result[at - 1].text == "swiss")
        first = last
        while first > 0 and "part" in result[first].values:
            first -= 1
        number = _whole_number(result, first) if first >= 0 and result[first].kind == "word" else -1
        if number < 0 or "spelled" not in result[first].values:
            continue
        end, cents = _odd_cents(result, at + 1)
        for part in result[first + 1 : end]:
            part.values, part.unit = {"part": frozenset((0,))}, ""
        value = 100 * number + cents
        result[first].values = {"money_cents": frozenset((value,)), "number": frozenset((value / 100,))}
        if not cents:
            result[first].values["number"] = frozenset((number,))
        result[first].unit = "money"


def _odd_cents(result: list[TextToken], at: int) -> tuple[int, int]:
    """Where what is told behind a currency ends, and how many cents it is: "fifty" of "six pounds fifty"."""
    number = _whole_number(result, at) if at < len(result) and result[at].kind == "word" else -1
    last = at + 1
    while last < len(result) and "part" in result[last].values:
        last += 1
    is_noun = last < len(result) and result[last].kind == "word" and result[last].text not in STOP_WORDS
    return (last, number) if _TEN <= number < _CENTS_OF_ONE and not is_noun else (at, 0)


def _join_hours(result: list[TextToken]) -> None:
    """The hour of "nine in the morning" or "2 in the afternoon"."""
    for at, token in enumerate(result[:-3]):
        half = _HALVES.get(result[at + 3].text) if result[at + 1].text == "in" else None
        if half is None or result[at + 2].text != "the":
            continue
        hour = _whole_number(result, at)
        if 1 <= hour <= _HALF_DAY and "date" not in token.values:
            token.values = {"time": frozenset((f"{hour % _HALF_DAY + half:02d}:00",))}


def _join_cents(result: list[TextToken]) -> None:
    """One amount of "fifty-three euros and five cents"."""
    for at in range(1, len(result)):
        first, amount = _amount_before(result, at)
        begin = at + (result[at].text == "and")
        last, cents = _cents_from(result, begin) if amount >= 0 else (0, 0)
        if not last:
            continue
        for token in result[first + 1 : last + 1]:
            token.values, token.unit = {"part": frozenset((0,))}, ""
        value = amount + cents
        result[first].values = {"money_cents": frozenset((value,)), "number": frozenset((value / 100,))}
        result[first].unit = "money"


def _amount_before(result: list[TextToken], at: int) -> tuple[int, int]:
    """Where an amount without cents begins that ends before a place, and its cents; -1 where none does."""
    token = result[at - 1]
    if token.unit == "money":
        values = token.values.get("money_cents", frozenset())
        whole = [value for value in values if isinstance(value, int) and value % 100 == 0]
        return at - 1, whole[0] if len(values) == len(whole) == 1 else -1
    first = at - 2
    while first > 0 and "part" in result[first].values:
        first -= 1
    number = _whole_number(result, first) if token.text in _CURRENCIES and first >= 0 else -1
    return first, 100 * number if number >= 0 else -1


def _cents_from(result: list[TextToken], at: int) -> tuple[int, int]:
    """Where cents end that begin at a place, and how many they are; 0 where there are none."""
    if at >= len(result):
        return 0, 0
    token = result[at]
    if token.unit == "money" and token.text.endswith(_CENTS):
        values = token.values.get("money_cents", frozenset())
        return at, next((value for value in values if isinstance(value, int) and 0 < value < 100), 0)
    number, last = _whole_number(result, at), at + 1
    while last < len(result) and "part" in result[last].values:
        last += 1
    is_cents = 0 < number < 100 and last < len(result) and result[last].text in _CENTS
    return (last, number) if is_cents else (0, 0)


def _whole_number(result: list[TextToken], at: int) -> int:
    return next((n for n in result[at].values.get("number", ()) if isinstance(n, int)), -1)


def _spelled_number(result: list[TextToken], at: int) -> int:
    """Read a number in words, "nine hundred and twenty", from its first word; where its last one stands."""
    last, thousands, value = at, 0, COUNTS[result[at].text]
    scale = _SCALES.get(result[at].text, 0)
    for place in range(at + 1, min(at + _MOST_SPELLED, len(result))):
        text, before = result[place].text, result[place - 1].text
        if text == "and" and before in _LARGE:
            continue
        number = COUNTS.get(text, 0)
        is_small = 1 <= number <= 9 if before in TENS else before in (*_LARGE, "and") and 1 <= number < 100
        if text in _SCALES and before not in (*_SCALES, "and"):
            scale = _SCALES[text]
            value *= scale
            thousands, value = (value, 0) if text == "thousand" else (thousands, value)
        elif is_small and not _begins_another(result, place, scale, thousands):
            value += number
        else:
            break
        last = place
    for place in range(at + 1, last + 1):
        result[place].values = {"part": frozenset((0,))}
    decimals = _decimals(result, last)
    if decimals:
        for place in range(last + 1, last + 1 + len(decimals) + 1):
            result[place].values = {"part": frozenset((0,))}
        with_decimals = float(f"{thousands + value}.{decimals}")
        result[at].values = {name: frozenset((with_decimals,)) for name in ("number", "spelled")}
        return last + 1 + len(decimals)
    result[at].values = {name: frozenset((thousands + value,)) for name in ("number", "spelled")}
    if last > at:
        result[at].values["whole"] = frozenset((100 * (thousands + value),))
    return last


def _decimals(result: list[TextToken], last: int) -> str:
    """The digits in words behind "point": "twenty-five point three"; "" where none are."""
    if last + 1 >= len(result) or result[last + 1].text != "point":
        return ""
    words = (token.text for token in result[last + 2 : last + 2 + _MOST_DECIMALS])
    return "".join(
        str(COUNTS[word]) for word in takewhile(lambda word: 0 <= COUNTS.get(word, -1) <= 9, words)
    )


def _begins_another(result: list[TextToken], place: int, scale: int, thousands: int) -> bool:
    """Whether a small number behind a scale begins another: "two hundred and three hundred" are two.

    Not where its own scale fits the number: "two hundred and five thousand", "one thousand and two hundred".

    Args:
        result: The tokens.
        place: Where the small number stands.
        scale: The scale before it; 0 where there is none.
        thousands: The thousands that are read.
    """
    words = [token.text for token in result[place : place + 3]]
    if words[0] in TENS and 1 <= COUNTS.get(words[1] if len(words) > 1 else "", 0) <= 9:
        words = words[1:]
    own = _SCALES.get(words[1] if len(words) > 1 else "", 0)
    if not own or not scale:
        return False
    is_of_thousands = own == _SCALES["thousand"] and scale == _SCALES["hundred"] and not thousands
    if result[place - 1].text == "and" and own == _SCALES["dozen"]:
        return True
    return not (own < scale or is_of_thousands)


def _days_before(result: list[TextToken], at: int) -> None:
    """Make days, too, of the numbers before "21 July" in "15, 17 and 21 July", none of "court 4, 21 July"."""
    text, days = result[at].text, result[at].values["date"]
    if len(days) != 1 or not text[0].isdecimal() or text[:3].isdecimal() or not text.islower():
        return
    (day,) = days
    year, month, limit = str(day)[:4], str(day)[5:7], int(str(day)[8:])
    places: list[tuple[int, int]] = []
    first, joints = at, _LAST_JOINT
    while (place := _listed_before(result, first, joints)) >= 0:
        token = result[place]
        (number, *_) = token.values.get("number") or token.values["ordinal"]
        if not isinstance(number, int) or not 1 <= number < limit:
            return  # they do not rise: they are no days of one list
        places.append((place, number))
        first, limit, joints = place, number, _LISTING
    before = result[first - 1] if first else None
    if not places or (before is not None and _is_noun(before)):
        return
    for place, number in places:
        iso = (
            iso_day(year, month, number) if year != "0000" else yearless(int(month), f"{month}-{number:02d}")
        )
        if iso:
            result[place].values = {**result[place].values, "date": frozenset((iso,))}


def _listed_before(result: list[TextToken], at: int, joints: frozenset[str]) -> int:
    """Where a plain number or ordinal stands that a list has before a place; -1 where there is none."""
    place = at - 1
    if place >= 0 and result[place].text == "the":
        place -= 1
    if place < 1 or result[place].text not in joints:
        return -1
    place -= 2 if joints is _LAST_JOINT and result[place - 1].text == "," else 1
    if place < 0:
        return -1
    token = result[place]
    is_plain = token.kind == "value" and ("whole" in token.values or "ordinal" in token.values)
    return place if is_plain and not token.unit and token.text[0].isdecimal() else -1


def _is_noun(token: TextToken) -> bool:
    """Whether a word may be what a number behind it is of, "court 4", for all that can be seen."""
    is_other = token.text in STOP_WORDS or token.text in _BEFORE_DAYS
    is_past = len(token.text) > _SHORT_WORD and token.text.endswith("ed")
    return token.kind in ("word", "code") and not is_other and not is_past


def _second_day(result: list[TextToken], at: int) -> None:
    """Make a day of the number after "March 16 -"."""
    token, sign, first = result[at], result[at - 1], result[at - 2]
    days = first.values.get("date")
    if sign.text not in _BETWEEN or not days or len(days) != 1 or not first.text[0].isalpha():
        return
    if sign.text == "and" and token.start - first.end > 6:
        return
    (day,), (number,) = days, token.values["number"]
    if isinstance(number, int) and 1 <= number <= 31:
        year, month = str(day)[:4], str(day)[5:7]
        iso = (
            iso_day(year, month, number) if year != "0000" else yearless(int(month), f"{month}-{number:02d}")
        )
        if iso:
            token.values = {"date": frozenset((iso,))}
