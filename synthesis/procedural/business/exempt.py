# ruff: noqa: S608 - it writes SQL, from names of its own
"""Exempt: those who pay nothing by the sentence, "free for members"; they are the upper tier."""

from __future__ import annotations

from synthesis.procedural.business.model import Business, Process, Row, Rule
from synthesis.procedural.business.stated_limits import stated_limits
from synthesis.procedural.composing.wording import listing, sentence
from synthesis.procedural.sentence.inflection import article

_STILL_DUE = ("replacement", "damage")
"""Kinds of charges that nobody is spared."""


def exempts(b: Business, p: Process) -> bool:
    """Whether the upper tier pays nothing for what a process records."""
    return "exempt" in stated_limits(b, p)


def is_exempt(b: Business, p: Process, party: Row, kind: str) -> bool:
    """Whether somebody is not charged.

    Args:
        b: The business.
        p: The process of the record.
        party: Whose record it is.
        kind: Of the charge.
    """
    return exempts(b, p) and party["tier"] == b.tiers[1] and kind not in _STILL_DUE


def exemption_rules(b: Business) -> list[Rule]:
    """The rule that says so; it takes no chance."""
    free = [p for p in b.processes if exempts(b, p)]
    if not free:
        return []
    tier, party, charge = b.tiers[1], b.party, b.charge
    records, one = listing([p.record.many for p in free]), sentence(article(party.noun))
    references = " UNION ".join(f"SELECT number FROM {p.record.name}" for p in free)
    text = (
        f"{one} whose tier is {tier.replace('_', ' ')} pays nothing for {records}, late or called off as they"
        f" may be: no {charge.noun} is raised, except for what is lost or damaged."
    )
    breaches = (
        f"SELECT c.id AS id FROM {charge.name} c JOIN {party.name} q ON q.id = c.{party.key}"
        f" WHERE q.tier = '{tier}' AND c.kind NOT IN {_STILL_DUE}"
        f" AND c.reference IN ({references})"
    )
    return [Rule("exempt", text, breaches=breaches)]
