"""Statements: whether an answer states a fact, or declines and says why; what verifiers ask by name.

Every sealed worker holds this; what only the project asks of an answer is not imported here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from synthesis.reading.acts import acts, names_like_denials
from synthesis.reading.answer import Answer
from synthesis.reading.document import ParsedText, parsed
from synthesis.reading.facts import FactReading, read_facts
from synthesis.reading.mentions import Fact
from synthesis.reading.refusals import DECLINED, DecliningReason, Refusal, read_refusal
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.structured import fits, given_value
from synthesis.reading.words import LONGEST_TEXT

_NOBODY = ("",)
"""People of whom nobody is known, so that a first name is taken for the one who has it."""


def says(answer: str, fact: Fact) -> bool:
    """Whether an answer asserts a fact; what else was asked is unknown: other values contradict nothing."""
    given = Answer.of(answer)
    others: dict[str, tuple[str, ...]] = {}
    read = read_facts(_parsed(str(given)), (fact,), commits=False, instruction="", others=others, alone=True)
    if fact.type == "name" and read[0].status == "missing":  # others of that first name are not known here
        others = {fact.name: _NOBODY}
        read = read_facts(
            _parsed(str(given)), (fact,), commits=False, instruction="", others=others, alone=True
        )
    return with_value(fact, read[0], given).stated


def declines(answer: str, *evidence: DecliningReason, instruction: str = "") -> bool:
    """Whether an answer says that it was not done, claims nothing to the contrary and names what stands in
    the way; without evidence, the reason is not looked at."""
    given = Answer.of(answer)
    document = _parsed(str(given))
    every_act = acts(document, asked_names(instruction))
    refusal = refusal_of(given, document, every_act, evidence, instruction, "")
    is_right = refusal.right if evidence else refusal.declines and not refusal.claims
    return is_right and not document.cut


@lru_cache(maxsize=8)
def _parsed(text: str) -> ParsedText:
    """An answer; a verifier asks of one several times, and is tried on many states with the same one."""
    return ParsedText(text)


@lru_cache(maxsize=512)
def asked_names(instruction: str) -> frozenset[str]:
    """Names in an instruction that look like denials."""
    return names_like_denials(parsed(instruction))


def with_value(fact: Fact, reading: FactReading, answer: Answer) -> FactReading:
    """A value that is given decides, unless the text contradicts it."""
    is_given, value = given_value(fact, answer.values)
    if not is_given:
        return reading
    if not fits(fact, value):
        return FactReading(fact.name, "contradicted", f"gives {str(value)[:80]!r}")
    if reading.status == "contradicted":
        return replace(reading, problem=f"the text contradicts the value: {reading.problem}")
    return FactReading(fact.name, "stated")


def refusal_of(
    answer: Answer,
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    evidence: Sequence[DecliningReason],
    instruction: str,
    reference: str,
) -> Refusal:
    """How an answer declines; without evidence, the sentences of a right answer are the reasons."""
    declared = answer.outcome in DECLINED
    if answer.reason:
        reason = ParsedText(answer.reason[:LONGEST_TEXT])
        every_act = [*every_act, *(act for act in acts(reason, asked_names(instruction)) if not act.denied)]
        document = (
            ParsedText(f"{str(answer)[:LONGEST_TEXT]}\n{answer.reason[:LONGEST_TEXT]}")
            if document.tokens
            else reason
        )
    if not evidence and reference:
        evidence = _implied(reference)
    refusal = read_refusal(document, every_act, evidence, instruction, declared=declared)
    if answer.outcome == "done" or document.cut:
        return replace(refusal, claims=refusal.claims or answer.outcome == "done", declines=not document.cut)
    return refusal


@dataclass(frozen=True, slots=True)
class _Implied:
    """A reason that is known from a right answer alone."""

    text: str
    value: None = None
    type: None = None


@lru_cache(maxsize=512)
def _implied(reference: str) -> tuple[_Implied, ...]:
    """The sentences of a right answer, each as a reason why."""
    document = parsed(reference)
    texts = []
    for chunk in document.chunks:
        if chunk.last - chunk.first >= 4:
            begin, end = document.tokens[chunk.first].start, document.tokens[chunk.last - 1].end
            texts.append(_Implied(document.text[begin:end]))
    return tuple(texts) or (_Implied(reference),)
