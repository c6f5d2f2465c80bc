"""Particles: words such as "up" and "off" that make another verb of the one before, or of its object's."""

from __future__ import annotations

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import particles
from synthesis.procedural.sentence.phrases import noun_phrase
from synthesis.procedural.sentence.tokens import DETERMINERS, NUMBERS, PARTICLES, PRONOUNS, SentenceToken

ADVERBIAL = frozenset(("out", "up", "off", "down", "away", "back"))
"""Particles that no noun need follow."""
_BEFORE_THINGS = frozenset(("a", "an", "the", "their", "its", "our"))


def particle_of(tokens: list[SentenceToken], place: int) -> str:
    """The particle that makes another verb of the one at a place, "" where there is none."""
    if place + 1 >= len(tokens):
        return ""
    following = tokens[place + 1].word
    behind = tokens[place + 2 : place + 3]
    if following == "to" and behind and behind[0].word in PRONOUNS:
        return ""  # "that people post to me"
    return following if following in particles().get(tokens[place].verb, ()) else ""


def new_particle_of(tokens: list[SentenceToken], place: int) -> str:
    """The particle of a verb that the lexicon has without it: "pumps out tanks"; "" where there is none."""
    if place + 2 >= len(tokens) or not tokens[place].is_third_person:
        return ""
    particle, following = tokens[place + 1].word, tokens[place + 2]
    thing = following.word in _BEFORE_THINGS or (
        following.is_content and singular(following.word) != following.word
    )
    return particle if particle in ADVERBIAL and thing else ""


def particle_behind_pronoun(tokens: list[SentenceToken], place: int) -> str:
    """The particle of "drop them off", which belongs to the verb at a place; "" where there is none."""
    behind = tokens[place + 1 : place + 4]
    if len(behind) < 2 or behind[0].word not in ("it", "them", "one", "some"):
        return ""
    noun = len(behind) > 2 and (behind[2].is_content or behind[2].word in DETERMINERS)
    particle = behind[1].word
    known = particle in particles().get(tokens[place].verb, ())
    return particle if known or (particle in ADVERBIAL and not noun) else ""


def particle_behind_object(tokens: list[SentenceToken], place: int) -> SentenceToken | None:
    """The particle of "sign their children up", which belongs to the verb at a place; None where none is."""
    known = particles().get(tokens[place].verb, frozenset()) & (PARTICLES | {"round", "around"})
    phrase = noun_phrase(tokens, place + 1) if known else None
    if phrase is None or phrase.end >= len(tokens) or tokens[phrase.end].word not in known:
        return None
    behind = tokens[phrase.end + 1 : phrase.end + 2]
    begins = bool(behind) and (behind[0].is_content or behind[0].word in DETERMINERS | NUMBERS)
    return None if begins else tokens[phrase.end]
