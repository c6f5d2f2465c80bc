"""Archetype: one fragment of business as the catalogue describes it, read from TOML."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import Field, ValidationError

from synthesis.documents.document import Document
from synthesis.errors import BrokenEnvironment

ColumnKind = Literal[
    "label", "text", "choice", "count", "money", "day", "moment", "flag", "ref", "number",
    "first_name", "last_name", "email", "phone", "birth_date", "company", "city", "code",
]  # fmt: skip
"""What a column holds; decides its SQL type, checks, generator and wording."""


class ColumnSpec(Document):
    """One column of an entity, in the catalogue's words."""

    kind: ColumnKind
    to: str = ""
    """ref: the role or entity referred to, where it is not the column's own key."""
    link: bool = False
    """ref: left out where no other fragment offers the role."""
    null: float = Field(default=0.0, ge=0, le=1)
    """Share of rows without a value."""
    values: tuple[str | int, ...] = ()
    """choice, count: the values to choose from."""
    weights: tuple[int, ...] = ()
    span: tuple[int, int] = (0, 0)
    """count, money (cents): least and most; day, moment: days from the clock."""
    step: int = 1
    when: tuple[str, ...] = ()
    """States of the row in which the column has a value; in all others it is NULL."""
    after: str = ""
    """day, moment: the column of the same row that it follows by `span` days (or `minutes`)."""
    minutes: tuple[int, ...] = ()
    """moment: lengths to choose from, counted from `after`."""
    source: str = ""
    """text, label, choice: vocabulary to draw from."""
    total: str = ""
    """money, count: sum over rows of a child entity, "child: expression over its columns"."""
    copies: str = ""
    """The value of a column of a referred row, "ref.column"."""
    covers: str = ""
    """count: at least the number of rows of that child entity which are in `states`, plus `slack`."""
    states: tuple[str, ...] = ()
    slack: tuple[int, int] = (0, 5)
    unique: bool = False
    edit: bool = False
    """Whether the update tool may change it."""
    shown: bool = True
    """Whether lists show it (a single row always shows everything)."""
    default: str | int | None = None
    prefix: str = ""
    """number, code: what the number begins with."""
    chance: float = 0.9
    """flag: share of rows where it is true."""
    about: str = ""
    """Words for the column where its name does not say it."""
    filter: bool = False
    """Whether the list tool filters by it."""
    maybe: float = 1.0
    """Share of environments whose schema has the column at all."""
    spans: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """day, moment: the span by state, where it depends on it."""
    free: str = ""
    """moment: rows with the same value in this ref column must not overlap."""


class EntitySpec(Document):
    """One kind of row."""

    nouns: tuple[str, ...] = Field(min_length=1)
    family: Literal["party", "item", "lookup", "document", "line", "log", "place", "resource", "staff"] = (
        "document"
    )
    rows: tuple[int, int] = (6, 10)
    per: str = ""
    """Key of the parent whose rows each get `each` rows of this entity, instead of `rows` in all."""
    each: tuple[int, int] = (1, 2)
    per_states: tuple[str, ...] = ()
    status: dict[str, int] = Field(default_factory=dict)
    """States with their weights among seed rows; empty for stateless entities."""
    columns: dict[str, ColumnSpec]
    mentions: tuple[str, ...] = ()
    """How people single out a row among its parent's, most natural first."""
    parent: str = ""
    """Ref column through which people reach a row; by default the party."""
    once: tuple[tuple[str, ...], ...] = ()
    """Column sets that are unique."""
    order: str = ""
    """Column that lists are sorted by."""
    tools: tuple[str, ...] = ("list", "get")
    """Which plain tools are generated: list, get, create, update."""
    about: str = ""


class GuardSpec(Document):
    """A condition of an action, with what is said when it does not hold."""

    kind: Literal[
        "flag", "status", "limit", "enough", "at_most", "within_days", "notice", "future", "free", "once",
        "capacity", "before", "same", "reached", "differs", "at_least_days",
    ]  # fmt: skip
    on: str = ""
    """Path that is looked at: "item.active", "target.starts_at"."""
    value: str = ""
    """Rule or path it is compared with."""
    of: str = ""
    """limit, once, capacity: entity that is counted."""
    per: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    amount: str = ""
    """enough, at_most: the parameter or column that is compared."""
    says: str
    """The refusal; {slots} are values, {role:noun} are nouns."""
    because: str = ""
    """The reason for people, for the answer of a task that must be declined."""
    enforced: bool = True
    """False: the rule stands in the policy alone and the tool does not check it."""
    tempting: bool = True
    """Whether a task may be built on breaking it."""
    rare: bool = False


class EffectSpec(Document):
    """A change besides the target row."""

    kind: Literal["add", "set", "insert", "complete", "each"]
    on: str = ""
    """add, set: path "ref.column" or "target.column"."""
    amount: str = ""
    entity: str = ""
    values: dict[str, str | int] = Field(default_factory=dict)
    equal: tuple[str, str] = ("", "")
    """complete: two expressions; once they are equal, `values` are set on `on`."""
    effects: tuple[EffectSpec, ...] = ()


class ActionSpec(Document):
    """Something that can be done: one tool that changes state."""

    creates: str = ""
    changes: str = ""
    verbs: tuple[str, ...] = Field(min_length=1)
    suffix: str = ""
    """Words after the noun in the tool's name, for actions that share a verb and a noun."""
    object: str = ""
    """Words instead of the entity's noun in the tool's name."""
    does: str
    takes: tuple[str, ...] = ()
    from_: tuple[str, ...] = Field(default=(), alias="from")
    to: str = ""
    sets: dict[str, str | int] = Field(default_factory=dict)
    params: dict[str, ColumnSpec] = Field(default_factory=dict)
    """Parameters that are no column of the target."""
    guards: tuple[GuardSpec, ...] = ()
    effects: tuple[EffectSpec, ...] = ()
    asks: tuple[str, ...] = ()
    done: str = ""
    weight: int = 3
    alone: bool = False


class RuleSpec(Document):
    """A number that a rule depends on, chosen per environment, and how the policy states it."""

    values: tuple[int, ...] = Field(min_length=1)
    policy: str = ""
    money: bool = False


class ReportSpec(Document):
    """A reading tool over many rows."""

    kind: Literal["totals", "overdue", "ranking", "shortage"]
    entity: str
    names: tuple[str, ...] = Field(min_length=1)
    does: str
    day: str = ""
    amount: str = ""
    by: str = ""
    states: tuple[str, ...] = ()
    value: str = ""


class Archetype(Document):
    """One fragment of business: what it keeps, what can be done, within which rules."""

    name: str
    title: str
    words: str
    """Words that a scenario sentence may use for it."""
    general: bool = False
    """Whether almost any business has it; others join where the industry or the sentence asks for them."""
    base: bool = False
    """Whether it only joins because others need what it offers."""
    needs: tuple[str, ...] = ()
    offers: dict[str, str] = Field(default_factory=dict)
    """Role to entity key."""
    entities: dict[str, EntitySpec]
    actions: tuple[ActionSpec, ...] = ()
    rules: dict[str, RuleSpec] = Field(default_factory=dict)
    policy: tuple[str, ...] = ()
    reports: tuple[ReportSpec, ...] = ()
    vocabulary: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class Industry(Document):
    """The vocabulary of one kind of business and which fragments it usually has."""

    name: str
    title: str
    category: str
    words: str
    prefers: tuple[str, ...] = ()
    party: Literal["person", "company"] = "person"
    nouns: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Entity key to nouns that replace the archetype's."""
    vocabulary: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    organisations: tuple[str, ...] = ()
    """What organisations of this kind are called, after an invented name."""


GENERAL = Industry(
    name="general",
    title="service organisation",
    category="general services",
    words="",
    prefers=("orders", "tickets", "documents", "projects"),
    organisations=("Services", "Group", "Partners", "Office", "Associates"),
)
"""The industry of a sentence of which no word is known: the fragments' own words, coloured by nothing."""


@cache
def archetypes() -> dict[str, Archetype]:
    """Every archetype of the catalogue by name."""
    found = [read_archetype(text, where) for where, text in _files("archetypes")]
    return {archetype.name: archetype for archetype in sorted(found, key=lambda a: a.name)}


@cache
def industries() -> dict[str, Industry]:
    """Every industry of the catalogue by name."""
    made: dict[str, Industry] = {}
    for where, text in _files("industries"):
        for name, content in _toml(text, where).items():
            made[name] = _valid(Industry, {"name": name, **content}, f"{where}, {name}")
    return dict(sorted(made.items()))


@cache
def vocabulary() -> dict[str, tuple[str, ...]]:
    """Words that every environment may draw from, by list name."""
    folder = resources.files("synthesis.procedural") / "catalogue"
    content = _toml((folder / "words.toml").read_text(encoding="utf-8"), "words.toml")
    return {name: tuple(values) for name, values in content.items()}


def _files(folder: str) -> list[tuple[str, str]]:
    place = resources.files("synthesis.procedural") / "catalogue" / folder
    files = sorted(place.iterdir(), key=lambda file: file.name)
    return [(f"{folder}/{f.name}", f.read_text(encoding="utf-8")) for f in files if f.name.endswith(".toml")]


def read_archetype(text: str, where: str) -> Archetype:
    """One archetype from its TOML.

    Raises:
        BrokenEnvironment: The text is no TOML or does not describe an archetype; the file is named.
    """
    made: Archetype = _valid(Archetype, _toml(text, where), where)
    return made


def _toml(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BrokenEnvironment(f"{where} is not TOML: {error}", part="scenario", where=where) from error


def _valid(document: type[Any], content: dict[str, Any], where: str) -> Any:
    try:
        return document.model_validate(content)
    except ValidationError as error:
        raise BrokenEnvironment(
            f"{where} does not fit the catalogue: {error}", part="scenario", where=where
        ) from error
