"""Companions: what a business does without saying so, because the one thing that it says needs it.

A world is about what its sentence says. Rows, rules and goals of one process are enough for ten tasks, so no
other business is added to have more of them; only a process without which the one named does not go on.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.procedural.business.object_kinds import EXPECTED
from synthesis.procedural.business.pattern_choice import suited
from synthesis.procedural.business.patterns import patterns
from synthesis.procedural.business.planned import BusinessPlan, kind_of
from synthesis.procedural.sentence.lexicon import NEUTRAL, verbs


@dataclass(frozen=True)
class Companion:
    """A process beside the one that the sentence names."""

    verb: str
    pattern: str
    noun: str
    party: str


def companion_of(plan: BusinessPlan) -> Companion | None:
    """What belongs to the only process of a plan; None where there are more or it goes on by itself."""
    process = plan.processes[0] if len(plan.processes) == 1 else None
    if process is None or process.pattern.companion is None:
        return None
    verb, noun = process.pattern.companion
    noun = noun.replace("{object}", process.item or process.subject)
    name = verbs().get(verb, NEUTRAL)
    kind = kind_of(noun, EXPECTED[patterns()[name].shape])
    if kind == "place" or (name == "repair" and kind != "thing"):
        return None  # courts and rooms are let; who repairs them is another business
    name, _ = suited(name, patterns()[name], kind)
    return Companion(verb, name, noun, process.party)


def shapes(plan: BusinessPlan) -> set[str]:
    """The shapes of what is planned."""
    return {process.pattern.shape for process in plan.processes}
