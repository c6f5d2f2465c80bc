"""Answer facts: whether a final answer holds what the task asks for, compared by value.

A fact holds when its value is said: 17000 cents as "170.00", "EUR 170" or "$170"; 2026-01-12 as
"12 January 2026", "January 12th" or "12.01.2026"; 09:40 as "9.40" or "9:40 am"; 2 as "two"; names
whatever their case, accents and white space, as whole words.

Where the answer is all that is measured (read tasks), it must also commit itself: an answer that lists
candidates until one fits says nothing. Saying another value of the same type is a contradiction, unless
the value

- stands in the instruction (the birth date by which a patient was named),
- is denied ("not 180.00"),
- takes part in a calculation of the right value ("95.00 + 75.00 = 170.00", "90.00 less 20.00 leaves 70.00"),
- is the other end of a range that begins with the right day or time ("from 09:40 to 10:00").
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Any

from synthesis.documents.tasks import AnswerFact, FactType
from synthesis.documents.verdict import CheckOutcome
from synthesis.worlds import comparison

Value = int | float | str
Reader = Callable[[str, int | None], set[Value]]

LONGEST_ANSWER = 20_000
"""Characters of an answer that are read: nobody needs more, and reading is not free."""
_MOST_CONTRADICTIONS = 40

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|nothing|without|cannot|unable|declin\w*|refus\w*|den(?:y|ied)|un\w+ed"
    r"|impossible|false|forbidden|\w+n't)\b"
)
_CLAUSE = re.compile(
    r"[.;:!?\n]+|,\s*(?=(?:but|so|and|he|she|it|they|i|we)\b)|\b(?:but|because|however|although)\b"
)
_CLAIM = (
    r"(?:\b(?:i|we)(?:'ve| have)?(?: now| just| already)?|\b(?:has|have|is|was|were)(?: now| been| just)*) "
)
_DENIED = r"(?:\bnot|\bno longer|\brather than|\binstead of|n't)(?: \w+){0,2} $"
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+", "the a an of is are was be may can has have to for by in on at it its his her their who"
    )
)
_STEM = 5
_MOST_SUMMANDS = 12
_WINDOW = 24
"""Characters that hold any one value."""


def facts_hold(
    facts: Sequence[AnswerFact],
    text: str,
    *,
    commits: bool = False,
    instruction: str = "",
    rivals: Mapping[str, Collection[str]] | None = None,
) -> tuple[CheckOutcome, ...]:
    """One outcome per fact, in order; names are unique and begin with "the answer says".

    Args:
        facts: What the answer must hold.
        text: The final answer; what is beyond `LONGEST_ANSWER` is not read.
        commits: Whether another value of the same type is a contradiction (read tasks).
        instruction: What was asked; its values contradict nothing.
        rivals: By fact name, other names that would be contradictions (for example all patients).
    """
    said = normalised(text[:LONGEST_ANSWER])
    outcomes = []
    for number, fact in enumerate(facts):
        problem = "" if _holds(fact, said) else "missing"
        if not problem and commits:
            extra = contradictions(
                fact, facts, said, normalised(instruction), (rivals or {}).get(fact.name, ())
            )
            problem = f"also says {', '.join(map(str, extra))}" if extra else ""
        name = f"the answer says: {fact.name}"
        if any(fact.name == other.name for other in facts[:number]):
            name = f"{name} ({number + 1})"
        outcomes.append(
            CheckOutcome(
                name=name, passed=not problem, detail={"expected": shown(fact), "problem": problem or None}
            )
        )
    return tuple(outcomes)


def normalised(text: str) -> str:
    """Lower case, no accents, straight quotes and hyphens, single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    for written, plain in (
        ("\u2019", "'"),
        ("\u2018", "'"),
        ("\u2011", "-"),
        ("\u2013", "-"),
        ("\u2014", " - "),
    ):
        text = text.replace(written, plain)
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(plain.casefold().split())


def shown(fact: AnswerFact) -> str:
    """A fact's value as a person would write it."""
    if fact.type == "money_cents":
        return f"{int(fact.value) / 100:,.2f}"
    if isinstance(fact.value, bool):
        return "yes" if fact.value else "no"
    return str(fact.value)


def values(type: FactType, text: str, *, year: int | None = None) -> set[Value]:
    """All values of a type that a text says; for types without a reader the empty set.

    Args:
        type: A fact's type.
        text: Where to look.
        year: What a day without a year means.
    """
    reader = _READERS.get(type)
    return reader(text, year) if reader else set()


def contradictions(
    fact: AnswerFact,
    facts: Sequence[AnswerFact],
    said: str,
    instruction: str,
    rivals: Collection[str] = (),
) -> list[Value]:
    """Other values of the fact's type in a text that it does not explain, sorted; see the module's text."""
    if is_told_apart_by_name(fact):
        wanted = {normalised(str(other.value)) for other in facts if is_told_apart_by_name(other)}
        named = _named(said, rivals) - _named(instruction, rivals)
        return sorted(
            name for name in named if name not in wanted and not any(name in right for right in wanted)
        )
    if fact.type not in _READERS:
        return []
    year = _year(fact)
    right = {other.value for other in facts if other.type == fact.type}
    known = right | values(fact.type, instruction, year=year)
    if fact.type == "number":  # a count may also be said as a sum of money or the other way round
        known |= {int(other.value) // 100 for other in facts if other.type == "money_cents"}
    extra = {value for value in values(fact.type, said, year=year) if value not in known}
    if len(extra) > _MOST_CONTRADICTIONS:  # a list of candidates, whatever it says about each
        return sorted(extra, key=str)[:_MOST_CONTRADICTIONS]
    extra -= {value for value in extra if _denied(fact.type, value, said, year)}
    if _explains(extra, {value for value in right if isinstance(value, int | float)}):
        return []
    extra -= _range_ends(fact, said, year)
    return sorted(extra, key=str)


def is_told_apart_by_name(fact: AnswerFact) -> bool:
    """Whether another value of the same column in the answer contradicts it.

    True for names and for texts with a digit (order numbers, codes). Other texts, as states, are words of
    the language: "the order placed in May is confirmed" names two states and hedges nothing.
    """
    return fact.type == "name" or (fact.type == "text" and any(sign.isdigit() for sign in str(fact.value)))


def mentions(text: str, phrase: str) -> bool:
    """Whether a normalised text has a phrase as whole words."""
    wanted = normalised(phrase)
    return bool(wanted) and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None


def _holds(fact: AnswerFact, said: str) -> bool:
    if not said:
        return False
    if fact.type == "boolean":
        return _says(fact.name, said) is fact.value
    if fact.type in _READERS:
        return fact.value in values(fact.type, said, year=_year(fact))
    return mentions(said, str(fact.value))


def _says(name: str, said: str) -> bool | None:
    """Whether a text affirms or denies what a fact is called; None when it does neither.

    The clauses that speak of it decide: it is denied when one of them is negated and none claims it was
    done. Where no clause speaks of it, the whole text does.
    """
    stems = {word[:_STEM] for word in re.findall(r"\w+", normalised(name)) if word not in _STOP_WORDS}
    clauses = [clause for clause in _CLAUSE.split(said) if clause and clause.strip()]
    about = [
        clause for clause in clauses if any(re.search(rf"\b{re.escape(stem)}", clause) for stem in stems)
    ]
    negated = [clause for clause in about or clauses if _NEGATION.search(clause)]
    if not negated:
        return True
    return None if any(_claims(clause, stem) for stem in stems for clause in about or clauses) else False


def _claims(clause: str, stem: str) -> bool:
    """Whether a clause says that it was done: "I cancelled", "has been cancelled", but not "nothing was
    cancelled".
    """
    return any(
        not re.search(r"(?:\bnothing|\bnone|\bno \w+|\bnever|\bneither)\W*$", clause[: match.start()])
        for match in re.finditer(rf"{_CLAIM}{re.escape(stem)}", clause)
    )


def _amounts(text: str, _year: int | None) -> set[Value]:
    return set(comparison.amounts(text))


def _dates(text: str, year: int | None) -> set[Value]:
    return set(comparison.dates(text, year))


def _times(text: str, _year: int | None) -> set[Value]:
    return set(comparison.times(text))


def _numbers(text: str, _year: int | None) -> set[Value]:
    return set(comparison.numbers(text))


_READERS: dict[FactType, Reader] = {
    "money_cents": _amounts,
    "date": _dates,
    "time": _times,
    "number": _numbers,
}


def _year(fact: AnswerFact) -> int | None:
    return date.fromisoformat(str(fact.value)).year if fact.type == "date" else None


def _named(text: str, candidates: Collection[str]) -> set[str]:
    return {normalised(name) for name in candidates if mentions(text, name)}


def _denied(type: FactType, value: Value, said: str, year: int | None) -> bool:
    """Whether every place that says the value denies it."""
    digits = [match.start() for match in re.finditer(r"\d|[a-z]+(?= \d)", said)]
    places = [
        at
        for at in digits
        if value in values(type, said[at : at + _WINDOW], year=year)
        and value not in values(type, said[at + 1 : at + 1 + _WINDOW], year=year)
    ]
    before = (said[:place].rstrip("0123456789\u20ac$\u00a3")[-40:] for place in places)
    return bool(places) and all(re.search(_DENIED, text) for text in before)


def _explains(extra: Collection[Value], right: Collection[Any]) -> bool:
    """Whether the extra values are exactly the parts of a sum or difference that gives a right value."""
    parts = [value for value in extra if isinstance(value, int | float)]
    if not 2 <= len(parts) <= _MOST_SUMMANDS:
        return False
    return sum(parts) in right or any(
        2 * biggest - sum(parts) in right for biggest in itertools.islice(sorted(parts, reverse=True), 1)
    )


def _range_ends(fact: AnswerFact, said: str, year: int | None) -> set[Value]:
    """Ends of ranges that begin with the fact's value: "09:40 to 10:00", "16 March - 3 April"."""
    if fact.type not in ("date", "time"):
        return set()
    ends: set[Value] = set()
    for match in re.finditer(r"\s(?:to|until|till|-)\s|(?<=\d)-(?=\d\d[:.])", said):
        start = said[max(0, match.start() - 24) : match.start()]
        if fact.value in values(fact.type, start, year=year):
            ends |= values(fact.type, said[match.end() : match.end() + 24], year=year)
    return ends
