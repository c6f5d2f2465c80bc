"""Subclauses: clauses with a subject of their own, "defects that plumbers repair", "before it opens"."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.lexicon import kinds_of, verbs
from synthesis.procedural.sentence.phrases import NounPhrase, is_object, main_verb, noun_phrase, particle_of
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CLOSED,
    CONJUNCTIONS,
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    SUBORDINATORS,
    SentenceToken,
)
from synthesis.procedural.sentence.word_lists import word_list

TEMPORAL = frozenset(("before", "after", "until", "till", "since", "as"))
"""Prepositions that may also begin a clause: "before the landlord approves the cost"."""
NOMINATIVE = frozenset(("they", "it", "he", "she", "we"))
_ONE = frozenset(("a", "an", "each", "every"))
_EACH = frozenset(("each", "every"))
_PLURAL_MODIFIERS = frozenset(word_list("plural_modifiers"))


@dataclass(frozen=True)
class Subclause:
    """A subject and where its verb, or the first auxiliary of it, is."""

    subject: NounPhrase
    verb: int


def subclause_at(
    tokens: list[SentenceToken], place: int, *, sure: bool = False, bare: bool = False
) -> Subclause | None:
    """The clause whose subject begins at a place; None where only a noun phrase does.

    Args:
        tokens: The sentence.
        place: Where.
        sure: Whether the word before tells that a clause begins: "that", "whose".
        bare: Whether its verb is an infinitive, as in "lets parents who are members borrow boats".
    """
    subject = noun_phrase(tokens, place)
    verb = _verb_of_subject(tokens, place, sure=sure, bare=bare) if subject is not None else 0
    if subject is None or not verb:
        return None
    whose = any(token.word == "whose" for token in tokens[place:verb])
    return Subclause((None if whose else noun_phrase(tokens, place, stop=verb)) or subject, verb)


def _verb_of_subject(tokens: list[SentenceToken], place: int, *, sure: bool, bare: bool) -> int:
    """The place of the verb of the subject at a place; 0 where none is."""
    for number in range(place + 1, len(tokens)):
        token, seen = tokens[number], tokens[number - 1].is_content
        if bare and seen and (token.word in RELATIVE or token.word in AUXILIARIES):
            continue
        if seen and token.word == "whose":
            return _behind_relative(tokens, number)
        if token.word in AUXILIARIES and not bare:
            return number if seen else 0
        if not token.is_word or token.word in (PREPOSITIONS | CONJUNCTIONS if bare else _ENDS):
            return 0
        if seen and token.is_content and _is_finite(tokens, number, tokens[place].word, sure=sure):
            return number if token.is_base or not bare else 0
    return 0


_ENDS = PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS | PRONOUNS | RELATIVE - DETERMINERS


def _behind_relative(tokens: list[SentenceToken], whose: int) -> int:
    """The place of "must" in "buyers whose bids win must pay"; 0 where no auxiliary follows."""
    inner = subclause_at(tokens, whose + 1, sure=True)
    behind = inner.verb + 1 if inner is not None else len(tokens)
    return behind if behind < len(tokens) and tokens[behind].word in AUXILIARIES else 0


def _is_finite(tokens: list[SentenceToken], place: int, first: str, *, sure: bool) -> bool:
    """Whether a word behind a noun is the verb of that noun, in its number."""
    token, before = tokens[place], tokens[place - 1]
    many = singular(before.word) != before.word
    only_verb = "NOUN" not in lemmas(token.word)
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    has_object = following is not None and (
        following.word in PRONOUNS or (following.is_word and is_object(following))
    )
    if token.is_third_person and not many:
        known = token.verb in verbs() and bool(particle_of(tokens, place))
        return only_verb or first in _ONE or has_object or known
    if token.is_base and many and singular(before.word) not in _PLURAL_MODIFIERS:
        return sure or only_verb or token.verb in verbs() or has_object
    return False


def lacks_object(tokens: list[SentenceToken], place: int) -> bool:
    """Whether the verb group at a place is done to nothing behind it, as in "crowns that dentists order"."""
    while place < len(tokens) and tokens[place].word in AUXILIARIES | ADVERBS:
        place += 1
    behind = place + 1
    if behind >= len(tokens) or not tokens[behind].is_word:
        return True
    token = tokens[behind]
    if token.word in DETERMINERS | NUMBERS | PRONOUNS:
        return token.word in _EACH
    return token.word in CLOSED or (token.is_third_person and token.verb in verbs())


def object_relative(tokens: list[SentenceToken], place: int, about: NounPhrase) -> Subclause | None:
    """The clause at a place that says who does something to what was named; None where there is none.

    Of "the catch that boats land" the word after "that" has the form of a verb, but names who does it.
    """
    if place >= len(tokens):
        return None
    first = tokens[place]
    agrees = first.is_base if about.many else first.is_third_person
    if agrees and first.verb in verbs() and not kinds_of(first.word):
        return None
    inner = subclause_at(tokens, place, sure=True)
    if inner is None or not lacks_object(tokens, inner.verb):
        return None
    return None if agrees and inner.verb != place + 1 else inner


def relative_of_subject(tokens: list[SentenceToken], verb: int) -> bool:
    """Whether the verb at a place belongs to a relative clause about the sentence's subject."""
    for place in range(verb):
        if tokens[place].word in RELATIVE and all(
            token.word in AUXILIARIES | ADVERBS for token in tokens[place + 1 : verb]
        ):
            return True
        if tokens[place].word == "whose":
            inner = subclause_at(tokens, place + 1, sure=True)
            return inner is not None and inner.verb == verb
    return False


def main_auxiliary(tokens: list[SentenceToken], verb: int) -> int:
    """The place of "are" in "beekeepers whose hives were lost are paid", or the verb where there is none."""
    if not any(token.word == "whose" for token in tokens[:verb]) or not relative_of_subject(tokens, verb):
        return verb
    for place in range(verb + 1, len(tokens)):
        token = tokens[place]
        if not token.is_word or token.word in CONJUNCTIONS | SUBORDINATORS:
            break
        if token.word in AUXILIARIES and tokens[place - 1].is_content:
            return place
    return verb


def conditions_last(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """The tokens with a clause that comes first, "When a lift breaks down, ...", behind the main one."""
    if not tokens or tokens[0].word not in (SUBORDINATORS | TEMPORAL) - RELATIVE:
        return tokens
    comma = next((place for place, token in enumerate(tokens) if token.text == ","), 0)
    if not comma or subclause_at(tokens, 1, sure=True) is None or main_verb(tokens, comma + 1) is None:
        return tokens
    return [*tokens[comma + 1 :], *tokens[:comma]]


def clause_of_pronoun(tokens: list[SentenceToken], place: int) -> int:
    """The place of the verb whose subject is the pronoun at a place: "what they use"; 0 where none is."""
    if tokens[place].word not in NOMINATIVE:
        return 0
    verb = place + 1
    while verb < len(tokens) and tokens[verb].word in AUXILIARIES | ADVERBS:
        verb += 1
    if verb >= len(tokens) or not tokens[verb].is_content:
        return 0
    token, many = tokens[verb], tokens[place].word in ("they", "we")
    return verb if (token.is_base if many or verb > place + 1 else token.is_third_person) else 0
