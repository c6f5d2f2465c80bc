"""Planned: processes before their tables exist, and what a business model is built from."""

from __future__ import annotations

from dataclasses import dataclass, field

from synthesis.documents.reading import ReadProcess
from synthesis.procedural.business.patterns import Pattern
from synthesis.procedural.sentence.head_counts import HeadCount
from synthesis.procedural.sentence.lexicon import kinds_of
from synthesis.procedural.sentence.limits import StatedLimit
from synthesis.procedural.sentence.stated_prices import StatedPrice


@dataclass
class PlannedProcess:
    """A process before its tables exist."""

    verb: str
    pattern: Pattern
    name: str
    object: str
    party: str
    record: str
    subject: str
    item: str = ""
    event_cancel: bool = False
    verbs: list[str] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    """Words of time, measure and manner: values of the record's columns for those."""
    rated: list[str] = field(default_factory=list)
    """Those of them by which something is charged: "by the hour", "per kilometre"."""
    monthly: bool = False
    """Whether what it costs is said by the month."""
    late: str = ""
    """Of what kind the sentence says the charge for days after the end is: "late" of a late fee."""
    late_cents: int = 0
    """What a day after the end costs by the sentence; 0 where it does not say."""
    price_cents: int = 0
    """What one unit, place or day costs by the sentence; 0 where it does not say."""
    category_cents: dict[str, int] = field(default_factory=dict)
    """What one unit costs by its category where the sentence has several prices; empty where it has not."""
    deposit: int | None = None
    """In cents, what is left as a security; 0 where the sentence names one without an amount."""
    free: bool = False
    """Whether no money has to do with it."""
    billed: bool = True
    """Whether those whom it is for are sent bills."""
    own: bool = False
    """work: whether it is done to what the business lets or lends itself."""
    kinds: list[str] = field(default_factory=list)
    """Further things it is done to: values of the subject's category."""
    staffed: bool = False
    """slot: whether its subject are people, in whose day the hours are."""
    no_show_cents: int = 0
    """slot: what not coming costs by the sentence; 0 where it does not say."""
    cancel_cents: int = 0
    """slot: what calling off late costs by the sentence; 0 where it does not say."""
    service: str = ""
    """slot: what is called what people come for; "" of what is had by the hour."""
    services: list[str] = field(default_factory=list)
    """What the sentence says that people come for."""
    service_cents: dict[str, int] = field(default_factory=dict)
    """By such a noun: what that costs by the sentence."""
    states: list[str] = field(default_factory=list)
    """In what state its things are, "left behind": values of their condition."""


@dataclass
class BusinessPlan:
    """What a business model is built from."""

    business: str
    processes: list[PlannedProcess] = field(default_factory=list)
    parties: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    sites: list[tuple[str, str]] = field(default_factory=list)
    """Preposition and noun of where the business is as a whole, "in the old town": there are not several."""
    resources: dict[str, int] = field(default_factory=dict)
    """What the sentence says the business has, and how many: ponies, vans."""
    roles: list[str] = field(default_factory=list)
    """Nouns for people who work there: roles of staff."""
    reasons: list[str] = field(default_factory=list)
    disrupted: list[tuple[str, str]] = field(default_factory=list)
    """Verb and object of what is called off as a whole."""
    notifications: list[tuple[str, str]] = field(default_factory=list)
    """Verb of telling people something, and of what, "" where that is not said."""
    charge: str = ""
    """What the sentence calls what is charged."""
    limits: tuple[StatedLimit, ...] = ()
    """Numbers that the sentence states as rules."""
    counts: tuple[HeadCount, ...] = ()
    """How many the sentence says there are of something."""
    priced: tuple[StatedPrice, ...] = ()
    """Prices of the sentence that processes have."""
    kinds: dict[str, str] = field(default_factory=dict)
    values: list[str] = field(default_factory=list)
    """Words with no other home: values of the party's kind."""
    read: list[ReadProcess] = field(default_factory=list)

    @property
    def suppliers(self) -> set[str]:
        """From whom the business buys."""
        return {process.party for process in self.processes if process.name == "purchase"}


def kind_of(noun: str, expected: str) -> str:
    """The kind of a noun: its own, else what its verb expects."""
    known = [kind for kind in kinds_of(noun) if kind != "business"]
    if expected in known:
        return expected
    if known:
        return known[0]
    return "party" if kinds_of(noun) and expected != "place" else expected
