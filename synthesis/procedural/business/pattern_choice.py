"""Pattern choice: which pattern the kind of an object calls for."""

from __future__ import annotations

from synthesis.procedural.business.patterns import Pattern, patterns
from synthesis.procedural.business.senses import is_had_from_others
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.clauses import OBJECT, OFTEN, TELLING, Clause
from synthesis.procedural.sentence.inflection import gerund
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_listed, kinds_of, verbs

IMPERSONAL = frozenset(
    [
        "loan",
        "storage",
        "sale",
        "purchase",
        "production",
        "dispatch",
        "installation",
        "measurement",
        "repair",
        "cleaning",
        "recycling",
        "supply",
    ]
)
"""Patterns of what is done to things only; a word that merely ends like a person's is one of those."""

LIGHT = frozenset(
    [
        "take",
        "accept",
        "receive",
        "handle",
        "manage",
        "process",
        "administer",
        "keep",
        "give",
        "make",
        "prepare",
    ]
)
"""Verbs that leave it to their object what is done."""

LETTING = frozenset(["let", "let out", "lease", "sublet"])
"""Verbs of what is rented to those who live or work in it."""

_LODGING = frozenset(word_list("lodging"))
"""Businesses that let rooms and beds to those who pass through."""
_BRIEF = frozenset(["hour", "day", "night", "week", "weekend"])

OF_RECORDS = {
    "booking": "booking",
    "reservation": "booking",
    "appointment": "appointment",
    "order": "sale",
    "donation": "gift",
    "pledge": "gift",
    "claim": "claim",
    "application": "permit",
    "registration": "enrolment",
    "enrolment": "enrolment",
    "membership": "membership",
    "subscription": "membership",
    "delivery": "dispatch",
    "shipment": "dispatch",
    **dict.fromkeys(("repair", "alteration"), "repair"),
    "loan": "loan",
    "rental": "rental",
    **dict.fromkeys(("grant", "scholarship", "bursary", "stipend"), "award"),
    **dict.fromkeys(
        (
            *("deposit", "instalment", "fee", "fine", "toll", "payment", "rent", "premium"),
            *("due", "dues", "sub", "subs", "royalty", "levy", "fare"),
        ),
        "billing",
    ),
}
"""By the last word of such an object: the pattern it calls for."""

VERBS = {
    "record": "handle",
    "event": "run",
    "place": "book",
    "stock": "sell",
    "thing": "inspect",
    "money": "handle",
}
"""By kind of a noun: what a business that names it without a verb does with it."""


OF_PEOPLE = {
    "rental": "roster",
    "dispatch": "incident",
    "place": "roster",
    "screen": "inspection",
    "train": "event",
    "interview": "appointment",
    "editing": "appointment",
    "grade": "event",
    "weigh": "event",
    "measurement": "appointment",
    **dict.fromkeys(("monitor", "track", "follow", "observe"), "care"),
    "audition": "appointment",
    "move": "dispatch",
    **dict.fromkeys(("pick", "select"), "roster"),
}
"""By pattern or verb: what it means where it is done to people, who are hired and sent to incidents."""

OF_STAFF = {"production": "roster", "storage": "roster", "sale": "roster", "supply": "roster"}
"""By pattern: what it means where it is done to those who work there, as in "casts actors"."""

OF_PASSENGERS = frozenset(
    ["take", "take out", "drive", "ferry", "carry", "transport", "shuttle", "chauffeur"]
)
"""Verbs of trips where they are done to those who are served."""

OF_BILLS = frozenset(["dispatch", "permit", "production", "editing", "handling", "case", "registration"])
"""Patterns that mean billing where they are done to bills: bills are sent, issued, written and made."""
_PERMITS = frozenset(["permit", "licence", "license", "certificate"])
_OF_VERBS = (
    ("exchange", "change", ("thing", "place", "stock"), "repair"),  # locks and tyres
    ("case", "handle", ("stock",), "sale"),  # who does flowers sells them
    ("dispatch", "drive", ("event",), "roster"),  # rounds and routes
    ("enrolment", "register", ("thing", "stock"), "registration"),  # what is handed in goes to nobody
    ("roster", "assign", ("thing",), "booking"),  # crews have boats for a time
    ("dispatch", "send", ("record",), "handling"),  # quotes and reports travel on no route
)
"""Pattern, verb, kinds of what it is done to, and what it means there."""
_SEEING = frozenset(["see", "meet", "receive"])
"""Verbs of people who come at an hour."""
_SHOWN = {
    "show": "showing",
    "screen": "screening",
    "exhibit": "exhibition",
    "present": "presentation",
    "perform": "performance",
    "rehearse": "rehearsal",
    **dict.fromkeys(("teach", "tutor", "coach"), "lesson"),
    "stage": "performance",
}
_ALONE = {"train": "training session", "exercise": "exercise session"}
"""What people come to where a verb is done to nobody."""
_CHANGING = frozenset([("dispatch", "move"), ("exchange", "change"), ("exchange", "swap")])
"""Pattern and verb of what is done to bookings that stay what they are."""
_DRIVEN = frozenset(["run", "operate", "sail", "fly"])
_WITH_PASSENGERS = frozenset(["bus", "coach", "minibus", "tram", "train", "shuttle", "rickshaw", "carriage"])
"""Vehicles that are driven with people in them, who have places there."""
_TRAVELLING = frozenset(word_list("travelling"))
_TRANSPORT = frozenset([*word_list("vehicles"), "airline", "railway", "carrier"])
_VEHICLES = frozenset(word_list("vehicles"))
_OF_MONEY = frozenset(["collect", "track", "chase", "record", "log"])
"""Verbs that mean billing where they are done to deposits and fees."""
_REGISTERS = frozenset(
    [
        "track",
        "list",
        "record",
        "log",
        "book",
        "register",
        "note",
        "minute",
        "account",
        "tally",
        "rota",
        "roster",
        "diary",
        "count",
    ]
)
_SHORT = frozenset(["hour", "hourly", "half-hour", "minute"])
_BY_THE_HOUR = frozenset(unit.replace("-", " ") for unit in word_list("by_the_hour"))
_BILLS = frozenset(["bill", "invoice", "refund", "reimbursement"])

OF_PAPERS = frozenset(["storage", "production"])
"""Patterns of things that do nothing to papers and money: of kept budgets the records are handled."""

_TO_MEASURE = frozenset(["measure", "order", "size", "fit", "commission", "request"])
_BESPOKE = frozenset(
    [
        "bespoke",
        "custom",
        "customised",
        "customized",
        "personalised",
        "personalized",
        "tailor-made",
        "custom-made",
        "made-to-measure",
        "made-to-order",
        "commissioned",
        "one-off",
    ]
)
"""What is made for one customer alone, and stands in no stock."""
_OF_PAPER = frozenset(["claim", "case", "permit", "award", "billing", "event", "registration", NEUTRAL])
"""Patterns that nothing is put in order by, so that "re-" before their verbs means another word."""

_MEETINGS = frozenset(["appointment", "visit", "consultation", "session", "meeting", "service", "hearing"])
"""What people come for, which says nothing of what is done there."""
_OF_THINGS = frozenset(["inspection", "measurement", "repair", "cleaning", "installation", "recycling"])


def is_monthly(clause: Clause) -> bool:
    """Whether a clause says that something is for months: "by the month", "monthly"."""
    phrases = [phrase for role in ("by", "per", OFTEN, "for") for phrase in clause.roles.get(role, ())]
    return any(phrase.text in ("month", "monthly", "year", "yearly") for phrase in phrases)


def is_brief(clause: Clause, business: str) -> bool:
    """Whether what is let is let to those who pass through: "by the day", the rooms of an inn."""
    phrases = [phrase for role in ("by", "per", OFTEN) for phrase in clause.roles.get(role, ())]
    stated = any(phrase.text in _BRIEF for phrase in phrases)
    return stated or (business.rpartition(" ")[2] in _LODGING and not is_monthly(clause))


def is_hourly(clause: Clause, name: str, noun: str, kind: str, *, stated: bool = False) -> bool:
    """Whether what is rented out or booked is had for hours of a day, as courts are, or goes by the hour."""
    if name not in ("rental", "hire", "letting", "booking") or kind not in ("place", "thing", "stock"):
        return False
    phrases = [phrase for role in ("by", "per", OFTEN, "for") for phrase in clause.roles.get(role, ())]
    stated = stated or any(set(phrase.text.split()) & _SHORT for phrase in phrases)
    return stated or any(noun == unit or noun.endswith(f" {unit}") for unit in _BY_THE_HOUR)


def is_to_measure(role: str, noun: str) -> bool:
    """ "to measure", "on commission": whether a phrase says that something is made for one customer."""
    return role in ("to", "on") and noun in _TO_MEASURE


def _is_call(clause: Clause) -> bool:
    """ "relatives visit", "visits villages": whether people only come by, and nobody is cared for."""
    objects = clause.roles.get(OBJECT, ())
    communities = all({"party", "business"} <= set(kinds_of(each.text)) for each in objects)
    return communities if objects else clause.agent is not None


def _is_commissioned(clause: Clause) -> bool:
    """Whether what is made or sold is made for one customer: "makes curtains to measure", "bespoke suits"."""
    to_measure = any(is_to_measure(role, each.text) for role, named in clause.roles.items() for each in named)
    return to_measure or any(set(each.text.split()) & _BESPOKE for each in clause.roles.get(OBJECT, ()))


def is_register(clause: Clause) -> bool:
    """Whether a clause's object is where other things are written: "keeps track of", "a list of"."""
    objects = clause.roles.get(OBJECT, ())
    written = [each for each in objects if each.head in _REGISTERS]
    return bool(written) and (len(written[0].text.split()) > 1 or "of" in clause.roles)


def is_occasion(noun: str) -> bool:
    """Whether a noun is something to which people come: "tastings", "hearings"."""
    return "event" in kinds_of(noun) or (noun.endswith("ing") and not is_listed(noun))


def occasion_of(verb: str, noun: str) -> str:
    """What people come to where a thing is shown or driven: "film showing", "tram trip"; "" of others."""
    alone = _ALONE.get(verb, "") or ("" if verb in verbs() else f"{gerund(verb)} session")
    named = _SHOWN.get(verb, "") or ("" if noun else alone)
    last = noun.rpartition(" ")[2]
    driven = (verb in _DRIVEN and last in _VEHICLES) or (verb == "drive" and last in _WITH_PASSENGERS)
    if not named and driven:
        named = "trip"
    return f"{noun} {named}".strip() if named else ""


def is_taken_along(verb: str, noun: str, business: str) -> bool:
    """ "carries cars": whether a business of vessels or trains takes vehicles along on its trips."""
    takes = not _TRANSPORT.isdisjoint(business.split())
    return takes and verb in OF_PASSENGERS and noun.rpartition(" ")[2] in _TRAVELLING


def _turned_round(pattern: str, agent: str) -> str:
    """What the business does where others act: it sells what they buy, gives out what they collect."""
    kinds = kinds_of(agent)
    served = kinds[:1] == ("party",) and "staff" not in kinds
    if pattern == "collection":
        return "supply" if served else ""
    if pattern == "dispatch" and kinds[:1] == ("party",):
        return NEUTRAL  # authors send manuscripts, which are received
    return "sale" if pattern == "purchase" else ""


def pattern_of_clause(clause: Clause) -> str:  # noqa: PLR0911 - one answer per kind of clause
    """The pattern a clause calls for by its verb, and by who does it to whom and how."""
    if clause.pattern == TELLING:
        calls = clause.agent is not None and "for" in clause.roles
        return "booking" if calls else NEUTRAL  # "people ring for a ride", "tells stories"
    if clause.agent is not None and (turned := _turned_round(clause.pattern, clause.agent.text)):
        return turned
    people = clause.agent is not None and kinds_of(clause.agent.text)[:1] == ("party",)
    if people and clause.verb == "pass" and "to" not in clause.roles:
        return NEUTRAL  # "when they pass the test"
    if (
        clause.verb in _DRIVEN
        and people
        and any(each.head in _VEHICLES for each in clause.roles.get(OBJECT, ()))
    ):
        return "rental"  # "planes that students may fly"
    if clause.verb == "visit" and _is_call(clause):
        return "appointment"
    if clause.pattern in ("production", "sale") and _is_commissioned(clause):
        return "commission"
    if clause.verb in ("keep", "maintain", "hold") and is_register(clause):
        return "registration"
    if occasion := "purchase" if is_had_from_others(clause) else _of_occasions(clause):
        return occasion
    by = {phrase.text for phrase in clause.roles.get("by", ())}
    if "appointment" in by and clause.pattern in ("production", "treatment", "cleaning", "care", NEUTRAL):
        return "appointment"
    return clause.pattern


def _is_on_days(clause: Clause) -> bool:
    """ "skates on Sundays": whether a clause says on which days people come together."""
    return any(kinds_of(each.text)[:1] == ("time",) and each.many for each in clause.roles.get("on", ()))


def _of_occasions(clause: Clause) -> str:
    """What a verb means of hearings and meetings, or where people only come; "" of others."""
    objects = clause.roles.get(OBJECT, ())
    if clause.verb == "fix" and objects and all(each.head in _MEETINGS for each in objects):
        return "booking"  # "fixes hearings"
    if clause.agent is not None:
        return ""
    trains = clause.verb in ("train", "exercise") and not objects  # "trains on Tuesdays"
    trains = trains or (not objects and clause.verb not in verbs() and _is_on_days(clause))
    holds = clause.verb in ("hold", "host") and any(is_occasion(each.text) for each in objects)
    return "event" if trains or holds else ""


def subject_of_record(name: str, record: str) -> str:
    """What records are about that are themselves what a verb is done to; "" where the pattern says it."""
    own = name in ("appointment", "case", NEUTRAL) and record.rpartition(" ")[2] not in _MEETINGS
    return f"{record} type" if own or name in _OF_THINGS else ""


def suited(
    name: str, pattern: Pattern, kind: str, noun: str = "", *, verb: str = "", given: bool = False
) -> tuple[str, Pattern]:
    """Another pattern where the object is of a kind that the verb's own cannot keep.

    Args:
        name: The verb's pattern.
        pattern: The same.
        kind: The kind of its object.
        noun: That object.
        verb: The verb itself.
        given: Whether somebody is named to whom the object goes.
    """
    chosen = _of_kind(name, kind, verb) or _of_noun(name, pattern, kind, noun, verb)
    chosen = chosen or _of_shape(name, pattern, kind, given=given) or name
    return chosen, patterns()[chosen]


def _of_people(name: str, kind: str, verb: str) -> str:
    """What a verb means that is done to people; "" where that changes nothing."""
    if verb in OF_PASSENGERS and (kind == "party" or verb.startswith("take")):
        return "event"
    if verb in _SEEING:
        return "appointment"
    of_staff = OF_STAFF.get(name, "") if kind == "staff" else ""
    return of_staff or OF_PEOPLE.get(verb, OF_PEOPLE.get(name, ""))


def _of_kind(name: str, kind: str, verb: str) -> str:  # noqa: C901, PLR0911 - one answer per kind of object
    """What a verb means by the kind of what it is done to; "" where that changes nothing."""
    if kind in ("party", "staff"):
        return _of_people(name, kind, verb)
    if verb.startswith("re-") and kind in ("thing", "stock") and name in _OF_PAPER:
        return "repair"  # "re-covers armchairs", which covers nobody against anything
    if name == "production" and kind == "thing":
        return "commission"  # headstones and coffins are made one by one
    if name == "gift" and verb == "raise" and kind in ("thing", "place", "stock"):
        return NEUTRAL  # flags are given to nobody
    if meant := next((m for n, v, kinds, m in _OF_VERBS if (n, v) == (name, verb) and kind in kinds), ""):
        return meant
    if name == "collection" and kind == "record":
        return "handling"  # offers and signatures are collected by nobody's driver
    if name == "storage" and kind == "record" and verb == "hold":
        return "registration"  # people hold licences; nothing is stored
    if name in OF_PAPERS and kind in ("record", "money"):
        return "handling"
    if name == "care" and verb == "visit":
        return "visit"
    if kind == "place":
        letting = verb in LETTING
        if name in ("rental", "loan"):  # nobody brings a room back, or loses it
            return "letting" if letting else "hire"
        return "booking" if name in ("case", "roster", "supply") else ""
    return "award" if (kind, name) == ("money", "loan") else ""


def _of_noun(name: str, pattern: Pattern, kind: str, noun: str, verb: str) -> str:
    """What a verb of that pattern means where it is done to a noun of its own; "" where nothing else."""
    if pattern.shape == "seat" and kind == "record":
        return OF_RECORDS.get(noun.rpartition(" ")[2], "")  # "pauses deliveries"
    if name == "booking" and kind == "record":
        return "appointment"  # tests, hearings and visits have an hour and somebody who sees to them
    if kind == "record" and (name, verb) in _CHANGING:
        return OF_RECORDS.get(noun.rpartition(" ")[2], "")  # "bookings can be moved"
    if name == "sale" and kind == "record" and noun.rpartition(" ")[2] in _PERMITS:
        return "permit"
    if name == "case" and kind == "thing" and is_listed(noun):
        return "cleaning"  # "opens doors", which is one job each
    return "production" if name == "booking" and kind == "stock" else ""  # "arranges bouquets"


def _of_shape(name: str, pattern: Pattern, kind: str, *, given: bool) -> str:
    """What a verb means where records of its shape cannot keep what it is done to; "" where they can."""
    if pattern.shape == "hold" and kind == "event":
        return "enrolment"
    if name == "permit" and (kind == "stock" or (kind == "thing" and given)):
        return "supply"
    if pattern.shape == "seat" and kind in ("thing", "record", "place", "money", "stock"):
        return {"place": "booking", "stock": "supply"}.get(kind, "registration")
    if pattern.shape == "supply" and kind == "event":
        return "event"
    papers = kind in ("record", "money") and name in ("supply", "production", "exchange")
    return "handling" if papers else ""


def is_charge(noun: str) -> bool:
    """Whether a noun is by itself what is charged or paid: fees, deposits, bills."""
    last = noun.rpartition(" ")[2]
    return last in _BILLS or OF_RECORDS.get(last) == "billing"


def pattern_of_record(verb: str, noun: str) -> str:
    """The pattern that an object calls for whose verb leaves it open, "" where there is none."""
    last = noun.rpartition(" ")[2]
    named = OF_RECORDS.get(last, "")
    if last in _BILLS and verbs().get(verb.partition(" ")[0], NEUTRAL) in OF_BILLS:
        return "billing"
    return named if verb in LIGHT or (verb in _OF_MONEY and named == "billing") else ""
