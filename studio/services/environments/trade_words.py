"""The field's terms in the words of people who build no agents; the expert view keeps the terms."""

from __future__ import annotations

TRADE_WORDS = {
    "claim": "check",
    "claims": "checks",
    "trajectory": "attempt",
    "trajectories": "attempts",
    "episode": "attempt",
    "episodes": "attempts",
    "schema": "tables",
    "policy": "rules",
    "invariants": "what always holds",
    "seed data": "data",
    "verifier": "success check",
    "verifiers": "success checks",
    "tool bug": "a tool does not work right",
    "verifier wrong": "success is judged wrongly",
    "schema wrong": "a table or column is wrong",
    "data wrong": "data is wrong",
    "policy wrong": "a rule is wrong",
    "verdict disputed": "an agent is judged wrongly",
    "executable": "it runs",
    "tool contract": "tools answer or refuse",
    "soundness": "wrong work is rejected",
    "strength": "every condition is needed",
    "completeness": "right work is accepted",
}
"""Term to trade's word, in lower case; words that are not here are everybody's."""

AGENT_WORDS = {
    "reference": "the right solution",
    "no-op": "an agent that does nothing",
    "random": "an agent that acts at random",
    "explorer": "an agent that uses everything once",
    "interviewer": "the right solution after asking the customer",
    "chat": "a language model",
    "faulty:wrong_row": "an agent that takes the wrong record",
    "faulty:stops_early": "an agent that stops too early",
    "faulty:repeats": "an agent that does its last change twice",
    "faulty:bad_arguments": "an agent that leaves things out",
    "faulty:ignores_a_refusal": "an agent that ignores a refusal",
    "faulty:claims_without_acting": "an agent that says it acted and did not",
}
"""The studio's own agents, for who does not know them by name."""


def trade_word(term: str) -> str:
    """What a term of the field is called outside the expert view; a capital stays."""
    word = TRADE_WORDS.get(term.lower(), "")
    if not word:
        return term
    return word[:1].upper() + word[1:] if term[:1].isupper() else word
