"""Companions: what a business needs beside the processes of its sentence, so that they chain to something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synthesis.procedural.business.object_kinds import EXPECTED, WITH_ITEM
from synthesis.procedural.business.pattern_choice import GENERAL, suited
from synthesis.procedural.business.patterns import patterns
from synthesis.procedural.business.planned import BusinessPlan, PlannedProcess, kind_of
from synthesis.procedural.sentence.lexicon import NEUTRAL, verbs

LEAST_PROCESSES = 3
LEAST_NOUNS = 7
"""Tables of parties, things and records that a business has at least."""
_MOST = 3
"""Companions of one process that are considered."""


@dataclass(frozen=True)
class Companion:
    """A process beside those that the sentence names."""

    verb: str
    pattern: str
    noun: str
    party: str


def companions(plan: BusinessPlan) -> Iterator[Companion]:
    """What is to be added while the plan is small: the likeliest of each process, then what most have.

    Whoever iterates adds each to the plan before the next is asked for.
    """
    own = list(plan.processes)
    likely = [
        (process, process.pattern.companions[number])
        for number in range(_MOST)
        for process in own
        if number < len(process.pattern.companions)
    ]
    for process, (verb, noun) in likely:
        if not _is_small(plan):
            return
        companion = _companion(process, verb, noun.replace("{object}", process.item or process.subject))
        if companion is not None and patterns()[companion.pattern].shape not in shapes(plan):
            yield companion
    for name, (verb, noun) in GENERAL.items():
        if own and _is_small(plan) and patterns()[name].shape not in shapes(plan):
            served = next((each.party for each in own if each.name != "purchase"), "")
            yield Companion(verb, name, noun, served)


def _companion(process: PlannedProcess, verb: str, noun: str) -> Companion | None:
    name = verbs().get(verb, NEUTRAL)
    kind = kind_of(noun, EXPECTED[patterns()[name].shape])
    if name in WITH_ITEM and kind not in ("thing", "stock"):
        return None
    name, _ = suited(name, patterns()[name], kind)
    return Companion(verb, name, noun, "" if process.name == "purchase" else process.party)


def shapes(plan: BusinessPlan) -> set[str]:
    """The shapes of what is planned."""
    return {process.pattern.shape for process in plan.processes}


def _is_small(plan: BusinessPlan) -> bool:
    """Whether too few processes or tables come of what the sentence says."""
    processes = plan.processes
    nouns = {n for p in processes for n in (p.record, p.subject, p.item, p.party) if n}
    return len(processes) < LEAST_PROCESSES or len(nouns | {"party"}) < LEAST_NOUNS
