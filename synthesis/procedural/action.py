"""Action: something that can be done in one environment, with the names it has there."""

from __future__ import annotations

from dataclasses import dataclass, field

from synthesis.procedural.archetype import ActionSpec, ReportSpec
from synthesis.procedural.entity import Column, Entity


@dataclass(frozen=True)
class Rule:
    """A number that a business rule depends on."""

    constant: str
    """What the generated code calls it."""
    value: int
    money: bool
    policy: str
    """How the policy states it, with nouns and the value filled in; may be empty."""


@dataclass(frozen=True)
class Action:
    """One tool that changes state."""

    name: str
    """The tool's name."""
    verb: str
    spec: ActionSpec
    entity: Entity
    """What is created or changed."""
    params: tuple[Column, ...]
    """Parameters besides the target's key, in order."""
    rules: dict[str, Rule] = field(default_factory=dict)
    plain_update: bool = False
    """Whether it is the update tool of its entity: every parameter is optional."""

    @property
    def creates(self) -> bool:
        """Whether it makes a new row rather than changing one."""
        return bool(self.spec.creates)

    def param(self, key: str) -> Column | None:
        """The parameter of that key, or None."""
        return next((column for column in self.params if column.key == key), None)


@dataclass(frozen=True)
class Report:
    """One reading tool over many rows."""

    name: str
    spec: ReportSpec
    entity: Entity
