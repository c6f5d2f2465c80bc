"""Implied: what a business does that only says what it is and has, "a bakery with a shop"."""

from __future__ import annotations

from synthesis.procedural.business.pattern_choice import VERBS
from synthesis.procedural.business.planned import kind_of
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.inflection import lemmas
from synthesis.procedural.sentence.lexicon import is_business, verbs
from synthesis.procedural.sentence.phrases import NounPhrase


def implied_clauses(business: str, extras: list[NounPhrase]) -> list[Clause]:
    """What a business does that only says what it is: "a tool rental", "a tuning workshop for pianos"."""
    words = business.split()
    if len(words) == 1 and not extras:
        return []
    for place, word in enumerate(words):
        verb_lemmas = [lemma for lemma in (word, *lemmas(word).get("VERB", ())) if lemma in verbs()]
        derived = {
            "rental": "rent",
            "delivery": "deliver",
            "storage": "store",
            "removal": "move",
            "catering": "cater",
        }
        verb = derived.get(word) or (verb_lemmas[0] if verb_lemmas else _verb_of_trade(word))
        if verb and word not in ("shop", "house"):
            clause = Clause(verb)
            objects = [" ".join(words[:place])] if place else []
            phrases = [NounPhrase(text, (), 0) for text in objects] or [
                phrase for phrase in extras[:1] if not is_business(phrase.text)
            ]
            clause.roles[OBJECT] = phrases
            return [clause]
    return [
        Clause(VERBS[kind], {OBJECT: [phrase]})
        for phrase in extras[:3]
        if (kind := kind_of(phrase.text, "record")) in VERBS
    ]


def _verb_of_trade(word: str) -> str:
    """What a trade is named after, "bake" of "bakery"; "" where that is no known verb."""
    if not word.endswith(("ery", "er", "or")):
        return ""
    return next((stem for end in (1, 2, 3) if (stem := word[:-end]) in verbs()), "")
