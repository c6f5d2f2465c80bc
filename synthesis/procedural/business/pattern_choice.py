"""Pattern choice: which pattern the kind of an object calls for, and what nearly every business does."""

from __future__ import annotations

from synthesis.procedural.business.patterns import Pattern, patterns

GENERAL = {
    "booking": ("book", "meeting room"),
    "supply": ("supply", "consumable"),
    "event": ("run", "open day"),
    "handling": ("handle", "enquiry"),
}
"""By pattern: what nearly every business does as well."""


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

LIGHT = frozenset(["take", "accept", "receive", "handle", "manage", "process", "administer", "keep"])
"""Verbs that leave it to their object what is done."""

LETTING = frozenset(["let", "let out", "lease", "sublet"])
"""Verbs of what is rented to those who live or work in it."""

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
    **dict.fromkeys(
        ("deposit", "instalment", "fee", "fine", "toll", "payment", "rent", "premium"), "billing"
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
}
"""By pattern or verb: what it means where it is done to people, who are hired and sent to incidents."""


def suited(  # noqa: C901 - one branch per pair of a pattern and a kind
    name: str, pattern: Pattern, kind: str, *, verb: str = "", given: bool = False
) -> tuple[str, Pattern]:
    """Another pattern where the object is of a kind that the verb's own cannot keep.

    Args:
        name: The verb's pattern.
        pattern: The same.
        kind: The kind of its object.
        verb: The verb itself.
        given: Whether somebody is named to whom the object goes.
    """
    if pattern.shape == "hold" and kind == "event":
        name = "enrolment"
    elif name == "storage" and kind == "record" and verb == "hold":
        name = "registration"  # people hold licences; nothing is stored
    elif kind in ("party", "staff") and (named := OF_PEOPLE.get(verb) or OF_PEOPLE.get(name)):
        name = named
    elif kind in ("thing", "stock") and name == "permit" and given:
        name = "supply"
    elif name == "rental" and verb in LETTING and kind == "place":
        name = "letting"
    elif kind == "place" and name == "case":
        name = "booking"
    elif kind == "money" and name == "loan":
        name = "award"
    elif pattern.shape == "seat" and kind in ("thing", "record", "place", "money"):
        name = {"place": "booking"}.get(kind, "registration")
    elif pattern.shape == "seat" and kind == "stock":
        name = "supply"
    elif pattern.shape == "supply" and kind == "event":
        name = "event"
    elif (
        pattern.shape == "supply"
        and kind in ("record", "money")
        and name in ("supply", "production", "exchange")
    ):
        name = "handling"
    return name, patterns()[name]


def pattern_of_record(verb: str, noun: str) -> str:
    """The pattern that an object calls for whose verb leaves it open, "" where there is none."""
    named = OF_RECORDS.get(noun.rpartition(" ")[2], "")
    return named if verb in LIGHT or (verb, named) == ("collect", "billing") else ""
