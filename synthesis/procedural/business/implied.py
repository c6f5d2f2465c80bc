"""Implied: what a business does that only says what it is and has, "a bakery with a shop"."""

from __future__ import annotations

from itertools import dropwhile

from synthesis.procedural.business.pattern_choice import VERBS
from synthesis.procedural.business.planned import kind_of
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.clauses import OBJECT, Clause
from synthesis.procedural.sentence.inflection import lemmas
from synthesis.procedural.sentence.lexicon import is_business, kinds_of, verbs
from synthesis.procedural.sentence.phrases import NounPhrase

_MARKETS = frozenset(("site", "website", "platform", "marketplace", "portal", "app"))
"""What brings those who have something together with those who want it."""
_TEACHING = frozenset(("school", "academy", "college", "club"))
_EVERYWHERE = frozenset(("mobile", "local", "small", "family", "community", "village", "little"))
"""What businesses are, and not what they deal with: "a mobile dog groomer"."""
_BY_APPOINTMENT = frozenset(word_list("by_appointment"))
"""Trades whose clients come to a person at an hour."""


def implied_clauses(business: str, extras: list[NounPhrase]) -> list[Clause]:
    """What a business does that only says what it is: "a tool rental", "a tuning workshop for pianos"."""
    words = business.split()
    if words[-1] in _TEACHING and len(words) > 1 and words[-2].endswith("ing"):
        return [Clause("teach", {OBJECT: [NounPhrase(f"{words[-2]} lesson", (), 0)], "with": extras})]
    words = [*dropwhile(lambda word: word in _EVERYWHERE, words[:-1]), words[-1]]
    if words[-1] in _BY_APPOINTMENT:
        people = [NounPhrase(business, (), 0)] if "staff" in kinds_of(business) else []
        roles = {OBJECT: [NounPhrase("appointment", (), 0)], "by": people, "with": extras}
        return [Clause("take", {role: phrases for role, phrases in roles.items() if phrases})]
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
    if words[-1] in _MARKETS and extras:  # "a site for campervans"
        kind = kind_of(extras[0].text, "thing")
        return [Clause("sell" if kind == "stock" else "rent", {OBJECT: extras[:1], "for": extras[1:]})]
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
