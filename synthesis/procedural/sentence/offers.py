"""Offers: what a business lists behind its name as what it does, "groomer: baths, nail clipping, trims"."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.procedural.sentence.lexicon import is_business, kinds_of, verbs
from synthesis.procedural.sentence.phrases import NounPhrase, noun_phrase
from synthesis.procedural.sentence.tokens import CONJUNCTIONS, PREPOSITIONS, SentenceToken
from synthesis.procedural.sentence.verb_positions import main_verb

_OPENING = frozenset((":", ",", "-", "–", "—", "."))
_ENDING = frozenset((".", ";", "!", "?"))
_OFFERING = frozenset(("offering", "doing", "providing"))
_PEOPLE = frozenset(("party", "staff", "business", "place", "time"))
_FEWEST, _MOST_WORDS, _FAR = 2, 3, 8


def without_offers(
    tokens: list[SentenceToken],
) -> tuple[list[SentenceToken], list[NounPhrase], list[SentenceToken]]:
    """The tokens without a list of what the business does that stands right behind its name, that list, and
    the words that only say that it is one.

    "Offering" may stand between them.

    Args:
        tokens: The text, its frame left out.
    """
    gerund = next((at for at, token in enumerate(tokens[:_FAR]) if token.word in _OFFERING), None)
    named = noun_phrase(tokens, 0, stop=gerund) if tokens else None
    if named is None or not _is_name(tokens, named) or named.end + 1 >= len(tokens):
        return tokens, [], []
    opening = tokens[named.end]
    if opening.text not in _OPENING and opening.word not in _OFFERING:
        return tokens, [], []
    offers, end = _list_at(tokens, named.end + 1, named.head)
    rest = tokens[end:]
    if len(offers) < _FEWEST or (opening.text == "." and rest and rest[0].is_word):
        return tokens, [], []
    rest = rest[1:] if rest and not rest[0].is_word else rest
    stop = [SentenceToken(".", opening.place)] if rest else []
    offering = [opening] if opening.word in _OFFERING else []
    return [*tokens[: named.end], *stop, *rest], offers, offering


def _is_name(tokens: list[SentenceToken], named: NounPhrase) -> bool:
    """Whether a text begins with what a business or somebody who works is called, and no verb."""
    works = {"party", "staff"} & set(kinds_of(named.head)[:1]) or is_business(named.head)
    return bool(works) and not named.many and main_verb(tokens[: named.end], 0) is None


def _list_at(tokens: list[SentenceToken], place: int, trade: str) -> tuple[list[NounPhrase], int]:
    """The nouns that stand side by side from a place on, and where the list ends; [] of clauses."""
    offers, end, closed = list[NounPhrase](), place, False
    while place < len(tokens) and not closed:
        offered = noun_phrase(tokens, place)
        if offered is None or not _is_offer(tokens[place : offered.end], offered, trade):
            break
        offers.append(offered)
        end = place = offered.end
        if place >= len(tokens) or tokens[place].text in _ENDING:
            return offers, end
        joined = tokens[place].word in CONJUNCTIONS or tokens[place].text == ","
        if not joined and tokens[place].word in PREPOSITIONS and _is_closed(tokens, offers):
            return offers, end  # "manicures and pedicures by appointment"
        if not joined:  # what is said of the last one is no noun alone: a clause begins there
            offers.pop()
            return (offers, offers[-1].end) if offers and _is_closed(tokens, offers) else ([], 0)
        place += 1
        if tokens[place - 1].text == "," and tokens[place : place + 1] and tokens[place].word in CONJUNCTIONS:
            place += 1
    return (offers, end) if _is_closed(tokens, offers) else ([], 0)


def _is_closed(tokens: Sequence[SentenceToken], offers: list[NounPhrase]) -> bool:
    """Whether the last but one of a list and its last are joined by a conjunction: "baths and trims, big
    dogs pay extra"."""
    if len(offers) < _FEWEST:
        return False
    between = tokens[offers[-2].end : offers[-1].end - len(offers[-1].tokens)]
    return any(token.word in CONJUNCTIONS for token in between)


def _is_offer(words: Sequence[SentenceToken], phrase: NounPhrase, trade: str) -> bool:
    """Whether a phrase names what is done or sold, and neither people nor a place nor a clause; of a groomer
    grooms are work."""
    plain = not phrase.determiner and len(words) <= _MOST_WORDS
    plain = plain and not any(each.is_number for each in words)
    before = enumerate(words[:-1])
    acts = any(each.verb in verbs() and (each.is_third_person or (each.is_base and n)) for n, each in before)
    people = is_business(phrase.head) or bool(_PEOPLE & set(kinds_of(phrase.text)[:1]))
    return plain and not acts and (not people or trade.startswith(phrase.head))
