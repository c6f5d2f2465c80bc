"""Telling: clauses that only say who is told what, "warns ports when storms come": a kind of notice."""

from __future__ import annotations

from synthesis.procedural.business.planned import BusinessPlan
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.lexicon import kinds_of

NOTICE_OF = {"remind": "reminder", "warn": "warning", "alert": "alert", "notify": "notice", "tell": "message"}
"""By verb: what people are sent who are told something."""


def addressees(objects: list[str]) -> list[str]:
    """Those of a verb's objects who can be told something; none of "tells stories"."""
    return [noun for noun in objects if {"party", "staff", "business"} & set(kinds_of(noun))]


def keep_telling(clause: Clause, people: list[str], plan: BusinessPlan) -> None:
    """Keep the verb with what it is about as one kind of notice, and what else it says as values."""
    of = [phrase.text for role, phrases in clause.roles.items() if role != OBJECT for phrase in phrases]
    of = [noun for noun in of if noun not in people]
    plan.notifications.append((clause.verb, " ".join([*clause.states, *of[:1]])))
    plan.values.extend(noun for noun in of[1:] if "party" not in kinds_of(noun)[:1])
