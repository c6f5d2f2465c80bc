"""Naming clauses: by what other word a business calls people, "it calls its customers agents"."""

from __future__ import annotations

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import kinds_of
from synthesis.procedural.sentence.tokens import AUXILIARIES, CONJUNCTIONS, SentenceToken

_THEIR = frozenset(("its", "our", "their", "the"))
_SUBJECTS = frozenset(("it", "we", "they", "which", "who", "that"))
_PEOPLE = frozenset(("party", "staff"))


def without_naming(tokens: list[SentenceToken]) -> tuple[list[SentenceToken], dict[str, str]]:
    """The tokens without clauses that only name people otherwise, and by the usual word the other one.

    Args:
        tokens: The text.
    """
    called: dict[str, str] = {}
    place = 0
    while place < len(tokens):
        named = _naming_verb(tokens, place) or _named_behind(tokens, place)
        if named is None:
            place += 1
            continue
        first, last, people, otherwise = named
        called[singular(people)] = singular(otherwise)
        tokens = [*tokens[:first], *tokens[last:]]
        place = first
    return tokens, called


def _naming_verb(tokens: list[SentenceToken], place: int) -> tuple[int, int, str, str] | None:
    """ "; it calls its customers agents": where that begins and ends, and both words; None of others."""
    behind = tokens[place + 1 : place + 5]
    if tokens[place].verb != "call" or len(behind) < 3 or behind[0].word not in _THEIR:
        return None
    people, otherwise = behind[1], behind[2]
    if not (_are_people(people) and _is_plural(otherwise)) or (len(behind) > 3 and behind[3].is_content):
        return None
    first = place
    if first > 0 and tokens[first - 1].word in _SUBJECTS:
        first -= 1
    if first > 0 and (not tokens[first - 1].is_word or tokens[first - 1].word in CONJUNCTIONS):
        first -= int(tokens[first - 1].text != ".")
    return first, place + 4, people.word, otherwise.word


def _named_behind(tokens: list[SentenceToken], place: int) -> tuple[int, int, str, str] | None:
    """ "members, called friends,": where that begins and ends, and both words; None of others."""
    at = place + 1
    if not _are_people(tokens[place]):
        return None
    while at < len(tokens) and (
        tokens[at].text == "," or tokens[at].word in {"who", "which", "whom", "we", "it"} | AUXILIARIES
    ):
        at += 1
    words = [token.word for token in tokens[at : at + 2]]
    name = at + 1 if words[:1] == ["called"] else at + 2 if words == ["known", "as"] else 0
    if not name or name >= len(tokens) or not _is_plural(tokens[name]):
        return None
    closing = name + 1 < len(tokens) and tokens[name + 1].text == "," and tokens[place + 1].text == ","
    return place + 1, name + 1 + closing, tokens[place].word, tokens[name].word


def _are_people(token: SentenceToken) -> bool:
    return _is_plural(token) and bool(_PEOPLE & set(kinds_of(token.word)))


def _is_plural(token: SentenceToken) -> bool:
    return token.is_content and singular(token.word) != token.word
