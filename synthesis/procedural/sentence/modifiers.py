"""Modifiers: participles behind a noun, "items found on trains", which say in what state it is."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.procedural.sentence.inflection import lemmas, participle, singular
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    NUMBERS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    STATIVE,
    SentenceToken,
)
from synthesis.procedural.sentence.word_lists import word_list

_PLURAL_MODIFIERS = frozenset(word_list("plural_modifiers"))
_OPERATING = frozenset(("work", "operate", "specialise", "specialize", "trade"))
"""Verbs of what a business is: "a gang working from May to July"."""
_GOING = frozenset(("come", "go", "arrive", "wait", "happen", "turn", "work", "ask"))
"""Verbs of which what is over says nothing of how somebody is: "waited longest"."""
_CONDITIONS = frozenset(word_list("conditions"))
_LEADING_IN = (
    AUXILIARIES
    | frozenset(
        ("who", "that", "which", "what", "when", "if", "because", "whose", "those", "anyone", "anything")
    )
    | frozenset(("they", "it", "he", "she", "we", "never", "no", "longer"))
)
"""Words before a state that belong to it where it is reported."""
STATE_WORDS = PARTICLES | {"behind", "apart", "together", "along"}
"""Words that belong to a participle where no noun follows them: "left behind by travellers"."""


def ends_with_state(tokens: list[SentenceToken], place: int) -> bool:
    """Whether the participle at a place speaks of the noun right before it, and of none that follows.

    A singular noun and a participle may describe a third word ("hand carved toys"); a plural does not.
    """
    token, before = tokens[place], tokens[place - 1]
    many = singular(before.word) != before.word
    if many and subject_end(tokens, place):
        return True
    if token.is_gerund and token.verb in _OPERATING and not many:
        return place + 1 < len(tokens) and tokens[place + 1].word in PREPOSITIONS
    if token.is_gerund:
        attached = place + 1 < len(tokens) and tokens[place + 1].word in PREPOSITIONS
        named = attached and singular(before.word) in _PLURAL_MODIFIERS
        return many and (_begins_noun(tokens, place + 1) or (attached and not named))
    if many and (is_state(tokens, place) or _is_past(tokens, place)):
        return True
    if not token.is_participle or not _is_noun(before):
        return False
    return many or ("NOUN" not in lemmas(token.word) and not _describes_next(tokens, place))


def is_state(tokens: list[SentenceToken], place: int) -> bool:
    """Whether the participle at a place describes no noun that follows: "ships them chilled to shops"."""
    if place >= len(tokens) or _describes_next(tokens, place) or not tokens[place].is_content:
        return False
    token, parts = tokens[place], lemmas(tokens[place].word)
    of_pronoun = place > 0 and tokens[place - 1].word in ("them", "it")
    often = token.word.endswith("ly") and "ADV" in parts  # "weighs them weekly"
    if of_pronoun and not often and ("ADJ" in parts or token.is_participle):
        return True
    adjective = "ADJ" in parts and "VERB" not in parts
    return "NOUN" not in parts and (token.is_participle or adjective)


def subject_end(tokens: list[SentenceToken], place: int) -> int:
    """The place of the verb of "tickets fans cannot use", whose subject is at a place; 0 where none is."""
    token, verb = tokens[place], place + 1
    if not token.is_content or singular(token.word) == token.word:
        return 0
    while verb < len(tokens) and tokens[verb].word in AUXILIARIES:
        verb += 1
    done = verb < len(tokens) and tokens[verb].is_base and not _begins_noun(tokens, verb + 1)
    return verb if done else 0


def state_end(tokens: list[SentenceToken], place: int) -> int:
    """The place behind a state that begins at a place, with its particles and what else describes it."""
    end = subject_end(tokens, place) + 1 if subject_end(tokens, place) else place + 1
    while end < len(tokens) and _continues(tokens, end):
        end += 1
    return end


def negated(tokens: list[SentenceToken]) -> bool:
    """Whether auxiliaries say that something is not so: "haven't", "do not"."""
    return any(token.word in NEGATIONS for token in tokens)


def does_something(tokens: list[SentenceToken]) -> bool:
    """Whether a relative clause has a verb of its own behind its auxiliaries, unlike "are members"."""
    verb = next((token for token in tokens if token.word not in AUXILIARIES | ADVERBS), None)
    copula = bool(tokens) and tokens[0].word in COPULAS
    return verb is not None and bool(verb.verb) and (not copula or verb.is_participle)


def is_past(token: SentenceToken) -> bool:
    """Whether a word may be a past participle, also one like the verb itself: "let"."""
    return token.is_participle or (token.is_base and participle(token.verb) == token.word)


def state_of_clause(tokens: list[SentenceToken]) -> str:
    """What a relative clause says of somebody, without its auxiliaries: "not paid" of "haven't paid"."""
    words = [token.word for token in tokens if token.word not in AUXILIARIES]
    return " ".join((["not"] if negated(tokens) else []) + words)


def condition_of(state: str) -> str:
    """What words about a thing say of how it is, without auxiliaries: "seized" of "has been seized", "not
    paid"; "" where they tell what somebody does, "come back", "hold licences"."""
    words = state.split()
    denied = any(word in NEGATIONS for word in words)
    words = [word for word in words if word not in AUXILIARIES | NEGATIONS | {"no", "longer"}]
    words = words[next((at for at, word in enumerate(words) if word not in ADVERBS), len(words)) :]
    if not words or not (_is_over(words[0]) or (len(words) == 1 and _is_quality(words[0]))):
        return ""
    if "by" not in words and any(not _belongs_to_state(word) for word in words[1:]):
        return ""
    return " ".join([*(["not"] if denied else []), *words])


def is_of_condition(word: str) -> bool:
    """ "old", "broken": whether a word before a noun tells how a thing is, and not of what kind it is."""
    return word in _CONDITIONS or _is_over(word)


def is_quality_of_things(word: str) -> bool:
    """ "used", "dirty": whether a word says in what state any thing may be, unlike "smoked"."""
    return word in _CONDITIONS


def words_behind(
    tokens: Sequence[SentenceToken], first: Sequence[SentenceToken], text: str
) -> list[SentenceToken]:
    """Where the words of a state stand in a text, nearest behind the verb of its clause, with what joins
    them: "who never pay" of "not pay"; [] where they stand nowhere.

    Args:
        tokens: The text.
        first: The first word of that verb, if it has any.
        text: The state.
    """
    start = next((at for at, token in enumerate(tokens) if first and token is first[0]), 0)
    words = text.split()
    at = _places_of(tokens, words, start)
    at = at if len(at) == len(words) else _places_of(tokens, words, 0)
    if not at:
        return []
    begin = at[0]
    while begin and tokens[begin - 1].word in _LEADING_IN:
        begin -= 1
    return list(tokens[begin : at[-1] + 1])


def _places_of(tokens: Sequence[SentenceToken], words: list[str], start: int) -> list[int]:
    """Where words stand in their order from a place on; fewer where not all do."""
    at: list[int] = []
    for word in words:
        behind = range(at[-1] + 1 if at else start, len(tokens))
        at += [place for place in behind if tokens[place].word == word][:1]
    return at


def _is_over(word: str) -> bool:
    """ "broken", "left": whether a word is a past participle that tells how what it is done to now is."""
    acts = lemmas(word).get("VERB", ())
    done = any(participle(verb) == word and verb != word for verb in acts)
    return done and not any(verb in STATIVE | _GOING for verb in acts)


def _is_quality(word: str) -> bool:
    """ "ill", "empty": whether a word is an adjective that says no time or number."""
    of_time = word.endswith("ly") or word in NUMBERS | DETERMINERS or word in ("ahead", "alone", "apart")
    return "ADJ" in lemmas(word) and singular(word) == word and not of_time


def _belongs_to_state(word: str) -> bool:
    return word in STATE_WORDS | ADVERBS | PARTICLES or _is_over(word)


def _continues(tokens: list[SentenceToken], place: int) -> bool:
    word = tokens[place].word
    if word in STATE_WORDS:
        return not _begins_noun(tokens, place + 1)
    parts = lemmas(word)
    plain = ("ADJ" in parts and "NOUN" not in parts) or (not parts and word.endswith("ed"))
    alone = tokens[place].is_content and not _describes_next(tokens, place)
    return word in ADVERBS or is_state(tokens, place) or (plain and alone)


def _begins_noun(tokens: list[SentenceToken], place: int) -> bool:
    if place >= len(tokens):
        return False
    token = tokens[place]
    return token.is_content or token.word in DETERMINERS | NUMBERS


def _describes_next(tokens: list[SentenceToken], place: int) -> bool:
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    return following is not None and following.is_content and not is_state(tokens, place + 1)


def _is_noun(token: SentenceToken) -> bool:
    parts = lemmas(token.word)
    return token.is_content and (not parts or "NOUN" in parts or singular(token.word) != token.word)


def _is_past(tokens: list[SentenceToken], place: int) -> bool:
    """Whether a participle like the verb itself is meant: "stems cut at dawn"."""
    token, behind = tokens[place], place + 1
    same = token.is_base and participle(token.verb) == token.word
    return same and behind < len(tokens) and tokens[behind].word in PREPOSITIONS


def is_passive(tokens: list[SentenceToken], place: int) -> bool:
    """Whether the verb group at a place says what is done to its subject: "are repaired"."""
    passive = False
    while place < len(tokens) and not tokens[place].is_content:
        word = tokens[place].word
        if not tokens[place].is_word or word in PREPOSITIONS | PRONOUNS | DETERMINERS:
            return False
        passive = passive or word in COPULAS | NOT_BEING
        place += 1
    return passive and place < len(tokens) and is_past(tokens[place])


def means_of_passive(tokens: list[SentenceToken]) -> list[SentenceToken]:
    """The nouns that only say how something is done: "safety" of "is safety tested"."""
    return [
        tokens[place]
        for place in range(1, len(tokens) - 1)
        if tokens[place - 1].word in COPULAS
        and _is_noun(tokens[place])
        and not is_past(tokens[place])
        and tokens[place + 1].is_participle
        and not _begins_noun(tokens, place + 2)
    ]


NOT_BEING = frozenset(("isn't", "aren't", "wasn't", "weren't"))
NEGATIONS = frozenset(word for word in AUXILIARIES if word.endswith(("n't", "not"))) | {"never"}
"""Auxiliaries and adverbs by which something is not so."""
COPULAS = frozenset(("is", "are", "was", "were", "be", "been", "being", "get", "gets"))
