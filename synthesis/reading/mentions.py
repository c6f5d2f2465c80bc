"""Mentions: the places of a text that name a value of a fact's type, right or wrong, and how firmly."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Protocol

from synthesis.reading.document import ParsedText, PhraseIndex, phrase_index
from synthesis.reading.lexicon import (
    MONEY_WORDS,
    NOTHING,
    STATE_SYNONYMS,
    UNITS,
)
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import atoms, keys

_HALF_DAY = 12
_BOTH = 2
_ONE = frozenset((1, 100))
"""A single thing, or one of a currency in cents."""
_PERSONS = 2
"""Words of a person's name."""
MOST_MENTIONS = 200
"""Values of one type; a text with more is a list of candidates, whatever it says about each."""
Value = int | float | str


class Fact(Protocol):
    """What is read of a fact."""

    @property
    def name(self) -> str:
        """What it is about, in words."""
        ...

    @property
    def type(self) -> str:
        """Its type: number, money_cents, date, time, name, boolean or text."""
        ...

    @property
    def value(self) -> bool | int | float | str:
        """The right value."""
        ...

    @property
    def unit(self) -> str | None:
        """What is counted or measured, where it matters."""
        ...

    @property
    def direction(self) -> str | None:
        """Which way a difference goes, where it matters."""
        ...


@dataclass(slots=True)
class Mention:
    """One value in the text."""

    first: int
    last: int
    values: frozenset[Value]
    right: bool
    chunk: int
    weak: bool = False
    """Whether it counts for the right value alone: "no open invoices", "the one of March"."""
    scope: frozenset[str] = frozenset()
    """Keys of the words that say what it is about."""


def mentions_of(fact: Fact, document: ParsedText, others: Collection[str] = ()) -> list[Mention]:
    """The mentions of a fact's type, in the order of the text.

    Args:
        fact: The fact.
        document: Where.
        others: For names and texts: other values of the column, which are no right answer.
    """
    if fact.type in ("name", "text"):
        mentions = list(islice(_phrases(fact, document, others), MOST_MENTIONS + 1))
        if fact.type == "name" and not any(mention.right for mention in mentions):
            mentions = _first_names(fact, document, others) or mentions
    else:
        mentions = list(islice(_values(fact, document), MOST_MENTIONS + 1))
        if fact.type == "number" and fact.value == _BOTH:
            mentions = sorted((*mentions, *_both(document)), key=lambda mention: mention.first)
    by_chunk: dict[int, list[Mention]] = {}
    for mention in mentions:
        by_chunk.setdefault(mention.chunk, []).append(mention)
    for mention in mentions:
        mention.scope = _scope(mention, document, by_chunk)
    return mentions


def _values(fact: Fact, document: ParsedText) -> Iterator[Mention]:
    of_money: dict[int, bool] = {}
    of_an_hour = is_of_an_hour(fact)
    for at, token in enumerate(document.tokens):
        chunk = document.chunk_of[at]
        if chunk < 0 or (not token.values and token.text not in NOTHING) or at in document.numbers_of_names:
            continue
        if token.text in NOTHING:
            if fact.value == 0 and fact.type in ("number", "money_cents"):
                yield Mention(at, at + 1, frozenset((0,)), True, chunk, weak=True)
            continue
        values = token.values.get(fact.type) or (hours_of(token) if of_an_hour else None)
        if fact.type == "money_cents" and values is None and (whole := token.values.get("whole")):
            if chunk not in of_money:
                of_money[chunk] = _is_of_money(fact, document, chunk)
            values = whole if of_money[chunk] else None
        if values is None or "part" in token.values:
            continue
        if fact.type == "date":
            values = _with_year(values, str(fact.value)[:4])
        wanted = str(fact.value)[:5] if fact.type == "time" else fact.value
        right = wanted in values and _unit_fits(fact, document, at)
        if fact.type == "time" and "number" in token.values and not right:
            continue
        is_one = token.text in ("one", "once", "single") and bool(values & _ONE)
        weak = is_one or _is_of_another_kind(fact, token)
        yield Mention(at, at + 1, values, right, chunk, weak=weak)


def is_of_an_hour(fact: Fact) -> bool:
    """Whether a number says at which hour something is, which may be told as a time: "at 9:00"."""
    return fact.type == "number" and "hour" in fact.name.lower().split()


def hours_of(token: TextToken) -> frozenset[Value] | None:
    """The hours of a full hour; of "2 o'clock" those of both halves of the day."""
    full = {int(str(time)[:2]) for time in token.values.get("time", ()) if str(time).endswith(":00")}
    if "o'clock" in token.text:
        full |= {hour + _HALF_DAY for hour in full if hour < _HALF_DAY}
    return frozenset(full) or None


def _both(document: ParsedText) -> Iterator[Mention]:
    for at, token in enumerate(document.tokens):
        if token.text == "both" and document.chunk_of[at] >= 0:
            yield Mention(at, at + 1, frozenset((_BOTH,)), True, document.chunk_of[at], weak=True)


def _is_of_another_kind(fact: Fact, token: TextToken) -> bool:
    """Whether a number is a plain one where an amount is asked for, an amount where a count is, or a day."""
    if fact.type in ("number", "money_cents") and "date" in token.values:
        return True  # "15 and 21 July"
    if fact.type == "money_cents":
        return "money_cents" not in token.values
    amount = token.unit == "money" or ("money_cents" in token.values and len(token.text.split(".")[-1]) == 2)
    return fact.type == "number" and isinstance(fact.value, int) and amount


def _with_year(values: frozenset[Value], year: str) -> frozenset[Value]:
    return frozenset(
        f"{year}{str(value)[4:]}" if str(value).startswith("0000") else value for value in values
    )


def _is_of_money(fact: Fact, document: ParsedText, number: int) -> bool:
    """Whether a whole number stands among words of money."""
    chunk = document.chunks[number]
    sentence = document.sentences[chunk.sentence]
    words = {
        document.tokens[at].text for at in range(sentence.first, min(sentence.last, sentence.first + 200))
    }
    if words & MONEY_WORDS:
        return True
    wanted = label_keys(fact.name)
    return bool(chunk.given & wanted) or any(
        key in wanted for _, key in document.content(chunk.first, chunk.last)
    )


def _unit_fits(fact: Fact, document: ParsedText, at: int) -> bool:
    wanted = UNITS.get((fact.unit or "").lower().strip(), "")
    if not wanted:
        return True
    token = document.tokens[at]
    unit = "" if token.unit == "money" else token.unit
    for place in range(at + 1, min(at + 3, len(document.tokens))):
        unit = unit or UNITS.get(document.tokens[place].text, "")
        if document.tokens[place].text != "-":
            break
    return unit in ("", wanted)


@lru_cache(maxsize=2_048)
def _forms(value: str, type: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """How a value may be written: as it is, a state's synonyms, a name with the last part first."""
    forms = [value]
    words = atoms(value)
    squashed = "".join(words)
    if any(sign.isdigit() for sign in value) and len(words) > 1 and len(squashed) <= 40:
        forms.append(squashed)
    if len(words) == 1 and (parts := _LETTER_AND_NUMBER.fullmatch(words[0])):
        forms += [f"{parts[1]} {word} {parts[2]}" for word in ("seat", "number", "no", "place")]
        forms.append(f"{parts[1]} {parts[2]}")
    if type == "name" and 2 <= len(words) <= 4 and all(word.isalpha() for word in words):
        forms.append(" ".join((words[-1], *words[:-1])))
    if type == "name" and len(words) > 1 and _is_code(words[-1]):
        forms += [words[-1]] * all(words[-1] not in atoms(other) for other in others)
    if type == "text":
        plain_value, taken = " ".join(words), {" ".join(atoms(other)) for other in others}
        for group in STATE_SYNONYMS:
            if plain_value in group:
                forms += [form for form in group if form not in taken]
    return tuple(forms)


_LETTER_AND_NUMBER = re.compile(r"([a-z])(\d{1,3})")
"""What people may tell in two parts: "row A, seat 4" of "A4"."""


def _is_code(word: str) -> bool:
    """Whether a word of a name tells it alone: "R79" of "Bicycle R79"."""
    return any(map(str.isalpha, word)) and any(map(str.isdigit, word))


def _phrases(fact: Fact, document: ParsedText, others: Collection[str]) -> Iterator[Mention]:
    named = tuple(others)
    right = {atoms(form) for form in _forms(str(fact.value), fact.type, named)} - {()}
    index = _index_with(str(fact.value), fact.type, named)
    for phrase, first, last in document.phrases(index):
        chunk = document.chunk_of[first]
        yield Mention(first, last, frozenset((" ".join(phrase),)), phrase in right, chunk)


def _first_names(fact: Fact, document: ParsedText, others: Collection[str]) -> list[Mention]:
    """The people whom a text calls by their first name alone, "Lotte has it now"; none where somebody else
    has that of the one who is asked for."""
    own = atoms(str(fact.value))
    if not own or f" {own[0]} " not in document.folded:  # nearly always
        return []
    people = [atoms(other) for other in others]
    if (
        not _is_persons(own)
        or not people
        or any(other[0] == own[0] for other in people if other and other != own)
    ):
        return []
    names = {name[0]: " ".join(name) for name in (*filter(_is_persons, people), own)}
    mentions = []
    for at, token in enumerate(document.tokens):
        if token.kind != "word" or not token.capital or document.chunk_of[at] < 0:
            continue
        name = names.get(token.text)
        if name and not _goes_on_as_a_name(document, at):
            right = name == " ".join(own)
            mentions.append(Mention(at, at + 1, frozenset((name,)), right, document.chunk_of[at]))
    return mentions


def _is_persons(name: tuple[str, ...]) -> bool:
    """Whether a name is of two words, as people's are."""
    return len(name) == _PERSONS and all(word.isalpha() for word in name)


def _goes_on_as_a_name(document: ParsedText, at: int) -> bool:
    """Whether a word stands beside another one of a name: "Ada Lund" where "Ada" is looked for."""
    beside = (*document.tokens[max(0, at - 1) : at], *document.tokens[at + 1 : at + 2])
    return any(
        token.kind == "word"
        and token.capital
        and (token.start > document.tokens[at].start or not _begins_a_sentence(document, at - 1))
        for token in beside
    )


def _begins_a_sentence(document: ParsedText, at: int) -> bool:
    number = document.chunk_of[at]
    return number < 0 or document.sentences[document.chunks[number].sentence].first == at


@lru_cache(maxsize=512)
def _index_with(value: str, type: str, others: tuple[str, ...]) -> PhraseIndex:
    return phrase_index((*_forms(value, type, others), *others))


@lru_cache(maxsize=4_096)
def label_keys(name: str) -> frozenset[str]:
    """What a fact's name is about: the keys of its words, and the values in it."""
    document = ParsedText(name)
    own_keys = {key for _, key in document.content(0, len(document.tokens))}
    for token in document.tokens:
        own_keys |= marks(token.values)
    return frozenset(own_keys) or keys(name)


def marks(values: dict[str, frozenset[Value]]) -> set[str]:
    """Keys of the days, times and amounts that a token may mean."""
    return {f"{type}:{value}" for type in ("date", "time", "money_cents") for value in values.get(type, ())}


def _scope(mention: Mention, document: ParsedText, by_chunk: dict[int, list[Mention]]) -> frozenset[str]:
    """Keys of what stands nearest: in its own chunk, or beside it where that says nothing."""
    if mention.chunk < 0:
        return frozenset()
    chunk = document.chunks[mention.chunk]
    mine = _nearest(mention, document, by_chunk[mention.chunk])
    sentence = document.sentences[chunk.sentence]
    place = mention.chunk - sentence.chunks[0]
    follows = sentence.chunks[place + 1] if place + 1 < len(sentence.chunks) else -1
    if (
        follows >= 0
        and follows not in by_chunk
        and document.chunks[follows].bracketed
        and not chunk.bracketed
    ):
        mine = mine | _all(document, follows)
    if mine and chunk.bracketed and place and sentence.chunks[place - 1] not in by_chunk:
        mine |= _all(document, sentence.chunks[place - 1])
    if mine:
        return mine | chunk.given
    if place and sentence.chunks[place - 1] not in by_chunk:
        mine = _all(document, sentence.chunks[place - 1])
    if not mine and follows >= 0 and follows not in by_chunk:
        mine = _all(document, follows)
    if not mine and not chunk.given and place == 0 and chunk.sentence:
        before = document.sentences[chunk.sentence - 1]
        if not any(number in by_chunk for number in before.chunks):
            mine = frozenset(key for number in before.chunks[:6] for key in _all(document, number))
    return mine | chunk.given


def _all(document: ParsedText, number: int) -> frozenset[str]:
    chunk = document.chunks[number]
    return frozenset(key for _, key in document.content(chunk.first, chunk.last))


def _nearest(mention: Mention, document: ParsedText, others: Sequence[Mention]) -> frozenset[str]:
    """Keys of the chunk's words that stand nearer to a mention than to any other of its type."""
    chunk = document.chunks[mention.chunk]
    first, last = chunk.first, chunk.last
    at = next(place for place, other in enumerate(others) if other is mention)
    if at > 0:
        first = max(first, (others[at - 1].last + mention.first) // 2)
    if at + 1 < len(others):
        last = min(last, (mention.last + others[at + 1].first + 1) // 2)
    own_keys: set[str] = set()
    for place in range(first, last):
        if not mention.first <= place < mention.last:
            own_keys |= marks(document.tokens[place].values)
    for place, key in document.content(first, last):
        if not mention.first <= place < mention.last:
            own_keys.add(key)
    return frozenset(own_keys)
