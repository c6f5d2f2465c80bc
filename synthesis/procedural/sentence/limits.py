"""Limits: numbers that a sentence states as rules, "at most three", "two months' notice"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import Literal

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import verbs
from synthesis.procedural.sentence.tokens import MODALS, SentenceToken

_NUMBERS = {
    word: number
    for number, word in enumerate(
        (
            *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
            *("twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
        ),
        1,
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80}
_MOST = (
    *(("at", "most"), ("up", "to"), ("no", "more", "than"), ("not", "more", "than"), ("maximum", "of")),
    *(("no", "longer", "than"), ("not", "longer", "than"), ("limited", "to")),
)
"""Words behind which a number is the largest that is allowed."""
_LONGEST_MOST = max(map(len, _MOST))
_LONGEST_NOUN = 3
_MOST_DIGITS = 9
"""Digits of a number that is read; what has more may be too long for a number at all."""
_LEAST = (
    *(("at", "least"), ("no", "less", "than"), ("not", "less", "than"), ("no", "fewer", "than")),
    ("minimum", "of"),
)
"""Words behind which a number is the smallest that is allowed."""
_DENIED = frozenset(("no", "not", "nobody", "never", "none", "cannot"))
RATES = frozenset(("a", "an", "per", "each", "every"))
_WITHIN = frozenset(("in", "within", "per", "every"))
_EACH = frozenset(("per", "each", "every"))
_OFTEN = {"once": 1, "twice": 2}
_DESCRIBING = frozenset(("with", "without", "of", "from", "who"))
_APART = frozenset(("between", "apart"))
RULING = frozenset(("allow", "permit", "limit", "restrict", "last"))
"""Verbs that say nothing but the rule they stand in: "allows loans of up to 21 days"."""
_RULING_NEAR = 5
_HOLDING = frozenset(("loan", "rental", "hire", "letting"))
"""Patterns of verbs by which somebody has something for a time."""
_NEW_CLAUSE = frozenset(("that", "which", "who", "and", "but", "if", "when"))
_YOUNGEST, _OLDEST = 6, 99
_BEING = frozenset(("be", "are", "is"))
_NOBODY = (("nobody",), ("none",), ("no", "one"), ("no-one",))
_AHEAD = (("ahead",), ("before",), ("beforehand",), ("earlier",), ("in", "advance"))
_LONGEST_CONTEXT = 14
DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}
_LENGTHS = {**DAYS_OF, "night": 1}
TIMES = frozenset((*_LENGTHS, "hour", "minute"))

LimitKind = Literal[
    "most",
    "notice",
    "longest",
    "shortest",
    "ahead",
    "within",
    "wait",
    "rate",
    "only",
    "age",
    "hours",
    "proof",
    "recur",
    "exempt",
]


@dataclass(frozen=True)
class Proof:
    """What somebody or something must have or be, as a flag of the records.

    Attributes:
        affirmed: That it is so, of one: "has been referred".
        denied: That it is not: "has not been referred".
        plural: That it is so of several: "have been referred".
        column: The name of the flag: "referred".
    """

    affirmed: str
    denied: str
    plural: str
    column: str


@dataclass(frozen=True)
class StatedLimit:
    """A number that a sentence states.

    Attributes:
        kind: `most` things at one time, so much `notice`, for how long at the `longest` or `shortest`, so
            long `ahead`, `within` so long, a `wait` of so long between two, so many in a time, a `rate`,
            so many `hours` at the most, that `only` some may have something new, from what `age` on,
            what `proof` there must be, after how long something is to `recur`, or who
            is `exempt` from paying.
        number: How many.
        unit: The time that is counted, in the singular, or that a rate is for; "" where none is.
        tokens: The words that say so.
        noun: The words behind the number that say what is counted, or who alone may, in the singular; ""
            where none do.
        before: Words in front of them, the nearest first.
        proof: What there must be; None of other kinds.
        units: Of a rate, how many of its unit its time is: 6 of "three in six months".
    """

    kind: LimitKind
    number: int
    unit: str
    tokens: tuple[SentenceToken, ...]
    noun: str = ""
    before: tuple[str, ...] = field(default=(), compare=False)
    proof: Proof | None = None
    units: int = 1

    @property
    def days(self) -> int:
        """Its length in days, of a rate that of its time; 0 where no time is counted."""
        return (self.units if self.kind == "rate" else self.number) * _LENGTHS.get(self.unit, 0)

    @property
    def is_of_somebody(self) -> bool:
        """Whether it is not what the business can do in all: "three services a day"."""
        words = {*self.before, *(token.word for token in self.tokens)}
        return self.kind != "rate" or self.unit != "day" or bool(words & _EACH)

    @property
    def times(self) -> tuple[SentenceToken, ...]:
        """Those of its words that name a time and mean nothing else; a notice is sent."""
        if self.kind in ("most", "notice") or not self.is_of_somebody:
            return ()
        return tuple(token for token in self.tokens if singular(token.word) in _LENGTHS)


def limits_of(tokens: list[SentenceToken]) -> Iterator[StatedLimit]:
    """The limits that a text states, in order; "at most two hours" is none on how many there are."""
    read: tuple[SentenceToken, ...] = ()
    for place, token in enumerate(tokens):
        if token.word == "only" and (end := end_of_permission(tokens, place)):
            people = singular(" ".join(each.word for each in tokens[place + 1 : end - 2]))
            yield StatedLimit("only", 1, "", tuple(tokens[place:end]), people)
        number = _OFTEN.get(token.word) or number_at(tokens, place)
        number = number or _held_for_one(tokens, place) or _called_off_one_before(tokens, place)
        if not number or number > DAYS_OF["year"] or token in read:
            continue
        behind = tokens[place + 1 : place + 1 + _LONGEST_NOUN + 6]
        unit = singular(behind[0].word) if behind and token.word not in _OFTEN else ""
        limit = _of_age(tokens, place, number) or (
            _of_time(tokens, place, number, unit)
            if unit in TIMES
            else _of_things(tokens, place, number, behind)
        )
        if limit is not None:
            read = limit.tokens
            context = list(reversed(tokens[max(0, place - _LONGEST_CONTEXT) : place]))
            before = tuple(each.word for each in context)
            yield replace(limit, before=before, tokens=(*_ruling(context), *limit.tokens))


def _ruling(context: list[SentenceToken]) -> list[SentenceToken]:
    """The words in front of a limit that only say that it is one, the nearest first: "a stay lasts"."""
    near = [at for at, token in enumerate(context[:_RULING_NEAR]) if token.verb in RULING]
    return [token for token in context[: near[0] + 3] if token.is_content] if near else []


def _of_time(tokens: list[SentenceToken], place: int, number: int, unit: str) -> StatedLimit | None:
    """What is said of so many days, weeks or months; None where it is no rule, or one of hours."""
    if unit not in _LENGTHS:
        return _of_hours(tokens, place, number, unit)
    before = tuple(token.word for token in tokens[max(0, place - _LONGEST_MOST) : place])
    tail = tuple(token.word for token in tokens[place + 2 : place + 4])
    most = _ending(before, _MOST) or named_bound(before, "maximum")
    least = _ending(before, _LEAST) or named_bound(before, "minimum")
    if before[-2:] in (("longer", "than"), ("more", "than")):
        denied = any(each.word in _DENIED for each in tokens[max(0, place - _LONGEST_CONTEXT // 2) : place])
        most = before[-2:] if denied else ()
    kind: LimitKind | None = None
    words, end = most or least, place + 2
    if tail[:1] == ("notice",):
        kind, words, end = "notice", (), place + 3
    elif ahead := next((one for one in _AHEAD if tail[: len(one)] == one), ()):
        cancels = _is_of_cancelling(tokens, place)
        kind = "notice" if cancels else "ahead" if least else None
        words, end = (words, place + 2 + len(ahead)) if kind else (words, end)
    elif tail[:1] and tail[0] in _APART:
        kind, end = "wait", place + 3
    elif before[-2:] == ("again", "after"):
        verb = tokens[place - 3 : place - 2]  # "may give again after": what is done again
        kind, words = "wait", before[-3:] if verb and verb[0].is_content else before[-2:]
    elif named := _of_word_before(tokens, place):
        kind, words = named, before[-1:]
    elif tail in (("at", "most"), ("at", "least")):
        kind, words, end = ("longest" if tail[1] == "most" else "shortest"), (), place + 4
    elif words and not _rate_in(tokens[place + 1 : place + 4]):
        kind = "longest" if most else "shortest"
    return StatedLimit(kind, number, unit, tuple(tokens[place - len(words) : end])) if kind else None


def _of_word_before(tokens: Sequence[SentenceToken], place: int) -> LimitKind | None:
    """What "within" or "for" in front of a time makes of it; None where it is no rule."""
    before = tokens[place - 1].word if place else ""
    if before == "for" and _is_of_holding(tokens, place - 1):
        return "longest"
    return "within" if before == "within" else None


def _is_of_holding(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether "for two weeks" says how long one has something: "lends laptops to readers for two weeks"."""
    for token in reversed(tokens[max(0, place - _LONGEST_CONTEXT // 2) : place]):
        if not token.is_word or token.word in _NEW_CLAUSE:
            return False
        if verbs().get(token.verb) in _HOLDING:
            return True
    return False


def _held_for_one(tokens: Sequence[SentenceToken], place: int) -> int:
    """1 for "a" in "borrow three tools for a week"; 0 where nothing is held for that time."""
    behind = tokens[place + 1 : place + 2]
    one = tokens[place].word in ("a", "an") and bool(behind) and singular(behind[0].word) in _LENGTHS
    return int(one and place > 0 and tokens[place - 1].word == "for" and _is_of_holding(tokens, place - 1))


def _called_off_one_before(tokens: Sequence[SentenceToken], place: int) -> int:
    """1 for "a" in "who cancel less than a day before"; 0 where nothing is called off so long before."""
    behind = tokens[place + 1 : place + 2]
    one = tokens[place].word in ("a", "an") and bool(behind) and singular(behind[0].word) in _LENGTHS
    tail = tuple(token.word for token in tokens[place + 2 : place + 4])
    ahead = any(tail[: len(words)] == words for words in _AHEAD)
    return int(one and ahead and _is_of_cancelling(tokens, place))


def _is_of_cancelling(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether a time says how long before one has to cancel: "must cancel two days ahead"."""
    before = tokens[max(0, place - _LONGEST_MOST - 1) : place]
    return any(token.verb == "cancel" for token in before)


def _of_age(tokens: list[SentenceToken], place: int, number: int) -> StatedLimit | None:
    """ "Nobody under 18", "must be at least 18": from what age on one may; None where nothing says so."""
    before = tuple(token.word for token in tokens[max(0, place - _LONGEST_MOST) : place])
    behind = tokens[place + 1 : place + 2]
    years = 1 if behind and singular(behind[0].word) == "year" else 0
    if not _YOUNGEST <= number <= _OLDEST or (behind and behind[0].is_content and not years):
        return None
    young = before[-1:] == ("under",) and bool(_ending(before[:-1], _NOBODY))
    if young or (before[-2:] == ("at", "least") and before[-3:-2] and before[-3] in _BEING):
        first = place - (1 if young else 2)
        return StatedLimit("age", number, "", tuple(tokens[first : place + 1 + years]))
    return None


def _of_hours(tokens: list[SentenceToken], place: int, number: int, unit: str) -> StatedLimit | None:
    """What is said of so many hours: for how many, or how many before something is still free."""
    before = tuple(token.word for token in tokens[max(0, place - _LONGEST_MOST) : place])
    words, behind = _ending(before, _MOST), tokens[place + 2 : place + 4]
    tail = tuple(token.word for token in behind)
    ahead = next((one for one in _AHEAD if tail[: len(one)] == one), ())
    if ahead and unit == "hour" and number % 24 == 0 and _is_of_cancelling(tokens, place):
        first = place - len(_ending(before, _LEAST))
        return StatedLimit("notice", number // 24, "day", tuple(tokens[first : place + 2 + len(ahead)]))
    closing = 2 if [token.word for token in behind] == ["at", "most"] else 0
    if unit != "hour" or not (words or closing) or _rate_in(tokens[place + 1 : place + 4]):
        return None
    if behind and behind[0].word == "before":
        notice = tuple(tokens[place - len(words) : place + 3])
        return StatedLimit("notice", number // 24, "day", notice) if number % 24 == 0 else None
    wording = tuple(tokens[place - len(words) : place + 2 + closing])
    if number % 24 == 0 and number > 24:
        return StatedLimit("longest", number // 24, "day", wording)
    return StatedLimit("hours", number, unit, wording)


def _of_things(
    tokens: list[SentenceToken], place: int, number: int, behind: list[SentenceToken]
) -> StatedLimit | None:
    """How many there may be at one time or in a time; None where nothing says so."""
    before = tuple(token.word for token in tokens[max(0, place - _LONGEST_MOST) : place])
    stated = _ending(before, _MOST)
    closing = 0 if stated else _most_behind(behind)
    noun = "" if tokens[place].word in _OFTEN else _counted(behind[:_LONGEST_NOUN])
    begin = place - len(stated)
    rated = _rate_in(behind)
    if rated and all(token.is_content for token in behind[: rated[0]]):  # not "three tools for a week"
        _, last, unit = rated
        at_most = [token.word for token in behind[last : last + 2]] == ["at", "most"]
        words = tuple(tokens[begin : place + 1 + last + 2 * at_most])
        return StatedLimit("rate", number, unit, words, noun) if stated or at_most else None
    if stated and (several := _in_several(behind)):
        last, units, unit = several
        words = tuple(tokens[begin : place + 1 + last])
        return StatedLimit("rate", number, unit, words, noun, units=units)
    if tokens[place].word in _OFTEN or not (stated or closing):
        return None
    if behind and singular(behind[0].word) == "percent":
        return None
    return StatedLimit("most", number, "", (*tokens[begin : place + 1], *behind[closing - 2 : closing]), noun)


def _ending(before: tuple[str, ...], phrases: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """With which of some phrases the words in front of a number end; () with none."""
    return next((words for words in phrases if before[-len(words) :] == words), ())


def named_bound(before: tuple[str, ...], bound: str) -> tuple[str, ...]:
    """The words of "a minimum stay of" in front of a number; () where they are others."""
    return before[-3:] if before[-3:][:1] == (bound,) and before[-1] == "of" else ()


def _rate_in(behind: list[SentenceToken]) -> tuple[int, int, str] | None:
    """Where "a week" or "per member a month" begins and ends behind a number, and its time; None without."""
    for place, (one, other) in enumerate(pairwise(behind)):
        if one.word in RATES and singular(other.word) in DAYS_OF:
            first = place - 2 if place >= 2 and behind[place - 2].word == "per" else place
            person = behind[place + 2 : place + 4]
            more = 2 if len(person) == 2 and person[0].word == "per" else 0
            return first, place + 2 + more, singular(other.word)
    return None


def _in_several(behind: list[SentenceToken]) -> tuple[int, int, str] | None:
    """Where "in six months" ends behind what is counted, how many of what time it is; None without."""
    for place, (one, number, time) in enumerate(zip(behind, behind[1:], behind[2:], strict=False)):
        if not one.is_content and one.word not in _WITHIN:
            return None
        if one.word in _WITHIN and number_of(number) > 1 and singular(time.word) in DAYS_OF:
            return place + 3, number_of(number), singular(time.word)
    return None


def end_of_permission(tokens: Sequence[SentenceToken], place: int, *, described: bool = False) -> int:
    """Where "only members may book" ends; 0 where nobody alone may.

    Args:
        tokens: The text.
        place: Where "only" is.
        described: Whether those who may can be described, "only students with a certificate may fly".
    """
    near = range(place + 2, min(place + 2 + 2 * _LONGEST_NOUN, len(tokens) - 1))
    modal = next((at for at in near if tokens[at].word in MODALS), 0)
    noun = list(takewhile(lambda each: each.is_content, tokens[place + 1 : modal]))
    rest = tokens[place + 1 + len(noun) : modal]
    is_of_people = modal and noun and (not rest or (described and rest[0].word in _DESCRIBING))
    return modal + 2 if is_of_people else 0


def number_at(tokens: Sequence[SentenceToken], place: int) -> int:
    """The number that stands somewhere; 1 for "a" in "within a week", and 0 where none does."""
    token = tokens[place]
    if token.word not in ("a", "an"):
        return number_of(token)
    behind = tokens[place + 1 : place + 2]
    before = [each.word for each in tokens[max(0, place - 2) : place]]
    bounds = (["again", "after"], ["at", "least"], ["at", "most"], ["up", "to"], ["more", "than"])
    bounded = before[-1:] == ["within"] or before in bounds
    return int(bounded and bool(behind) and singular(behind[0].word) in TIMES)


def number_of(token: SentenceToken) -> int:
    """The number that a word or digits write; 0 where they write none."""
    return _NUMBERS.get(token.word) or _written_number(token.word)


def _counted(behind: list[SentenceToken]) -> str:
    """The words of the noun with which what follows a number begins: "small boats" of "small boats each"."""
    words = takewhile(lambda token: token.is_content, behind)
    return singular(" ".join(token.word for token in words))


def _most_behind(behind: list[SentenceToken]) -> int:
    """How many tokens behind a number end with "at most", as in "six books at most"; 0 where none do."""
    for end in range(2, len(behind) + 1):
        if [token.word for token in behind[end - 2 : end]] == ["at", "most"]:
            return end if all(token.is_content for token in behind[: end - 2]) else 0
    return 0


def _written_number(word: str) -> int:
    return int(word) if len(word) <= _MOST_DIGITS and word.isdecimal() else 0
