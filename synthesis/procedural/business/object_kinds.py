"""Object kinds: of what kind the thing is that a verb is done to."""

from __future__ import annotations

from synthesis.procedural.business.pattern_choice import IMPERSONAL, OF_PEOPLE
from synthesis.procedural.business.patterns import Pattern, patterns
from synthesis.procedural.business.planned import kind_of
from synthesis.procedural.sentence.lexicon import is_business, is_listed, kinds_of

EXPECTED = {"hold": "place", "slot": "place", "seat": "event", "supply": "stock", "work": "thing"}
"""By shape: the kind of what is handled where its noun does not say."""
HOLD_THINGS = frozenset(("loan", "rental"))
"""Patterns of things that somebody takes away."""
WITH_ITEM = frozenset(("stay", "storage"))
"""Patterns in which something is brought to a place."""


_OF_PLACES = frozenset(("inspection", "cleaning", "repair", "installation", "measurement", "booking"))
"""Patterns in which a business is where something is done."""
_OF_GOODS = frozenset(("event", "sale", "production"))
"""Patterns whose objects are of their kind also where a noun ends like a process."""
_ORGANISING = frozenset(("run", "organise", "organize", "hold", "offer"))
_PACKED = frozenset(("case",))
"""What goods come in that means a paper elsewhere."""
_ANSWERING = frozenset(("answer", "respond", "reply"))
_HANDING_OUT = frozenset(("hand out", "give out", "dispense", "distribute"))


def _expected(name: str, pattern: Pattern) -> str:
    """The kind of what a verb of that pattern is done to, where the noun does not say."""
    if name == "roster":
        return "staff"
    return "thing" if name in HOLD_THINGS | WITH_ITEM else EXPECTED[pattern.shape]


def kind_of_object(noun: str, name: str, verb: str) -> str:
    """The kind of what a verb of some pattern is done to."""
    expected = _expected(name, patterns()[name])
    kind = kind_of(noun, expected)
    if name == "event" and kind == "party" and verb in _ORGANISING and is_business(noun.rpartition(" ")[2]):
        return "event"  # "runs holiday clubs for kids"
    if verb in _ANSWERING and kind == "thing":
        return "record"  # letters
    let = name == "rental" and verb != "hire"
    if (name in _OF_PLACES or let) and kinds_of(noun)[:1] == ("business",):
        return "place"  # "inspects kitchens", "lets allotments"
    if name in ("rental", "booking", "roster") and "place" in kinds_of(noun):
        return "place"  # "rents out garages"
    packed = name in IMPERSONAL and noun.rpartition(" ")[2] in _PACKED  # of wine cases are stored
    goods = not is_listed(noun) and (name in _OF_GOODS or verb in _HANDING_OUT)
    if kind == "record" and (packed or goods):
        return expected  # "medication" only ends like something that is done
    # people are hired, but never rented out or let
    impersonal = (name in IMPERSONAL and verb not in OF_PEOPLE) or let
    return expected if kind == "party" and impersonal and not is_listed(noun) else kind
