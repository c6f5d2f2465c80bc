"""User types: enumerations and domains that a source declares itself, put in the place of their names."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from synthesis.intake.convert.kinds import type_name
from synthesis.intake.foreign import Expression, ForeignColumn, ForeignTable


@dataclass(slots=True)
class Domain:
    """A type with conditions on a value that its CHECKs call VALUE."""

    type: exp.DataType
    nullable: bool = True
    default: Expression | None = None
    checks: tuple[Expression, ...] = ()
    values: tuple[str, ...] = ()


class UserTypes:
    """The declared types by name."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[str, ...]] = {}
        self._domains: dict[str, Domain] = {}

    def add_values(self, name: str, values: tuple[str, ...]) -> None:
        """Declare an enumeration."""
        self._values[_key(name)] = values

    def add_domain(self, name: str, domain: Domain) -> None:
        """Declare a domain."""
        domain.values = self._values.get(_key(type_name(domain.type)), ())
        self._domains[_key(name)] = domain

    def resolve(self, table: ForeignTable, column: ForeignColumn) -> None:
        """Give a column the values of its enumeration, or the type and conditions of its domain."""
        name = _key(type_name(column.type))
        if name in self._values:
            column.values = self._values[name]
            return
        domain = self._domains.get(name)
        if domain is None:
            return
        column.type, column.values = domain.type, domain.values
        column.nullable = column.nullable and domain.nullable
        column.default = domain.default
        table.checks.extend(_about(check, column.name) for check in domain.checks)


def _about(check: Expression, column: str) -> Expression:
    """A domain's CHECK with the column in the place of VALUE."""

    def step(node: Expression) -> Expression:
        if isinstance(node, exp.Column) and node.name.upper() == "VALUE":
            return exp.column(column, quoted=True)
        return node

    return check.copy().transform(step)


def _key(name: str) -> str:
    return name.rpartition(".")[2].strip('"`').upper()
