"""Instructions: clauses and questions put together as a person would ask."""

from __future__ import annotations

import random

from synthesis.procedural.composing.wording import listing, sentence

ONE = ("Please {0}.", "Could you {0}?", "{0}, please.", "I need you to {0}.", "We need to {0}.")
NEXT = ("Then", "After that,", "Next,", "Also,", "In addition,")
LAST = ("Finally,", "Last of all,", "And then")
FURTHER_QUESTIONS = ("Tell me {0}.", "I would also like to know {0}.", "Let me know {0} as well.")
QUESTIONS = (
    "Please tell me {0}.",
    "I would like to know {0}.",
    "Can you find out {0}?",
    "I need to know {0}.",
)
FIND_OUT = ("Please find out:", "I need to know:", "For my report I need:", "Please look up:")
OTHERWISE = (
    "If our rules do not allow that, please {0}.",
    "Should that not be possible under our rules, please {0}.",
    "In case the policy forbids it, please {0}.",
)


def request(rng: random.Random, clauses: list[str]) -> str:
    """One or several things to do, in order."""
    if len(clauses) == 1:
        return sentence(rng.choice(ONE).format(clauses[0]))
    if len(clauses) <= 3 and rng.random() < 0.4:
        return f"Please {listing(clauses)}."
    return " ".join(_steps(rng, clauses))


def _steps(rng: random.Random, clauses: list[str]) -> list[str]:
    sentences = [f"Please {clauses[0]}."]
    unused = rng.sample(NEXT, len(NEXT))
    for place, clause in enumerate(clauses[1:-1]):
        sentences.append(f"{unused[place % len(unused)]} {clause}.")
    return [*sentences, f"{rng.choice(LAST)} {clauses[-1]}."]


def questions(rng: random.Random, texts: list[str], *, alone: bool) -> str:
    """Indirect questions as one or several sentences."""
    if len(texts) > 2:
        return f"{rng.choice(FIND_OUT)} {'; '.join(texts[:-1])}; and {texts[-1]}."
    return rng.choice(QUESTIONS if alone else FURTHER_QUESTIONS).format(" and ".join(texts))


def otherwise(rng: random.Random, clause: str) -> str:
    """What to do where the first wish is against the rules."""
    return rng.choice(OTHERWISE).format(clause)


def regardless(rng: random.Random, clauses: list[str]) -> str:
    """Things to do whatever came of the wish before."""
    return rng.choice(("In either case {0}.", "Either way, {0}.", "Whatever comes of that, {0}.")).format(
        listing(clauses)
    )
