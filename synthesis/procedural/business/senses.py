"""Senses: what a verb means by what it is done to, "sells tickets for plays", "keeps twelve ponies"."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.lexicon import NEUTRAL, is_business, kinds_of
from synthesis.procedural.sentence.limits import number_of
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.tokens import SentenceToken

_ADMISSIONS = frozenset(("ticket", "seat", "place", "pass"))
ENTERING = {"register": "registration", "admit": "admission"}
"""Verbs by which people or firms are entered somewhere, and what their records are called."""
HAD_FROM_OTHERS = {"rent": "rental", "hire": "hire", "borrow": "loan", "lease": "lease"}
"""Verbs of what one may have from others, and what that is called."""
_OTHERS = frozenset(("other", "another", "several", "various", "different"))
_OCCASIONS = frozenset(word_list("occasions"))
_ORGANISED = frozenset(("booking", "event", "enrolment"))
_REST = frozenset(("rest", "remainder", "thing", "stuff"))
_BRINGING = frozenset(("bring", "take", "get", "run"))
_LIVESTOCK = frozenset(word_list("livestock"))
_HERDS = frozenset(("flock", "herd", "fleet", "string", "pack", "team", "stable", "collection", "range"))
"""Nouns for several of what stands behind "of": "a flock of sheep"."""
_OWNING = frozenset(("keep", "own", "have"))
_OF_THE_BODY = frozenset(word_list("of_the_body"))
_IN_ROOMS = frozenset(word_list("in_rooms"))
_DINING = frozenset(word_list("dining"))
_MEANS_OF_PAYMENT = frozenset(("money", "cash", "card", "cheque", "transfer"))
_GIVEN = frozenset(("donated", "bequeathed"))
TAKING = frozenset(("take", "take in", "accept", "receive", "collect", "get"))
_GETTING_PAID = frozenset(("collect", "take", "accept", "receive"))
_MOST_OWNED = 200
_FOR_DUTIES = frozenset(("roster", "booking", "enrolment", "event", "purchase"))
"""Patterns behind which "for" says what people are sent to, or who goes there."""
_CONTAINERS = frozenset(word_list("containers"))
_ON_THE_WAY = frozenset(
    ("repair", "cleaning", "installation", "treatment", "measurement", "inspection", "care", "editing")
)
"""Patterns of what is done where those live who are visited for it."""
_DWELLINGS = frozenset(("home", "house", "flat", "household"))
HOUSEHOLD = "household"
"""Who is served where a sentence speaks of homes."""


def admitted_to(clause: Clause, noun: str) -> str:
    """The event that tickets are for, "sells tickets for plays"; "" of anything else."""
    if clause.pattern not in ("sale", "booking", "supply", "permit") or noun not in _ADMISSIONS:
        return ""
    phrases = (*clause.roles.get("for", ()), *clause.roles.get("to", ()))
    return next((each.text for each in phrases if kinds_of(each.text)[:1] == ("event",)), "")


def is_had_from_others(clause: Clause) -> bool:
    """ "rents costumes from other groups": whether the business is who hires or borrows something."""
    sources = clause.roles.get("from", ())
    owned = any(
        each.many and (each.determiner in _OTHERS or kinds_of(each.text)[:1] == ("party",))
        for each in sources
    )
    owned = owned or (bool(sources) and clause.verb == "borrow")
    own = clause.agent is None and "to" not in clause.roles
    return own and owned and clause.verb in HAD_FROM_OTHERS


def sense_of(clause: Clause, name: str, kind: str) -> str:
    """The pattern of a clause whose object is of a kind with which its verb means another one."""
    if name == NEUTRAL and _is_taken_to_people(clause, kind):
        return "dispatch"
    if name == "enrolment" and _enters_a_register(clause, kind):
        return "registration"
    if name == "care" and clause.verb == "visit" and _are_businesses(clause):
        return "visit"
    return "commission" if _is_of_others(clause, name) else name


def _are_businesses(clause: Clause) -> bool:
    """ "visits restaurants": whether those who are visited are no persons, of whom nobody takes care."""
    objects = clause.roles.get(OBJECT, ())
    return any("business" in kinds_of(phrase.text) for phrase in objects)


def is_working(clause: Clause) -> bool:
    """ "drivers take books to people": whether those who may work there bring something to others."""
    to = [each for each in clause.roles.get("to", ()) if kinds_of(each.text)[:1] == ("party",)]
    acts = clause.agent is not None and "staff" in kinds_of(clause.agent.text)
    return acts and bool(to) and (clause.verb in _BRINGING or clause.pattern == "dispatch")


def _is_taken_to_people(clause: Clause, kind: str) -> bool:
    """ "brings meals to the elderly": whether a thing goes to those who are served."""
    to = [each for each in clause.roles.get("to", ()) if kinds_of(each.text)[:1] == ("party",)]
    own = clause.agent is None or "staff" in kinds_of(clause.agent.text)
    return clause.verb in _BRINGING and own and kind in ("thing", "stock") and bool(to)


def _enters_a_register(clause: Clause, kind: str) -> bool:
    """ "registers apiaries", "admits patients": whether somebody is entered somewhere, and no event is named
    to which they come."""
    named = [each for role, phrases in clause.roles.items() if role != OBJECT for each in phrases]
    events = any("event" in kinds_of(phrase.text) for phrase in named)
    return clause.verb in ENTERING and kind == "party" and not events


def owned(clause: Clause, tokens: Sequence[SentenceToken]) -> list[tuple[NounPhrase, int]]:
    """What a clause only says the business has, and how many: "keeps twelve ponies"."""
    objects = clause.roles.get(OBJECT, ())
    alone = clause.agent is None and clause.verb in _OWNING and len(clause.roles) == 1
    counts = [count_of(each, tokens) for each in objects]
    return list(zip(objects, counts, strict=True)) if alone and objects and all(counts) else []


def is_herd(clause: Clause) -> bool:
    """ "keeps a flock of sheep": whether a clause only says of what the business has several."""
    objects = clause.roles.get(OBJECT, ())
    owns = clause.agent is None and clause.verb in _OWNING
    if owns and objects and len(clause.roles) == 1 and all(each.head in _LIVESTOCK for each in objects):
        return not any(each.determiner for each in objects)  # "we keep bees"
    return owns and len(objects) == 1 and objects[0].head in _HERDS and bool(clause.roles.get("of"))


def count_of(phrase: NounPhrase, tokens: Sequence[SentenceToken]) -> int:
    """How many a phrase says there are, "five vans"; 0 where it does not, or of too many."""
    first = next((at for at, token in enumerate(tokens) if phrase.tokens and token is phrase.tokens[0]), 0)
    number = number_of(tokens[first - 1]) if first and phrase.many else 0
    return number if number <= _MOST_OWNED else 0


def is_of_admission(noun: str) -> bool:
    """Whether a noun is what lets somebody in, tickets and the like, with no more said of it."""
    return noun in _ADMISSIONS


def is_of_the_body(noun: str) -> bool:
    """Whether a noun is what people have treated on themselves: hair, nails."""
    return noun.rpartition(" ")[2] in _OF_THE_BODY


def is_in_rooms(business: str) -> bool:
    """Whether bookings of a business are of its rooms or tables, and not of somebody's time."""
    words = business.split()
    return any(word in _IN_ROOMS or kinds_of(word)[:1] == ("place",) for word in words)


def room_of(business: str) -> str:
    """What bookings of a business are of where no sentence says it: a table of a restaurant; "" of others."""
    return "table" if business.rpartition(" ")[2] in _DINING else ""


def is_getting_paid(clause: Clause) -> bool:
    """ "collects the money at the door": whether a clause says no more than that people pay."""
    objects = clause.roles.get(OBJECT, ())
    return clause.verb in _GETTING_PAID and bool(objects) and all(is_means(each.text) for each in objects)


def is_means(noun: str) -> bool:
    """Whether a noun is a means of payment."""
    return noun in _MEANS_OF_PAYMENT


def given_away(noun: str) -> str:
    """What is donated, "donated furniture", without that word; "" of what is not."""
    first, _, rest = noun.partition(" ")
    return rest if first in _GIVEN else ""


def is_taking(clause: Clause) -> bool:
    """Whether a clause says that something is received: "takes in donated furniture"."""
    return clause.verb in TAKING or clause.pattern == NEUTRAL


def is_for_one_client(clause: Clause, noun: str) -> bool:
    """ "arranges funerals": whether an occasion is organised for those whose it is, and nobody signs up."""
    return clause.pattern in _ORGANISED and noun.rpartition(" ")[2] in _OCCASIONS


def is_rest(noun: str) -> bool:
    """ "recycles the rest": whether a noun only stands for what was named before."""
    return noun in _REST


def is_at_payment(role: str, noun: str) -> bool:
    """ "in cash", "by card": whether a phrase says how people pay."""
    return role in ("in", "by") and is_means(noun)


def is_done_for(clause: Clause, phrase: NounPhrase, role: str) -> bool:
    """ "sharpens scissors for hairdressers", "tests samples for clinics": whether those are served who may
    work somewhere, or are places, elsewhere."""
    if role != "for" or clause.pattern in _FOR_DUTIES or not (phrase.many and phrase.tokens):
        return False
    return kinds_of(phrase.text)[:1] == ("staff",) or is_business(phrase.head)


def is_container(noun: str) -> bool:
    """Whether a noun is what things are carried in: "in sacks"."""
    return noun in _CONTAINERS


def _is_of_others(clause: Clause, name: str) -> bool:
    """ "fires members' pots": whether what is made or worked on belongs to those who are served."""
    owners = clause.roles.get("of", ())
    return name == "production" and any(kinds_of(each.text)[:1] == ("party",) for each in owners)


def visited_for(clause: Clause, following: Clause | None) -> list[str]:
    """Whom a clause visits for what the next one does there: "visits schools and tunes pianos"."""
    if clause.verb != "visit" or clause.agent is not None or following is None:
        return []
    if following.pattern not in _ON_THE_WAY or following.agent is not None:
        return []
    objects = [phrase.text for phrase in clause.roles.get(OBJECT, ())]
    done_to = {phrase.text for phrase in following.roles.get(OBJECT, ())}
    people = any(kinds_of(noun)[:1] == ("party",) for noun in done_to)
    if not objects or not done_to or people:
        return []
    return [HOUSEHOLD if noun in _DWELLINGS else noun for noun in objects]
