"""The field's terms in the words of people who build no agents; the expert view keeps the terms."""

from __future__ import annotations

import re

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
    "procedural author": "built-in author",
    "task feasibility": "tasks can be done",
    "data alignment": "data fits",
    "toolset completeness": "tools cover the work",
    "near-misses": "almost right work",
    "right wordings": "right answers in other words",
    "wrong wordings": "wrong answers in other words",
    "equivalent solutions": "different solutions",
    "weak agents": "careless agents",
    "call a tool": "use a tool",
    "calls": "steps",
    "calls so far": "used so far",
    "no calls yet": "nothing used yet",
    "verify": "check",
    "read": "only an answer",
    "write": "a change",
    "mixed": "a change and an answer",
    "refuse": "to be declined",
    "synthesis": "new environment",
    "batch of syntheses": "batch of new environments",
    "rollouts": "attempts of agents",
    "batch of rollouts": "batch of attempts of agents",
    "pass@1": "One attempt",
    "pass@k: any of k": "Any of k attempts",
    "pass^k: all of k": "All of k attempts",
    "schema import": "environment from your tables",
}
"""Term to trade's word, in lower case; words that are not here are everybody's."""

IN_PHRASES = (
    "trajectory", "trajectories", "episode", "episodes", "verifier", "verifiers", "procedural author",
)  # fmt: skip
"""Terms that are replaced inside of phrases too; the others are everyday words with another meaning there."""
_TERM = re.compile(rf"\b(a )?({'|'.join(IN_PHRASES)})\b", re.IGNORECASE)

AGENT_WORDS = {
    "reference": "the right solution",
    "no-op": "an agent that does nothing",
    "random": "an agent that acts at random",
    "explorer": "an agent that uses everything once",
    "interviewer": "the right solution after asking the customer",
    "chat": "a language model",
    "chat:two-tools": "a language model that looks its tools up first",
    "chat:names": "a language model that sees only the names of its tools",
    "chat:retrieved:8": "a language model that is offered eight tools",
    "chat:user": "a language model that asks the customer",
    "faulty:wrong_row": "an agent that takes the wrong record",
    "faulty:stops_early": "an agent that stops too early",
    "faulty:repeats": "an agent that does its last change twice",
    "faulty:bad_arguments": "an agent that leaves things out",
    "faulty:ignores_a_refusal": "an agent that ignores a refusal",
    "faulty:claims_without_acting": "an agent that says it acted and did not",
}
"""The studio's own agents, for who does not know them by name."""


def trade_word(term: str) -> str:
    """What a term of the field, or each in a phrase, is called outside the expert view; a capital stays."""
    word = TRADE_WORDS.get(term.lower(), "")
    return _as_big(word, term) if word else _TERM.sub(_in_phrase, term)


def _in_phrase(match: re.Match[str]) -> str:
    article, term = match[1] or "", match[2]
    word = _as_big(TRADE_WORDS[term.lower()], term)
    return f"{article[:1]}n {word}" if article and word[:1] in "aeiou" else f"{article}{word}"


def _as_big(word: str, term: str) -> str:
    return word[:1].upper() + word[1:] if term[:1].isupper() else word


def agent_word(name: str) -> str:
    """What one of the studio's own agents is called outside the expert view; others keep their name."""
    return AGENT_WORDS.get(name, name)


def agents_in_words(title: str) -> str:
    """The title of a run of agents, "reference, no-op in Clinic", with what its agents do."""
    names, separator, place = title.partition(" in ")
    words = ", ".join(agent_word(name) for name in names.split(", "))
    return f"{words[:1].upper()}{words[1:]}{separator}{place}"
