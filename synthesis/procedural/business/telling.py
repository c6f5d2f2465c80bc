"""Telling: clauses that only say who is told what, "warns ports when storms come": a kind of notice."""

from __future__ import annotations

from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import kinds_of
from synthesis.procedural.sentence.limits import DAYS_OF
from synthesis.procedural.sentence.phrases import NounPhrase

NOTICE_OF = {"remind": "reminder", "warn": "warning", "alert": "alert", "notify": "notice", "tell": "message"}
"""By verb: what people are sent who are told something."""


def addressees(objects: list[str]) -> list[str]:
    """Those of a verb's objects who can be told something; none of "tells stories"."""
    return [noun for noun in objects if is_somebody(noun)]


def is_somebody(noun: str) -> bool:
    """Whether a noun means people, or a business or office of others."""
    return bool({"party", "staff", "business"} & set(kinds_of(noun)))


def is_notice(noun: str) -> bool:
    """Whether what is sent only tells people something: "reminders"."""
    return noun.rpartition(" ")[2] in NOTICE_OF.values()


def is_period_of_notice(noun: str) -> bool:
    """Whether a noun is how long before its end something is to be called off: "two months' notice"."""
    first, _, last = noun.rpartition(" ")
    return last == "notice" and singular(first) in DAYS_OF


def verb_of_notice(noun: str) -> str:
    """What is done by sending such a notice."""
    return next(verb for verb, sent in NOTICE_OF.items() if sent == noun.rpartition(" ")[2])


def keep_telling(
    clause: Clause, people: list[str], plan: BusinessPlan, *, verb: str = ""
) -> list[tuple[NounPhrase, str]]:
    """Keep the verb with what it is about as one kind of notice; what else it says, with its roles."""
    of = [(each, role) for role, phrases in clause.roles.items() if role != OBJECT for each in phrases]
    of = [(each, role) for each, role in of if each.text not in people]
    plan.notifications.append((verb or clause.verb, " ".join([*clause.states, *(e.text for e, _ in of[:1])])))
    return [(each, role) for each, role in of[1:] if "party" not in kinds_of(each.text)[:1]]
