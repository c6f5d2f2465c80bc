"""Answer facts: whether a final answer holds what the task asks for, as outcomes of checks.

The reader of free text decides (`synthesis.reading`): a fact holds when its value is said as the answer
to its question, in any usual form, and neither denied, doubted, one of several nor contradicted. Where the
answer is all that is measured (read tasks), a value without a label of its own is a contradiction too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence

from synthesis.documents.tasks import AnswerFact, FactType
from synthesis.documents.verdict import CheckOutcome
from synthesis.reading.document import ParsedText, phrase_index
from synthesis.reading.facts import FactReading
from synthesis.reading.judgement import judge_answer
from synthesis.worlds import comparison

Value = int | float | str
Reader = Callable[[str, int | None], set[Value]]

PREFIX = "the answer says: "
"""How the names of the project's own outcomes begin."""


def facts_hold(
    facts: Sequence[AnswerFact],
    text: str,
    *,
    commits: bool = False,
    instruction: str = "",
    distractors: Mapping[str, Collection[str]] | None = None,
) -> tuple[CheckOutcome, ...]:
    """One outcome per fact, in order; names are unique and begin with "the answer says".

    Args:
        facts: What the answer must hold.
        text: The final answer, an `Answer` where it declares more than its text.
        commits: Whether another value of the same type is a contradiction (read tasks).
        instruction: What was asked; its values contradict nothing.
        distractors: By fact name, other names that would be contradictions (for example all patients).
    """
    read = judge_answer(text, facts=facts, commits=commits, instruction=instruction, others=distractors)
    return fact_outcomes(facts, read.facts)


def fact_outcomes(facts: Sequence[AnswerFact], readings: Sequence[FactReading]) -> tuple[CheckOutcome, ...]:
    """What was read of facts, as outcomes in the same order."""
    outcomes = []
    for number, (fact, reading) in enumerate(zip(facts, readings, strict=True)):
        name = f"{PREFIX}{fact.name}"
        if any(fact.name == other.name for other in facts[:number]):
            name = f"{name} ({number + 1})"
        detail: dict[str, str | None] = {"expected": shown(fact), "problem": reading.problem or None}
        if reading.status == "unclear":
            detail["status"] = "unclear"
        unclear = reading.status == "unclear"
        outcomes.append(CheckOutcome(name=name, passed=reading.stated, detail=dict(detail), unclear=unclear))
    return tuple(outcomes)


def unclear_facts(outcomes: Sequence[CheckOutcome]) -> tuple[str, ...]:
    """Names of the facts that code could not decide."""
    return tuple(
        outcome.name.removeprefix(PREFIX)
        for outcome in outcomes
        if isinstance(outcome.detail, dict) and outcome.detail.get("status") == "unclear"
    )


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


def is_distinguished_by_name(fact: AnswerFact) -> bool:
    """Whether another value of the same column in the answer contradicts it.

    True for names and for texts with a digit (order numbers, codes). Other texts, as states, are words of
    the language: "the order placed in May is confirmed" names two states and hedges nothing.
    """
    return fact.type == "name" or (fact.type == "text" and any(sign.isdigit() for sign in str(fact.value)))


def mentions(text: str, phrase: str) -> bool:
    """Whether a text has a phrase as whole words."""
    return any(True for _ in ParsedText(text).phrases(phrase_index((phrase,))))


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
