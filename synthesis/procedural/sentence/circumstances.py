"""Circumstances: conditions that say only how a thing is: "when a bus is late", "if no whale is seen"."""

from __future__ import annotations

from dataclasses import replace

from synthesis.procedural.sentence.inflection import gerund, lemmas
from synthesis.procedural.sentence.lexicon import NEUTRAL, kinds_of, verbs
from synthesis.procedural.sentence.modifiers import COPULAS, is_passive
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.references import acts
from synthesis.procedural.sentence.tokens import (
    CLOSED,
    CONJUNCTIONS,
    DETERMINERS,
    NUMBERS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    SentenceToken,
)

_OCCURRING = frozenset(("come", "arrive", "happen", "occur", "arise", "appear", "begin"))
"""Verbs that say of what a noun means only that it is there: "when a distress call comes in"."""

_APART = PREPOSITIONS | CONJUNCTIONS
BECOMING = frozenset(("become", "becomes"))
"""Verbs that say only in what state something now is."""


def circumstance(
    tokens: list[SentenceToken], subject: NounPhrase, start: int, verb: int
) -> NounPhrase | None:
    """What a condition says of a thing: "late bus", "no whale seen", "bursting pipe"; None of an act.

    Args:
        tokens: The sentence.
        subject: What the condition is about.
        start: Where its first word is, the determiner too.
        verb: Where its verb, or the first auxiliary of it, is.
    """
    first = verb + (tokens[verb].word in BECOMING)
    state = next((n for n in range(first, len(tokens)) if tokens[n].is_content), verb)
    behind = tokens[state + 1] if state + 1 < len(tokens) else None
    token, ends = tokens[state], behind is None or not behind.is_word
    if is_passive(tokens, verb):
        missing = tokens[start].word == "no"
        closed = verbs().get(token.verb) == "disruption" and "event" not in kinds_of(subject.text)
        does = verbs().get(token.verb, NEUTRAL) != NEUTRAL
        known = does and not missing and not closed  # "when lifts are closed"
        if known or not (ends or (behind is not None and behind.word in _APART)):
            return None
        text = f"no {subject.text} {token.word}" if missing else f"{token.word} {subject.text}"
        return replace(subject, text=text, end=state + 1)
    if tokens[verb].word in COPULAS | BECOMING and state > verb and "ADJ" in lemmas(token.word) and ends:
        return replace(subject, text=f"{token.word} {subject.text}", end=state + 1)
    if acts(subject) or not _only_happens(tokens, verb):
        return None
    doing = tokens[verb].verb
    text = subject.text if doing in _OCCURRING else f"{gerund(doing)} {subject.text}"
    particle = verb + 1 < len(tokens) and tokens[verb + 1].word in PARTICLES
    return replace(subject, text=text, end=verb + 1 + particle)


def _only_happens(tokens: list[SentenceToken], verb: int) -> bool:
    """Whether a verb is done to nothing: "when pipes burst"."""
    token = tokens[verb]
    following = tokens[verb + 1] if verb + 1 < len(tokens) else None
    closed = CLOSED - DETERMINERS - NUMBERS - PRONOUNS
    alone = following is None or not following.is_word or following.word in closed | PARTICLES
    return token.is_content and alone
