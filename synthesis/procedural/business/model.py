"""The model of one business: tables with typed columns, processes with a life cycle, rules and words."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, Literal

from synthesis.documents.reading import ScenarioReading
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.composing.wording import RESERVED_NAMES, RESERVED_WORDS, money, snake
from synthesis.procedural.sentence.head_counts import HeadCount
from synthesis.procedural.sentence.inflection import plural
from synthesis.procedural.sentence.limits import StatedLimit
from synthesis.procedural.sentence.stated_prices import StatedPrice

Shape = Literal["hold", "slot", "seat", "supply", "work"]
FIRST_HOUR, LAST_HOUR = 8, 20
"""Between which hours of a day units can be booked."""
Kind = Literal["id", "number", "ref", "text", "choice", "day", "money", "count", "flag"]
Row = dict[str, Any]


@dataclass(frozen=True)
class BusinessColumn:
    """One column of a table."""

    name: str
    kind: Kind
    table: str = ""
    """ref: name of the table it refers to."""
    choices: tuple[str, ...] = ()
    null: bool = False
    about: str = ""
    """What people call it."""
    filter: bool = False
    """Whether the list tool filters by it."""
    detail: bool = False
    """Whether only the tool for one row shows it."""

    @property
    def words(self) -> str:
        """What people call it."""
        return self.about or self.name.removesuffix("_id").removesuffix("_cents").replace("_", " ")


@dataclass
class BusinessTable:
    """One kind of row."""

    noun: str
    """What one row is called, in the singular."""
    role: str
    """party, staff, place, subject, item, record, charge, payment, notice, handover."""
    columns: list[BusinessColumn]
    base: int = 0
    """Its rows' keys begin above this number, so that keys of two tables are never equal."""
    label: str = ""
    """The column that names a row for people."""
    rows: int = 8

    @cached_property
    def name(self) -> str:
        """Its name in the schema."""
        name = snake(plural(self.noun))
        return f"{name}_list" if name in RESERVED_WORDS or not name else name

    @cached_property
    def key(self) -> str:
        """What observations and parameters call its key."""
        return f"{snake(self.noun) or 'row'}_id"

    @cached_property
    def var(self) -> str:
        """A Python name for one row."""
        name = snake(self.noun) or "entry"
        return f"one_{name}" if name in RESERVED_NAMES or name in _KEYWORDS else name

    @property
    def many(self) -> str:
        """What several rows are called."""
        return plural(self.noun)

    def has(self, column: str) -> bool:
        """Whether there is a column of that name."""
        return any(each.name == column for each in self.columns)

    def column(self, name: str) -> BusinessColumn:
        """The column of that name."""
        return next(each for each in self.columns if each.name == name)


_KEYWORDS = frozenset(word_list("keywords"))


@dataclass
class Process:
    """Something the business does, kept as records with a life cycle."""

    verb: str
    pattern: str
    shape: Shape
    record: BusinessTable
    subject: BusinessTable
    party: BusinessTable
    states: tuple[str, ...]
    acts: dict[str, str]
    """By meaning (create, start, finish ...): the words of the action."""
    results: tuple[str, ...] = ()
    reserved: str = ""
    """work: the result that only supervisors enter; "" without one."""
    limited: bool = False
    """work: whether clerks close only what comes to no more than some amount."""
    amount: str = ""
    item: BusinessTable | None = None
    """hold: what is brought along, such as the yacht that is stored."""
    service: BusinessTable | None = None
    """slot: what people come for, which says how long that takes and what it costs; None where hours cost."""
    no_show_cents: int = 0
    """slot: what not coming costs by the sentence; 0 where that is the price."""
    cancel_cents: int = 0
    """slot: what calling off late costs by the sentence; 0 where that goes by the price."""
    services: tuple[tuple[str, int, int], ...] = ()
    """slot: name, hours and price in cents of each of them."""
    service_cents: dict[str, int] = field(default_factory=dict)
    """By name of a service: what it costs by the sentence."""
    staffed: bool = False
    """slot: whether its subject are people, in whose day the hours are."""
    monthly: bool = False
    """hold: whether units cost so much per month, and not per day."""
    single: bool = False
    """seat: whether each of those who come has one place."""
    packed: bool = False
    """supply: whether units come in packs, and are not sold one by one."""
    deposit: int | None = None
    """hold: in cents, what is left as a security; 0 where it differs by unit, None without one."""
    late: str = ""
    """hold: of what kind the charge is for days after the end."""
    late_cents: int = 0
    """hold: what such a day costs by the sentence; 0 where that is a share of the price."""
    price_cents: int = 0
    """What a unit costs by the sentence, for its period; 0 where units differ."""
    category_cents: dict[str, int] = field(default_factory=dict)
    """What a unit costs by its category, where the sentence says that of several; empty where it does not."""
    free: bool = False
    """Whether no money has to do with it."""
    billed: bool = True
    """Whether those whom it is for are sent bills."""
    counted: str = ""
    """work: what is counted of a record that costs nothing, in the plural; "" where it has an amount."""
    object: str = ""
    """What the sentence says the verb is done to; "" where it does not."""
    worker: str = ""
    """work: the role of those who deal with it."""
    skill: str = ""
    """work: what they must be able to do; "" where their role says enough."""
    names: dict[str, str] = field(default_factory=dict)
    """By meaning of an action: the name of its tool."""

    @property
    def names_its_verb(self) -> bool:
        """Whether an action is called as the sentence has it: a school runs lessons, which nobody's
        registration is."""
        return self.verb in self.acts.values()

    def pack_of(self, item: Row) -> int:
        """supply: how many units a stocked item comes in."""
        return int(item["pack_size"]) if self.packed else 1

    @property
    def noun(self) -> str:
        """What one record is called."""
        return self.record.noun

    @property
    def price(self) -> str:
        """hold, slot: the column of a record with what it costs, or what it costs for its period."""
        return "price_cents" if self.service is not None else f"{self.rate}_cents"

    @property
    def rank(self) -> str:
        """hold, slot: the column by which units are chosen, what one costs or how often it was had."""
        if not self.by_turns:
            return self.price
        return "visits_so_far" if self.staffed else "times_used"

    @property
    def by_turns(self) -> bool:
        """hold, slot: whether units are chosen by how often they were had: none costs more than another."""
        return self.free or self.service is not None

    def missed_cents(self, row: Row) -> int:
        """What not coming costs: by the sentence, or the price."""
        return self.no_show_cents or int(row[self.price])

    def called_off_cents(self, row: Row, times: int) -> int:
        """What calling off late costs: by the sentence, or so many times the price."""
        return self.cancel_cents or times * int(row[self.price])

    def cents(self, row: Row) -> int:
        """slot: what a record costs in all."""
        return int(row[self.price]) * (1 if self.service is not None else int(row["hours"]))

    @property
    def amount_column(self) -> str:
        """work: the column of what a record comes to, in cents or in what is counted."""
        return snake(self.counted) or "amount_cents"

    @property
    def period(self) -> str:
        """hold, slot: the time for which that is the price."""
        return "hour" if self.shape == "slot" else "month" if self.monthly else "day"

    @property
    def rate(self) -> str:
        """hold, slot: how often that price falls due."""
        return {"hour": "hourly", "day": "daily", "month": "monthly"}[self.period]

    @property
    def is_losable(self) -> bool:
        """hold: whether a unit can get lost, as what people take away with them can."""
        return self.shape == "hold" and self.states[4] == "lost"

    def day_cents(self, row: Row) -> int:
        """hold: what one day of a unit or record costs; of a month a thirtieth."""
        cents = int(row[self.price])
        return cents // 30 if self.monthly else cents

    @property
    def open_states(self) -> tuple[str, ...]:
        """States in which a record is still open."""
        return {
            "hold": self.states[:2],
            "slot": self.states[:2],
            "seat": self.states[:2],
            "supply": self.states[:1],
            "work": self.states[:2],
        }[self.shape]


@dataclass(frozen=True)
class Rule:
    """A rule of the policy; no tool enforces it."""

    key: str
    text: str
    values: dict[str, int] = field(default_factory=dict)
    breaches: str = ""
    """SQL that finds the rows which break it, where rows can."""


@dataclass
class Style:
    """What differs between worlds besides their business."""

    find: str
    get: str
    order: Literal["verb_noun", "noun_verb"]
    limit: int
    pages: Literal["offset", "page", "cursor"]
    wrapped: bool
    refusal: int
    mood: int
    days: int = 0
    """Which of several ways people write days."""
    amounts: str = "{}"
    """How people write an amount: "€{}"."""
    search: Literal["part", "start", "words", "whole"] = "part"
    """What of a name finds it: any part, its beginning, some of its words in their order, or all of it."""


@dataclass
class Business:
    """The model that everything of one environment is derived from."""

    sentence: str
    seed: int
    title: str
    noun: str
    reading: ScenarioReading
    clock: datetime
    tables: dict[str, BusinessTable]
    """By name, parents before children."""
    processes: list[Process]
    party: BusinessTable
    staff: BusinessTable
    place: BusinessTable
    charge: BusinessTable
    """What those who are served are charged; in no world in which nothing is billed, nor are payments."""
    payment: BusinessTable
    notice: BusinessTable
    handover: BusinessTable
    style: Style
    rules: dict[str, Rule] = field(default_factory=dict)
    tool: dict[str, str] = field(default_factory=dict)
    """By meaning: the name of a tool that belongs to no process."""
    chased: Process | None = None
    """Where nothing is billed: the process of whose records those who are late are reminded, or told of."""
    limits: tuple[StatedLimit, ...] = ()
    """Numbers that the sentence states as rules."""
    priced: tuple[StatedPrice, ...] = ()
    """Prices of the sentence that its processes have."""
    miscounted: tuple[HeadCount, ...] = ()
    """What the sentence counts and there is another number of."""
    sites: tuple[tuple[str, str], ...] = ()
    """Preposition and noun of where the sentence says it is as a whole: "in", "old town"."""
    charge_kinds: tuple[str, ...] = ()
    notice_kinds: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    clerk: str = "clerk"
    supervisor: str = "supervisor"
    tiers: tuple[str, str] = ("standard", "plus")
    posts: tuple[tuple[str, str], ...] = ()
    """Role and skill of those who work there, beside one clerk and the supervisors."""

    @property
    def today(self) -> date:
        """The day on which every instance begins."""
        return self.clock.date()

    def day(self, offset: int) -> str:
        """A day so many days from today."""
        return (self.today + timedelta(days=offset)).isoformat()

    def money(self, cents: int) -> str:
        """An amount as this world's people write it."""
        return self.style.amounts.format(money(cents))

    def late_cents(self, process: Process, row: Row, days: int) -> int:
        """hold: what so many days after the end of a record cost by the rule on that, in cents."""
        values = self.rules[f"{process.record.name}.late"].values
        days = min(days, values["cap"])
        if process.late_cents:
            return days * process.late_cents
        return days * process.day_cents(row) * values["percent"] // 100

    @property
    def has_charges(self) -> bool:
        """Whether anything that the business does is billed."""
        return self.charge.name in self.tables

    @property
    def has_money(self) -> bool:
        """Whether anything on record is an amount of money."""
        return any(column.kind == "money" for table in self.tables.values() for column in table.columns)

    def bills(self, process: Process) -> bool:
        """Whether records of a process are billed: no other party's are."""
        return self.has_charges and process.billed and process.party is self.party

    def amount(self, process: Process, value: int) -> str:
        """work: what a record comes to, as people write it."""
        return str(value) if process.counted else self.money(value)

    def value(self, rule: str, name: str = "") -> int:
        """A number of a rule; its first one where none is named."""
        values = self.rules[rule].values
        return values[name] if name else next(iter(values.values()))

    def random(self, *parts: object) -> random.Random:
        """A generator that depends on the sentence, the seed and what it is for."""
        return random.Random("/".join(map(str, (self.sentence, self.seed, *parts))))  # noqa: S311
