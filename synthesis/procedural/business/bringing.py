"""Bringing: clauses in which those who are served only bring or fetch what the business deals with."""

from __future__ import annotations

from synthesis.procedural.sentence.clauses import OBJECT, Clause, Parse
from synthesis.procedural.sentence.lexicon import kinds_of

_VERBS = frozenset(
    (
        *("bring", "bring in", "leave", "drop off", "hand in", "pick up", "collect", "fetch", "hand over"),
        *("send", "send in", "post", "mail", "ship", "drop", "bring back"),
    )
)


def is_left_there(clause: Clause) -> bool:
    """ "owners drop their dogs off": whether those who are served bring, leave or fetch something."""
    agent = clause.agent
    return agent is not None and clause.verb in _VERBS and "staff" not in kinds_of(agent.text)[:1]


def is_bringing(clause: Clause, parse: Parse) -> bool:
    """Whether a clause says no more than "people drop them off" of what the business does something to."""
    if not is_left_there(clause):
        return False
    brought = {phrase.text for phrase in clause.roles.get(OBJECT, ())}
    dealt = (other for other in parse.clauses if other.agent is None)
    return any(
        phrase.text in brought for other in dealt for phrases in other.roles.values() for phrase in phrases
    )
