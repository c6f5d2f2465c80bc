"""Served: whom a business serves where its sentence does not say."""

from __future__ import annotations

from synthesis.procedural.business.planned import PlannedProcess, kind_of
from synthesis.procedural.business.vocabulary import people_of
from synthesis.procedural.business.word_lists import word_list

_ANY_SERVED = frozenset(("customer", "client", "participant", "person", "operator", "borrower", "hirer"))
"""Words of patterns for those who are served, which name nobody's people."""

_MINORS = frozenset(word_list("minors"))


def is_minor(noun: str) -> bool:
    """Whether those of a party are children, for whom others pay."""
    return noun.rpartition(" ")[2] in _MINORS


def usual_party(planned: PlannedProcess, business: str) -> str:
    """Who is served where a sentence does not say: leaks and faults have no owner, clubs have members."""
    named = people_of(business)
    if named and planned.pattern.party in _ANY_SERVED:
        return named
    kind = kind_of(planned.object, "thing")
    if planned.name == "treatment" and planned.object and kind == "thing":
        return "owner"  # of dogs that are treated
    return planned.pattern.party if planned.name != "repair" or kind == "thing" else "customer"
