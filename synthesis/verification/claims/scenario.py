"""Claim: the world is about what its scenario says."""

from __future__ import annotations

import re

from synthesis.documents.reading import LEAST_FIDELITY
from synthesis.matching import stem, terms
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.proof_context import ProofContext

_ANYBODY = frozenset(("people", "person", "persons", "individuals"))
"""Words for those who have a name that tells more in the world: "teaches people" has participants."""


def the_world_is_about_its_scenario(context: ProofContext, answer: ClaimOutcome) -> None:
    """The words of the scenario are found in tables, tools, values and rules."""
    environment = context.environment
    reading = environment.scenario.reading
    known = _words_of(context)
    if reading is None:
        asked = dict.fromkeys(terms(environment.scenario.description))
        recognised = sum(word in known for word in asked)
        answer.counts(
            words=len(asked),
            found=recognised,
            fidelity=round(recognised / len(asked), 4) if asked else 1.0,
            read=False,
        )
        return
    words = [*reading.homes, *reading.unread]
    tables = {f"table {table.name}" for table in environment.schema.tables}
    missing = [
        word
        for word in words
        if not _is_found(word, known) and not (word in _ANYBODY and reading.homes.get(word) in tables)
    ]
    share = 1 - len(missing) / len(words) if words else 1.0
    if share < LEAST_FIDELITY:
        answer.finds(
            "schema",
            f"Only {share:.0%} of the scenario's words are found in the world, {LEAST_FIDELITY:.0%} must be:"
            f" {', '.join(missing[:12])} are not.",
            evidence={"missing": [*missing]},
        )
    answer.counts(words=len(words), found=len(words) - len(missing), fidelity=round(share, 4), read=True)


def _is_found(word: str, known: frozenset[str]) -> bool:
    parts = re.findall(r"[^\W_]+", word.lower())
    return all(
        part in known or stem(part) in known or any(_shares_stem(part, other) for other in known)
        for part in parts
    )


def _shares_stem(word: str, other: str) -> bool:
    """Whether two words share all but an irregular ending: "theses" and "thesis"."""
    shared = min(len(word), len(other), 4)
    return shared >= 3 and word[:shared] == other[:shared] and abs(len(word) - len(other)) <= 3


def _words_of(context: ProofContext) -> frozenset[str]:
    """Words, plain and as stems, of everything but the description: names, values, rules, the title."""
    environment = context.environment
    texts = [
        environment.schema.sql,
        environment.scenario.title,
        *(tool.name for tool in environment.tools.tools),
    ]
    texts += [environment.policy.text] if environment.policy else []
    words = re.findall(r"[^\W\d_]+", " ".join(texts).lower())
    return frozenset(words) | frozenset(map(stem, words))
