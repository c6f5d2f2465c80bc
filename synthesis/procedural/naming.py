"""Naming: which nouns, column names and tool names an environment uses."""

from __future__ import annotations

import random
from collections.abc import Mapping

from synthesis.procedural.archetype import EntitySpec, Industry
from synthesis.procedural.entity import Column
from synthesis.procedural.wording import plural, snake

PARTICLES = frozenset(["in", "out", "off", "up", "back", "over", "on", "away"])
"""Second words that belong to their verb: "check in", "call off"."""


class Names:
    """Nouns of one environment, each used once.

    Args:
        industry: Its nouns go before the archetype's.
        rng: Chooses among synonyms.
    """

    def __init__(self, industry: Industry, rng: random.Random) -> None:
        self.industry, self.rng = industry, rng
        self.used: set[str] = set()

    def noun(self, key: str, spec: EntitySpec) -> str:
        """A noun for an entity that no other entity of the environment has."""
        preferred = list(self.industry.nouns.get(key, ()))
        others = [noun for noun in spec.nouns if noun not in preferred]
        options = [*self.rng.sample(preferred, len(preferred)), *self.rng.sample(others, len(others))]
        free = [noun for noun in options if not self.used & {snake(noun), snake(plural(noun))}]
        chosen = free[0] if free else f"{options[0]} entry"
        self.used |= {snake(chosen), snake(plural(chosen))}
        return chosen


def columns_of(
    key: str, spec: EntitySpec, nouns: Mapping[str, str], roles: Mapping[str, str], rng: random.Random
) -> tuple[Column, ...]:
    """The columns of an entity under the environment's names, without those that refer to nothing here."""
    made = []
    for name, column in spec.columns.items():
        kept = column.maybe >= 1 or rng.random() < column.maybe
        if column.kind != "ref":
            if kept:
                status = (
                    column.model_copy(update={"values": tuple(spec.status)}) if name == "status" else column
                )
                made.append(Column(name, name, status))
            continue
        wanted = column.to or name
        target = roles.get(wanted, wanted)
        if target not in nouns or target == key or not kept:
            continue
        made.append(Column(name, f"{_stem(name, wanted, target, nouns[target])}_id", column, target))
    return tuple(made)


def _stem(name: str, wanted: str, target: str, noun: str) -> str:
    """The name of a reference: the noun it refers to, with what the catalogue puts before the role."""
    for role in (wanted, target):
        if name == role:
            return snake(noun)
        if name.endswith(f"_{role}"):
            return f"{name.removesuffix(role)}{snake(noun)}"
    return name


def tool_name(verb: str, noun: str, suffix: str = "") -> str:
    """The name of a tool from its verb, noun and ending: "take room out of service", "check in patient"."""
    first, *rest = verb.split()
    if len(rest) > 1 or (rest and rest[0] not in PARTICLES):
        name = snake(f"{first} {noun} {' '.join(rest)} {suffix}")
    else:
        name = snake(f"{verb} {noun} {suffix}")
    parts = name.split("_")
    return "_".join(part for place, part in enumerate(parts) if place == 0 or part != parts[place - 1])
