"""Blueprint: the whole shape of one environment, recomputed from a sentence and a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime

from synthesis.documents.document import digest
from synthesis.procedural.action import Action, Report, Rule
from synthesis.procedural.archetype import Industry
from synthesis.procedural.entity import Column, Entity
from synthesis.procedural.wording import plural, snake


@dataclass(frozen=True)
class Size:
    """How large an environment is to be."""

    tables: int = 18
    """About how many tables; fragments join until there are that many."""
    fragments: tuple[int, int] = (4, 9)
    """Fewest and most fragments besides the registers they stand on."""
    tasks: int = 10
    rows: float = 1.0
    """Factor on the catalogue's row counts."""


@dataclass(frozen=True)
class Style:
    """The verbs that one environment's plain tools use."""

    find: str
    list: str
    get: str
    update: str
    create: str


@dataclass(frozen=True)
class Blueprint:
    """What an environment consists of before any of its parts is written."""

    sentence: str
    seed: int
    salt: int
    size: Size
    industry: Industry
    organisation: str
    fragments: tuple[str, ...]
    """Names of the archetypes, base registers included, sorted."""
    roles: dict[str, str]
    """Role to entity key, as the environment binds it."""
    entities: dict[str, Entity]
    """By key, in the order tables are created."""
    actions: tuple[Action, ...]
    reports: tuple[Report, ...]
    rules: tuple[Rule, ...]
    style: Style
    clock: datetime
    shown: frozenset[str] = frozenset()
    """Keys of the entities that a tool shows one row of."""
    vocabulary: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def random(self, purpose: str, salt: int = 0) -> random.Random:
        """A generator of its own for each purpose, so that parts do not disturb each other."""
        return seeded(self.sentence, self.seed, f"{self.salt}/{purpose}/{salt}")

    def entity(self, name: str) -> Entity:
        """The entity of a key or a role.

        Raises:
            KeyError: Nothing is called so; a fault of the catalogue.
        """
        return self.entities[self.roles.get(name, name)]

    def noun(self, name: str) -> str:
        """The noun of an entity key or a role."""
        return self.entity(name).noun

    def target(self, column: Column) -> Entity:
        """The entity that a reference column refers to."""
        return self.entities[column.entity]

    def children(self, entity: Entity) -> tuple[tuple[Entity, Column], ...]:
        """Entities whose rows belong to a row of this one: its lines and logs."""
        return tuple(
            (child, child.column(child.spec.parent))
            for child in self.entities.values()
            if child.spec.per == entity.key and child.spec.parent
        )

    @property
    def browsable(self) -> tuple[Entity, ...]:
        """Entities that a listing tool covers."""
        return tuple(entity for entity in self.entities.values() if "list" in entity.spec.tools)

    def listing_tool(self, entity: Entity) -> str:
        """Name of the tool that lists rows of an entity."""

        searched = entity.spec.family in ("party", "item") or entity.numbered
        return f"{snake(self.style.find if searched else self.style.list)}_{snake(plural(entity.noun))}"

    def getting_tool(self, entity: Entity) -> str:
        """Name of the tool that shows one row of an entity."""

        return f"{snake(self.style.get)}_{snake(entity.noun)}"

    @property
    def actor(self) -> Entity:
        """The entity of the person the agent acts for."""
        return self.entity("staff")


def seeded(sentence: str, seed: int, purpose: str) -> random.Random:
    """A generator that depends on these three alone, in every process."""
    made = digest(f"{seed}\x00{purpose}\x00{sentence}".encode("utf-8", "surrogatepass"))
    return random.Random(int(made[:32], 16))  # noqa: S311 - reproducible content, not a secret
