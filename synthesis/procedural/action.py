"""Action: something that can be done in one environment, with the names it has there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from synthesis.procedural.archetype import ActionSpec, GuardSpec, ReportSpec
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

    def breaks(self, guard: GuardSpec, values: Mapping[str, Any]) -> bool:
        """Whether values, by column key, are beyond a rule that the policy alone states."""
        rule, amount = self.rules.get(guard.value), values.get(guard.amount)
        alone = guard.kind == "at_most" and not guard.enforced
        return alone and rule is not None and isinstance(amount, int) and amount > rule.value

    def in_policy_alone(self) -> Action:
        """The same with the rules on given amounts left to the policy: the tool lets more through."""
        guards = tuple(
            guard.model_copy(update={"enforced": False}) if self._states_amount(guard) else guard
            for guard in self.spec.guards
        )
        return replace(self, spec=self.spec.model_copy(update={"guards": guards}))

    @property
    def could_rely_on_policy(self) -> bool:
        """Whether some rule limits an amount that is given, and the policy states it."""
        return any(map(self._states_amount, self.spec.guards))

    @property
    def relies_on_policy(self) -> bool:
        """Whether a rule bears on it that the tool does not enforce."""
        return any(not guard.enforced for guard in self.spec.guards)

    def _states_amount(self, guard: GuardSpec) -> bool:
        rule, param = self.rules.get(guard.value), self.param(guard.amount)
        told = rule is not None and bool(rule.policy) and bool(guard.because)
        return guard.kind == "at_most" and told and param is not None and not param.spec.values

    def param(self, key: str) -> Column | None:
        """The parameter of that key, or None."""
        return next((column for column in self.params if column.key == key), None)


@dataclass(frozen=True)
class Report:
    """One reading tool over many rows."""

    name: str
    spec: ReportSpec
    entity: Entity
