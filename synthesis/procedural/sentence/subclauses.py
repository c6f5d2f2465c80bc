"""Subclauses: clauses with a subject of their own, "defects that plumbers repair", "before it opens"."""

from __future__ import annotations

from dataclasses import dataclass

from synthesis.procedural.sentence.inflection import lemmas, singular
from synthesis.procedural.sentence.lexicon import kinds_of, verbs
from synthesis.procedural.sentence.particles import particle_of
from synthesis.procedural.sentence.phrases import NounPhrase, noun_phrase
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    CLOSED,
    CONJUNCTIONS,
    DETERMINERS,
    MODALS,
    NUMBERS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    SUBORDINATORS,
    SentenceToken,
)
from synthesis.procedural.sentence.verb_positions import is_act_of_several, is_object, main_verb, word_before
from synthesis.procedural.sentence.word_lists import word_list

TEMPORAL = frozenset(("before", "after", "until", "till", "since", "as"))
"""Prepositions that may also begin a clause: "before the landlord approves the cost"."""
NOMINATIVE = frozenset(
    ("they", "it", "he", "she", "we", "i", "anyone", "anybody", "everyone", "everybody", "nobody", "someone")
)
_CLOSING = PARTICLES | {"behind", "late", "there"}
"""Words with which a condition may end."""
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
        token, seen = tokens[number], word_before(tokens, number).is_content
        if token.word in ADVERBS:
            continue
        if bare and seen and (token.word in RELATIVE or token.word in AUXILIARIES):
            continue
        if seen and (described := _behind_description(tokens, number, sure=sure)) is not None:
            return described
        if token.word in AUXILIARIES and not bare:
            return number if seen else 0
        if not token.is_word or token.word in (PREPOSITIONS | CONJUNCTIONS if bare else _ENDS):
            return 0
        finite = seen and token.is_content and _is_finite(tokens, number, tokens[place].word, sure=sure)
        if finite or (bare and _is_behind_relative(tokens, place, number)):
            return number if token.is_base or not bare else 0
    return 0


def _behind_description(tokens: list[SentenceToken], place: int, *, sure: bool) -> int | None:
    """Where the verb of a subject is that is described from a place on, 0 where it has none; None where
    no description begins there."""
    if tokens[place].word == "whose":
        return _behind_relative(tokens, place)
    if tokens[place].word == "who":
        return predicate_behind(tokens, place)
    if sure and tokens[place].word in _DESCRIBING:  # "that only students with a certificate may fly"
        return _modal_behind(tokens, place) or None
    return None


_DESCRIBING = frozenset(("with", "without", "of"))


def _modal_behind(tokens: list[SentenceToken], place: int) -> int:
    """The place of a modal near behind a preposition that describes a subject; 0 where none is."""
    for at in range(place + 1, min(place + 5, len(tokens) - 1)):
        if tokens[at].word in MODALS:
            return at
        if not (tokens[at].is_content or tokens[at].word in DETERMINERS):
            return 0
    return 0


def _is_behind_relative(tokens: list[SentenceToken], place: int, verb: int) -> bool:
    """ "lets players who owe nothing play": whether a known verb follows a relative clause of a subject."""
    if not tokens[verb].is_base or tokens[verb].verb not in verbs():
        return False
    who = next((at for at in range(place, verb) if tokens[at].word == "who"), verb)
    has_verb = any(token.verb and token.word not in AUXILIARIES for token in tokens[who + 1 : verb - 1])
    ends = verb + 1 >= len(tokens) or not tokens[verb + 1].is_word or _begins_object(tokens, verb + 1)
    return has_verb and ends


_ENDS = PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS | PRONOUNS | RELATIVE - DETERMINERS


def predicate_behind(tokens: list[SentenceToken], who: int) -> int:
    """The place of "lose" in "hirers who leave it dirty lose their deposit"; 0 where no such verb follows.

    Args:
        tokens: The sentence.
        who: Where the relative clause about the subject begins.
    """
    first = who + 1
    while first < len(tokens) and tokens[first].word in AUXILIARIES | ADVERBS:
        first += 1
    if first >= len(tokens) or not tokens[first].verb:
        return 0
    for place in range(first + 1, len(tokens)):
        token, before = tokens[place], tokens[place - 1]
        if not token.is_word or token.word in SUBORDINATORS:
            return 0
        if token.word in AUXILIARIES and before.word not in AUXILIARIES | CONJUNCTIONS | NOMINATIVE:
            return place
        follows = before.is_content or before.word in PRONOUNS or before.word.isdecimal()
        if follows and token.is_base and token.verb in verbs() and _begins_object(tokens, place + 1):
            return place
    return 0


def _begins_object(tokens: list[SentenceToken], place: int) -> bool:
    behind = tokens[place : place + 1]
    return bool(behind) and (behind[0].word in PRONOUNS or is_object(behind[0]))


def _behind_relative(tokens: list[SentenceToken], whose: int) -> int:
    """The place of "must" in "buyers whose bids win must pay"; 0 where no auxiliary follows."""
    inner = subclause_at(tokens, whose + 1, sure=True)
    behind = inner.verb + 1 if inner is not None else len(tokens)
    return behind if behind < len(tokens) and tokens[behind].word in AUXILIARIES else 0


def _is_finite(tokens: list[SentenceToken], place: int, first: str, *, sure: bool) -> bool:
    """Whether a word behind a noun is the verb of that noun, in its number."""
    token, before = tokens[place], word_before(tokens, place)
    many = singular(before.word) != before.word
    only_verb = "NOUN" not in lemmas(token.word)
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    has_object = following is not None and (
        following.word in PRONOUNS or following.is_price or (following.is_word and is_object(following))
    )
    if token.is_third_person and not many:
        known = token.verb in verbs() and bool(particle_of(tokens, place))
        return only_verb or first in _ONE or has_object or known or (sure and _ends_there(tokens, place))
    if token.is_base and many and singular(before.word) not in _PLURAL_MODIFIERS:
        return sure or only_verb or token.verb in verbs() or has_object or is_act_of_several(tokens, place)
    return False


def _ends_there(tokens: list[SentenceToken], place: int) -> bool:
    """ "that the wind cancels": whether a known verb has nothing of its own behind it."""
    behind = tokens[place + 1 : place + 2]
    return tokens[place].verb in verbs() | {"damage": ""} and (
        not behind or not behind[0].is_word or behind[0].word in _ENDS | ADVERBS
    )


def verb_at(tokens: list[SentenceToken], place: int) -> str:
    """The lemma of the verb of the group at a place, whose auxiliaries come first; "" where none is."""
    while place < len(tokens) and tokens[place].word in AUXILIARIES | ADVERBS:
        place += 1
    return tokens[place].verb if place < len(tokens) else ""


_BOUNDS = (("up", "to"), ("at", "most"), ("at", "least"))


def lacks_object(tokens: list[SentenceToken], place: int) -> bool:
    """Whether the verb group at a place is done to nothing behind it, as in "crowns that dentists order"."""
    while place < len(tokens) and tokens[place].word in AUXILIARIES | ADVERBS:
        place += 1
    behind = place + 1
    if behind >= len(tokens) or not tokens[behind].is_word:
        return True
    bound = tuple(token.word for token in tokens[behind : behind + 2])
    if bound in _BOUNDS and any(token.is_number for token in tokens[behind + 2 : behind + 3]):
        return lacks_object(tokens, behind + 1)  # "borrows up to four toys"
    token = tokens[behind]
    if _says_how(tokens, behind):
        return True
    if token.word in DETERMINERS | NUMBERS | PRONOUNS:
        following = [each for each in tokens[behind + 1 : behind + 3] if each.word not in NUMBERS]
        often = not following or "time" in kinds_of(following[0].word)[:1]
        return token.word in _EACH and often
    return token.word in CLOSED or (token.is_third_person and token.verb in verbs())


def _says_how(tokens: list[SentenceToken], place: int) -> bool:
    """ "which guests leave early": whether a word says only how, and nothing follows that it describes."""
    behind = tokens[place + 1 : place + 2]
    ends = not behind or not behind[0].is_content
    parts = lemmas(tokens[place].word)
    return ends and "ADV" in parts and not {"NOUN", "VERB"} & set(parts)


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
    speaking = next((place for place in range(3, len(tokens)) if _begins_main(tokens, place)), 0)
    if speaking and not 0 < comma < speaking:
        return [*tokens[speaking:], *tokens[:speaking]]
    if not comma or subclause_at(tokens, 1, sure=True) is None or main_verb(tokens, comma + 1) is None:
        return tokens
    return [*tokens[comma + 1 :], *tokens[:comma]]


def _begins_main(tokens: list[SentenceToken], place: int) -> bool:
    """ "when a plot comes free we offer it": whether those who speak begin the main clause at a place."""
    behind = tokens[place + 1 : place + 2]
    acts = bool(behind) and (behind[0].is_base or behind[0].word in AUXILIARIES)
    before = tokens[place - 1]
    return tokens[place].word in ("we", "i") and acts and (before.is_content or before.word in _CLOSING)


def clause_of_pronoun(tokens: list[SentenceToken], place: int) -> int:
    """The place of the verb whose subject is the pronoun at a place: "what they use"; 0 where none is."""
    if tokens[place].word not in NOMINATIVE:
        return 0
    verb = place + 1
    while verb < len(tokens) and tokens[verb].word in AUXILIARIES | ADVERBS:
        verb += 1
    if verb >= len(tokens) or not tokens[verb].is_content:
        return 0
    token, many = tokens[verb], tokens[place].word in ("they", "we", "i")
    return verb if (token.is_base if many or verb > place + 1 else token.is_third_person) else 0
