"""Tokens: a text as words and values; codes, days, times and amounts are recognised before plain numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from synthesis.reading.days import iso_day, yearless
from synthesis.reading.joined_numbers import join_numbers
from synthesis.reading.lexicon import (
    COUNTS,
    MONTHS,
    UNITS,
)
from synthesis.reading.text_token import Kind, Plain, TextToken
from synthesis.reading.words import key, spelled

MOST_DIGITS = 18
"""Digits of a number; what has more is a code."""

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WHOLE = r"(?:\d{1,3}(?:[,' ]\d{3}){1,5}(?![\d])|\d{1,18})"
_AMOUNT = (
    r"(?:\d{1,3}(?:\.\d{3}){1,5},\d\d(?!\d)|\d{1,3}(?:[,' ]\d{3}){1,5}(?:[.,]\d{1,4})?(?!\d)"
    r"|\d{1,18}(?:[.,]\d{1,6})?)"
)
_CURRENCY = (
    r"(?:[\u20ac$\u00a3\u00a5]|(?:eur(?:os?)?|usd|gbp|chf|dollars?|pounds?|francs?|kr|sek|nok|dkk)(?![a-z]))"
)
_ORDINAL = r"(?:st|nd|rd|th)?"
_PLAIN_WORD = (
    rf"(?:(?!{_MONTH}\b|{_CURRENCY}|x\b)[a-z]{{1,60}})(?!\s?o'clock\b)(?:[ ]|(?=[,.;:!?]{{0,2}}(?:[ \n]|\Z)))"
)
"""A word, and the space after it, with which no other kind of token begins: most of a text."""

_MASTER = re.compile(
    rf"""
  (?P<plain>{_PLAIN_WORD})
| (?P<line>\n)
| (?P<space>[ ]{{1,400}})
| (?P<url>https?://[^\s|<>"]{{1,300}})
| (?P<mail>[\w.+-]{{1,64}}@[a-z0-9-]{{1,63}}(?:\.[a-z0-9-]{{1,63}}){{1,4}})
| (?P<iso>(?P<iso_y>\d{{4}})[-/.](?P<iso_m>\d\d?)[-/.](?P<iso_d>\d\d?)(?![\d]))(?:t(?=\d\d:))?
| (?P<slash>(?P<s_a>\d\d?)(?P<s_s>[./-])(?P<s_b>\d\d?)(?P=s_s)(?P<s_y>\d{{4}}|\d\d)(?![\w]|[./-]\d))
| (?P<shortday>(?<![\w/.-])(?P<sd_a>\d\d?)/(?P<sd_b>\d\d?)(?![\w/-]|[.,]\d))
| (?P<daymonth>(?P<dm_d>\d\d?){_ORDINAL}(?:\s{{1,2}}day)?(?:\s{{1,2}}of)?[ -]{{1,2}}(?P<dm_m>{_MONTH})\b\.?
    (?:,?(?:\s{{1,2}}of)?[ -]{{1,2}}(?P<dm_y>\d{{4}})\b(?![:/]\d))?)
| (?P<rangeday>(?P<rd_d>\d\d?){_ORDINAL}
    (?=\s{{0,2}}(?:-|to|or|until|till|through|/|\u2192)\s{{0,2}}(?:the\s)?\d\d?{_ORDINAL}
    (?:\s{{1,2}}of)?\s{{1,2}}(?P<rd_m>{_MONTH})\b\.?(?:,?\s{{1,2}}(?P<rd_y>\d{{4}})\b)?))
| (?P<monthday>(?P<md_m>{_MONTH})\.?[ -]{{1,2}}(?:the\s)?(?P<md_d>\d\d?){_ORDINAL}\b
    (?!:\d|[.]\d|\s?[ap]\.?m\b)(?:,?[ -]{{1,2}}(?P<md_y>\d{{4}})\b(?!:\d))?)
| (?P<clock>(?P<c_h>\d\d?)[:h](?P<c_m>\d\d)(?::\d\d(?:\.\d{{1,6}})?)?(?!\d|:\d)
    (?:\s?(?P<c_p>[ap])(?:\.\s?m\b\.?|\s?m\b))?)
| (?P<dotclock>(?P<dc_h>\d\d?)\.(?P<dc_m>\d\d)\s?(?P<dc_p>[ap])(?:\.\s?m\b\.?|\s?m\b))
| (?P<hour>(?P<h_h>\d\d?)\s?(?P<h_p>[ap])(?:\.\s?m\b\.?|\s?m\b))
| (?P<oclock>(?P<o_h>\d\d?|[a-z]{{3,6}})\s?o'clock\b)
| (?P<money>(?P<m_c>{_CURRENCY})(?!(?<=[a-z])-\d)\s?(?P<m_sign>-)?(?P<m_a>{_AMOUNT})(?![\d])
    |(?P<m_neg>-)?(?P<m_b>{_AMOUNT})\s?(?P<m_cur>{_CURRENCY}))
| (?P<cents>(?P<cents_n>{_WHOLE})\s?cents?\b)
| (?P<count>(?P<n_x>(?<![\w.,-])x\s?(?=\d))?(?P<n_sign>(?<![\w)\]])-)?(?P<n_v>{_AMOUNT})
    (?:(?P<n_ord>st|nd|rd|th)\b|(?P<n_times>x)\b|(?=-[a-z]{{3,60}}(?![\w-]{{0,60}}\d))|(?P<n_unit>%|kg|km|cm|mm|min|mins|hrs?|h|l|g)(?!\w))?
    (?![\w]|[/_-][a-z0-9]{{0,60}}\d|[.,]\d|\#))
| (?P<compound>\#?[^\W_]{{1,60}}(?:[-_/.:\#+&']{{1,2}}[^\W_]{{1,60}}){{0,12}})
| (?P<sign>.)
""",
    re.VERBOSE | re.DOTALL,
)


_NO_VALUES: dict[str, frozenset[Plain]] = {}
"""Those of a word, which are replaced and never changed."""
Read = Callable[[re.Match[str], str, list[TextToken]], None]


def tokens(text: str) -> list[TextToken]:
    """The tokens of a plain text, in order; white space and Markdown's signs are left out."""
    low = text.lower()
    if len(low) != len(text):  # a few letters change their length; then their case is not known
        text = low
    result: list[TextToken] = []
    for match in _MASTER.finditer(low):
        read = _READERS.get(match.lastgroup or "")
        if read is not None:
            read(match, text, result)
    join_numbers(result)
    return result


@lru_cache(maxsize=16_384)
def _spelled_with_key(text: str) -> tuple[str, str]:
    one = spelled(text)
    return one, key(one)


def _word(text: str, start: int, capital: bool) -> TextToken:
    one, its_key = _spelled_with_key(text)
    return TextToken("word", one, start, start + len(text), _NO_VALUES, "", its_key, capital)


def _plain(match: re.Match[str], text: str, result: list[TextToken]) -> None:
    word, start = match[0].rstrip(" "), match.start()
    one, its_key = _spelled_with_key(word)
    capital = text[start].isupper()
    result.append(TextToken("word", one, start, start + len(word), _NO_VALUES, "", its_key, capital))


def _line(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    result.append(TextToken("line", "\n", match.start(), match.end()))


_IGNORED = frozenset("*_`\"'#\\^\u200b\ufeff")


def _sign(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    sign = match[0]
    if sign not in _IGNORED and not sign.isspace():
        result.append(TextToken("sign", sign, match.start(), match.end()))


def _code(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    result.append(TextToken("code", match[0], match.start(), match.end(), key=_squashed(match[0])))


def _squashed(text: str) -> str:
    return "".join(sign for sign in text if sign.isalnum())


_PARTS = re.compile(r"[^\W_]{1,60}|[^\w\s]|_")
_CLITIC = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))


def _compound(match: re.Match[str], text: str, result: list[TextToken]) -> None:
    """A word, a code, or words joined by signs."""
    word, start = match[0], match.start()
    if word.isalpha():  # nearly all of a text
        result.append(_word(word, start, text[start].isupper()))
        return
    digits = sum(sign.isdecimal() for sign in word)
    if not digits:
        _joined_words(word, start, text, result)
    elif digits == len(word):
        if digits > MOST_DIGITS:
            result.append(TextToken("code", word, start, match.end(), key=word))
        else:
            result.append(_number_token(word, start, match.end()))
    elif any(sign.isalpha() for sign in word) or digits >= 6 or word[0] == "#" or word.count("-") > 1:
        _code_with_end(word, start, result)
    else:
        for part in _PARTS.finditer(word):
            begin, end = start + part.start(), start + part.end()
            if part[0].isdecimal():
                result.append(_number_token(part[0], begin, end))
            else:
                result.append(TextToken("sign", part[0], begin, end))


def _code_with_end(word: str, start: int, result: list[TextToken]) -> None:
    """A code, without a possessive ending."""
    end = start + len(word)
    word = word.removesuffix("'s")
    result.append(TextToken("code", word, start, end, key=_squashed(word)))


def _joined_words(word: str, start: int, text: str, result: list[TextToken]) -> None:
    if word.isalpha():
        result.append(_word(word, start, text[start].isupper()))
        return
    if "'" in word:
        head, _, tail = word.rpartition("'")
        if tail in _CLITIC and head.isalpha():
            whole = word if tail == "t" else head
            result.append(_word(whole, start, text[start].isupper()))
            if tail != "t":
                result.append(_word(f"'{tail}", start + len(head), False))
            return
    for part in _PARTS.finditer(word):
        begin = start + part.start()
        if part[0][0].isalpha():
            result.append(_word(part[0], begin, text[begin].isupper()))
        elif part[0] in ":/.":
            result.append(TextToken("sign", part[0], begin, begin + 1))


def _number_token(digits: str, start: int, end: int) -> TextToken:
    return TextToken("value", digits, start, end, {"number": frozenset((int(digits),))})


def _count(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    written = match["n_v"]
    value = _decimal(written)
    if value is None:
        result.append(TextToken("code", match[0], match.start(), match.end(), key=_squashed(match[0])))
        return
    if match["n_sign"]:
        value = -value
    values: dict[str, frozenset[Plain]] = {"number": frozenset((_number(value),))}
    fraction = written[-4:].partition(".")[2] or written[-3:].partition(",")[2]
    if match["n_ord"]:
        values = {"ordinal": values["number"]}
    elif fraction and len(fraction) <= 2 and not match["n_unit"]:
        values["money_cents"] = frozenset((int(value * 100),))
        if len(fraction) == 2 and "," not in written and value >= 0:
            hour, _, minute = written.partition(".")
            if len(hour) <= 2 and int(hour) < 24 and int(minute) < 60:
                values["time"] = frozenset((f"{int(hour):02d}:{minute}",))
    elif not fraction and not match["n_unit"]:
        values["whole"] = frozenset((int(value * 100),))
    unit = UNITS.get(match["n_unit"] or "", "")
    result.append(TextToken("value", match[0], match.start(), match.end(), values, unit=unit))


def _decimal(written: str) -> Decimal | None:
    """A number however its thousands and its fraction are set apart; None where it has too many digits."""
    digits = written.replace("'", "").replace(" ", "")
    comma, point = digits.rfind(","), digits.rfind(".")
    if comma > point >= 0:
        digits = digits.replace(".", "").replace(",", ".")
    elif comma >= 0:
        tail = len(digits) - comma - 1
        decimal = tail in (1, 2) and digits.count(",") == 1 and point < 0
        digits = digits.replace(",", "." if decimal else "")
    if len(digits) > MOST_DIGITS + 8:
        return None
    return Decimal(digits)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _money(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    value = _decimal(match["m_a"] or match["m_b"])
    if value is None:
        result.append(TextToken("code", match[0], match.start(), match.end()))
        return
    if match["m_sign"] or match["m_neg"]:
        value = -value
    values: dict[str, frozenset[Plain]] = {
        "money_cents": frozenset((int(value * 100),)),
        "number": frozenset((_number(value),)),
    }
    result.append(TextToken("value", match[0], match.start(), match.end(), values, unit="money"))


def _cents(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    value = int("".join(sign for sign in match["cents_n"] if sign.isdigit()))
    values: dict[str, frozenset[Plain]] = {"money_cents": frozenset((value,))}
    result.append(TextToken("value", match[0], match.start(), match.end(), values, unit="money"))


def _day(result: list[TextToken], match: re.Match[str], days: set[str]) -> None:
    if days:
        values: dict[str, frozenset[Plain]] = {"date": frozenset(days)}
        result.append(TextToken("value", match[0], match.start(), match.end(), values))
    else:
        result.append(TextToken("code", match[0], match.start(), match.end(), key=_squashed(match[0])))


def _iso(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    _day(result, match, {iso_day(match["iso_y"], match["iso_m"], match["iso_d"])} - {""})


def _slash(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
    year = match["s_y"] if len(match["s_y"]) == 4 else f"20{match['s_y']}"
    days = {iso_day(year, match["s_b"], match["s_a"])}
    if match["s_s"] != ".":
        days.add(iso_day(year, match["s_a"], match["s_b"]))
    _day(result, match, days - {""})


def _short_day(match: re.Match[str], text: str, result: list[TextToken]) -> None:
    """A day and a month between which a slash stands, "13/03"; what may be a share, "8/10", is none."""
    first, last = match["sd_a"], match["sd_b"]
    has_zero = "0" in (first[0], last[0]) and len(first) == len(last) == 2
    days = {
        yearless(int(month), f"{int(month):02d}-{int(day):02d}")
        for day, month in ((first, last), (last, first))
        if len(month) == 2 and 1 <= int(month) <= 12 and (has_zero or int(day) > 12)
    } - {""}
    if days:
        _day(result, match, days)
    else:
        _compound(match, text, result)


def _written(prefix: str) -> Read:
    def read(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
        month = next(n for n, name in enumerate(MONTHS, 1) if name[:3] == match[f"{prefix}_m"][:3])
        year = match[f"{prefix}_y"] or "0000"
        day = f"{month:02d}-{int(match[f'{prefix}_d']):02d}"
        iso = iso_day(year, month, match[f"{prefix}_d"]) if year != "0000" else yearless(month, day)
        _day(result, match, {iso} - {""})

    return read


def _clock(prefix: str) -> Read:
    def read(match: re.Match[str], _text: str, result: list[TextToken]) -> None:
        groups = match.groupdict()
        minute = groups.get(f"{prefix}_m") or "00"
        time = _time(match[f"{prefix}_h"], minute, groups.get(f"{prefix}_p") or "")
        values: dict[str, frozenset[Plain]] = {"time": frozenset((time,))} if time else {}
        kind: Kind = "value" if time else "code"
        result.append(TextToken(kind, match[0], match.start(), match.end(), values))

    return read


def _time(hour: str, minute: str, half: str) -> str:
    hours = COUNTS.get(hour, 99) if hour.isalpha() else int(hour)
    if half:
        if not 1 <= hours <= 12:
            return ""
        hours = hours % 12 + (12 if half == "p" else 0)
    return f"{hours:02d}:{minute}" if hours < 24 and int(minute) < 60 else ""


def _oclock(match: re.Match[str], text: str, result: list[TextToken]) -> None:
    time = _time(match["o_h"], "00", "")
    if time:
        values: dict[str, frozenset[Plain]] = {"time": frozenset((time,))}
        result.append(TextToken("value", match[0], match.start(), match.end(), values))
    else:
        _joined_words(match["o_h"], match.start(), text, result)


_READERS: dict[str, Read] = {
    "plain": _plain,
    "line": _line,
    "sign": _sign,
    "url": _code,
    "mail": _code,
    "iso": _iso,
    "slash": _slash,
    "shortday": _short_day,
    "daymonth": _written("dm"),
    "rangeday": _written("rd"),
    "monthday": _written("md"),
    "clock": _clock("c"),
    "dotclock": _clock("dc"),
    "hour": _clock("h"),
    "oclock": _oclock,
    "money": _money,
    "cents": _cents,
    "count": _count,
    "compound": _compound,
}
