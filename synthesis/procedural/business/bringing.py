"""Bringing: clauses in which those who are served only bring or fetch what the business deals with."""

from __future__ import annotations

from synthesis.procedural.sentence.clauses import OBJECT, Clause, Parse
from synthesis.procedural.sentence.lexicon import kinds_of

_VERBS = frozenset(("bring", "leave", "drop off", "pick up", "collect", "fetch", "hand over"))


def is_bringing(clause: Clause, parse: Parse) -> bool:
    """Whether a clause says no more than "people drop them off" of what the business does something to."""
    if clause.agent is None or clause.verb not in _VERBS or "staff" in kinds_of(clause.agent.text)[:1]:
        return False
    brought = {phrase.text for phrase in clause.roles.get(OBJECT, ())}
    dealt = (other for other in parse.clauses if other.agent is None)
    return any(
        phrase.text in brought for other in dealt for phrases in other.roles.values() for phrase in phrases
    )
