"""Proposal: a scenario for a data model, from its name and the words of its tables."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

from synthesis.documents.scenario import Scenario
from synthesis.intake.names import words_of

CLOCK = datetime(2026, 3, 11, 8, 30)
"""The moment at which proposed worlds stand, where no rows say a later one."""

_CATEGORIES: dict[str, str] = {
    "healthcare": "patient appointment prescription diagnosis clinic doctor visit",
    "education": "student course enrolment enrollment grade lesson teacher",
    "hospitality": "hotel room reservation guest restaurant menu dish",
    "media and entertainment": "film actor album artist track playlist genre",
    "publishing": "page article post revision author blog site document",
    "community": "forum topic thread poll member",
    "customer support": "ticket queue followup sla escalation",
    "banking and insurance": "account loan policy claim premium bank",
    "logistics": "shipment warehouse stock carrier parcel route",
    "human resources": "employee salary leave department payroll candidate",
    "software operations": "job trigger scheduler server token deployment role",
    "retail and commerce": "product order cart basket customer invoice voucher item",
}
"""Kind of business, and words in tables' names that speak for it."""
_UNNAMED = frozenset(
    {"", "schema", "structure", "dump", "database", "db", "openapi", "swagger", "api", "main"}
)


def propose(name: str, tables: list[str], *, clock: datetime | None = None) -> Scenario:
    """A scenario to begin with; people change it.

    Args:
        name: What the source calls itself: a file's name, a database, an API's title.
        tables: Names of the tables, the most important first.
        clock: Where the world's clock should stand.
    """
    words = [words_of(table) for table in tables]
    named = re.sub(r"(?<=\w) (?:rest )?api(?: v?\d+)?\Z", "", words_of(name))
    if named in _UNNAMED:
        named = f"{words[0]} records"
    title = named[:1].upper() + named[1:]
    slug = re.sub(r"[^a-z0-9]+", "_", named).strip("_") or "own_schema"
    slug = slug if slug[0].isalpha() else f"schema_{slug}"
    return Scenario(
        name=slug[:60].rstrip("_"),
        title=title[:120],
        category=_category(words),
        description=_description(title, words),
        clock=clock or CLOCK,
    )


def _category(words: list[str]) -> str:
    answers = Counter(part.removesuffix("s") for word in words for part in word.split())
    weight = {name: sum(answers[word] for word in telling.split()) for name, telling in _CATEGORIES.items()}
    best = max(weight, key=lambda name: weight[name])
    return best if weight[best] else "business records"


def _description(title: str, words: list[str]) -> str:
    shown = list(dict.fromkeys(words))[:12]
    more = len(set(words)) - len(shown)
    listed = ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else shown[0]
    rest = f", and {more} more tables" if more > 0 else ""
    return (
        f"{title[:200]}: the records of {listed}{rest}. Staff look records up, add and change them, and keep "
        "to the rules that the data model sets: what must be there, what must be unique, and which record "
        "belongs to which."
    )
