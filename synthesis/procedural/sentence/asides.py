"""Asides: words that state a rule or say how something is done, and make no clause of their own."""

from __future__ import annotations

from synthesis.procedural.sentence.exemptions import words_of_exemptions
from synthesis.procedural.sentence.modifiers import means_of_passive
from synthesis.procedural.sentence.requirements import relative_requirements
from synthesis.procedural.sentence.rule_clauses import without_rules
from synthesis.procedural.sentence.tokens import SentenceToken


def without_asides(tokens: list[SentenceToken]) -> tuple[list[SentenceToken], list[SentenceToken]]:
    """The tokens of a text from which clauses are read, and those of its rules, exemptions and means."""
    read, ruled = without_rules(tokens)
    aside = [*relative_requirements(tokens), *means_of_passive(tokens), *words_of_exemptions(tokens)]
    return [token for token in read if token not in aside], [*ruled, *aside]
