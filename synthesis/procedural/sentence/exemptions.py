"""Exemptions: who pays nothing for what others pay for, "free for members", "charities pay nothing"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import kinds_of
from synthesis.procedural.sentence.limits import StatedLimit
from synthesis.procedural.sentence.tokens import CONJUNCTIONS, DETERMINERS, NUMBERS, SentenceToken

_PEOPLE = frozenset(("party", "business", "staff"))
_FOR = frozenset(("for", "to"))
_COSTS = frozenset(("charge", "fee", "hire", "rent", "price", "cost", "payment"))
_GOING = frozenset(("go", "goes", "are", "is", "book", "hire", "use", "enter", "stay", "play", "travel"))
_DESCRIBING = frozenset(("on", "with", "in", "from"))
_MOST_WORDS, _FAR, _DESCRIBED = 2, 14, 6


def exemptions_of(tokens: Sequence[SentenceToken]) -> Iterator[StatedLimit]:
    """Who pays nothing by a text, in order, as limits of the kind `exempt`.

    Args:
        tokens: The text; what is free for everybody exempts nobody.
    """
    covered = -1
    for place in range(1, len(tokens)):
        span = _span_at(tokens, place) if place > covered else None
        if span is None:
            continue
        noun, first, end = span
        covered = end - 1
        before = tuple(token.word for token in reversed(tokens[max(0, first - _FAR) : first]))
        yield StatedLimit("exempt", 1, "", tuple(tokens[first:end]), noun, before)


def words_of_exemptions(tokens: Sequence[SentenceToken]) -> list[SentenceToken]:
    """The words of exemptions, with what joins them to the text before: they are no process."""
    left: list[SentenceToken] = []
    for limit in exemptions_of(tokens):
        before = tokens.index(limit.tokens[0]) - 1
        left += [tokens[before]] if tokens[before].word in CONJUNCTIONS else []
        left += limit.tokens
    return left


def _span_at(tokens: Sequence[SentenceToken], place: int) -> tuple[str, int, int] | None:
    """Who is exempt by the words that begin at a place, with where they begin and end; None of others."""
    words = [token.word for token in tokens[place : place + 4]]
    if words[0] == "free" and words[1:2] and words[1] in _FOR:
        return _people_behind(tokens, place, place + 2)
    if words[:2] == ["with", "free"] and words[3:4] and words[3] in _FOR:  # "with free seats for helpers"
        return _people_behind(tokens, place, place + 4)
    if words[:3] == ["free", "of", "charge"] and words[3:4] and words[3] in _FOR:
        return _people_behind(tokens, place, place + 4)
    if tokens[place].verb == "waive":
        at = place + 1 + int(words[1:2] != [] and words[1] in DETERMINERS)
        named = tokens[at : at + 2]
        if len(named) == 2 and singular(named[0].word) in _COSTS and named[1].word in _FOR:
            return _people_behind(tokens, place, at + 2)
    people = _people(tokens, place) or _of_age(tokens, place)
    if people is None:
        return None
    noun, end = people
    if end < len(tokens) and tokens[end].word in _DESCRIBING:  # "pupils on free school meals pay nothing"
        verb = next((at for at in range(end + 1, min(end + _DESCRIBED, len(tokens))) if _pays(tokens, at)), 0)
        noun = " ".join((noun, *(token.word for token in tokens[end:verb])))
        end = verb or end
    return (noun, place, end + 2) if _pays(tokens, end) else None


def _pays(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether "pay nothing", "swim free" or the like stands somewhere."""
    words = [token.word for token in tokens[place : place + 2]]
    going = words[1:] == ["free"] and (words[0] in _GOING or tokens[place].is_base)
    described = any(token.is_content for token in tokens[place + 2 : place + 3])  # "borrow free games"
    return words in (["pay", "nothing"], ["pays", "nothing"]) or (going and not described)


def _of_age(tokens: Sequence[SentenceToken], place: int) -> tuple[str, int] | None:
    """ "Under sixes", "over 60s": those of an age, and where that ends; None where nobody is meant."""
    behind = tokens[place + 1 : place + 2]
    number = behind[0].word.removesuffix("s").removesuffix("e") if behind else ""
    several = bool(behind) and behind[0].word.endswith("s")
    if tokens[place].word not in ("under", "over") or not several:
        return None
    known = number in NUMBERS or singular(behind[0].word) in NUMBERS or number.isdecimal()
    return (f"{tokens[place].word} {singular(behind[0].word)}", place + 2) if known else None


def _people_behind(tokens: Sequence[SentenceToken], first: int, place: int) -> tuple[str, int, int] | None:
    people = _people(tokens, place) if place < len(tokens) else None
    return (people[0], first, people[1]) if people is not None else None


def _people(tokens: Sequence[SentenceToken], place: int) -> tuple[str, int] | None:
    """The plural for people or organisations at a place, and where it ends; None where none begins."""
    end = place
    while end < len(tokens) and end - place < _MOST_WORDS and tokens[end].is_content:
        one = singular(tokens[end].word)
        end += 1
        if one != tokens[end - 1].word and not _PEOPLE.isdisjoint(kinds_of(one)):
            return singular(" ".join(token.word for token in tokens[place:end])), end
    return None
