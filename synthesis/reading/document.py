"""Document: a text, read: its structure, and the places of what leaves it in doubt or denies it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from synthesis.reading.computed import cached_property
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import (
    CONDITIONS,
    DENIAL_FRAMES,
    DOUBTLESS,
    HEDGES,
    HEDGING_PHRASES,
    NEAR_PHRASES,
    RETRACTIONS,
)
from synthesis.reading.structure import Chunk, Structure, content
from synthesis.reading.text_token import Plain, TextToken
from synthesis.reading.tokens import tokens
from synthesis.reading.words import LONGEST_TEXT, atoms, keys, plain, spelled

_ATOM = re.compile(r"[^\W_]{1,200}")
_BESIDE = re.compile(r"[-/_.:]?[^\W_]{0,200}\d")

_ITEM = re.compile(r"(?<=[:;,.]) (?=(\d{1,2})[.)] \S)")
"""Where a numbered item may begin within a line."""
_MOST_ITEMS = 60

Phrase = tuple[str, ...]


def _with_items_on_lines(text: str) -> str:
    """A text whose lists within a line, "Three lifts: 1. the one; 2. the other", have an item a line."""
    if ": 1" not in text:
        return text
    signs, begun = list(text), []
    for match in islice(_ITEM.finditer(text), _MOST_ITEMS):
        is_first = text[match.start() - 1] == ":"
        if is_first and int(match[1]) == 1:
            begun = [match.start()]
        elif begun and not is_first and int(match[1]) == len(begun) + 1:
            begun.append(match.start())
            for at in begun:
                signs[at] = "\n"
    return "".join(signs)


_DASHED = re.compile(r"^(?:[-*] )?[^\W\d_][^\n.:;?!|,-]{0,60} - \d{1,6} - [^\n.:;?!|]{1,60}$", re.MULTILINE)


def _with_commas(text: str) -> str:
    """The text with commas in lines like "Ada Lund - 3 - 14 November", which tell no range."""
    return _DASHED.sub(lambda match: match[0].replace(" - ", " , "), text) if text.count(" - ") > 1 else text


class ParsedText:
    """A text, read.

    Args:
        text: What is read; what is beyond `LONGEST_TEXT` is not, and `cut` then.
        names: Names of rows of its world: a number in one of them, "Score 21", counts nothing.
    """

    def __init__(self, text: str, names: PhraseIndex | None = None) -> None:
        self._names = names
        self.cut = len(text) > LONGEST_TEXT
        self.text = _with_commas(_with_items_on_lines(plain(text[:LONGEST_TEXT])))
        self.tokens: list[TextToken] = tokens(self.text)
        structure = Structure(self.text, self.tokens)
        structure.build()
        self.sentences, self.chunks = structure.sentences, structure.chunks
        self.chunk_of = _owners(len(self.tokens), self.chunks)

    @cached_property
    def numbers_of_names(self) -> frozenset[int]:
        """Places of the numbers that are part of the name of a row."""
        named = self.phrases(self._names) if self._names else ()
        return frozenset(
            at
            for phrase, first, last in named
            if len(phrase) > 1
            for at in range(first + 1, last)
            if self.tokens[at].values
        )

    @cached_property
    def folded(self) -> str:
        """The words in lower case with single spaces, for phrases."""
        return "".join(f" {token.text}" for token in self.tokens) + " "

    @cached_property
    def _offsets(self) -> list[int]:
        offsets, at = [], 0
        for token in self.tokens:
            offsets.append(at)
            at += len(token.text) + 1
        return offsets

    @cached_property
    def _spoken(self) -> frozenset[tuple[str, str]]:
        """Each two words that follow one another, and each word alone, as phrases may begin."""
        return _begun_by(self.folded.split(" "))

    def places(self, pattern: PhrasePattern) -> list[int]:
        """The tokens at which a phrase begins."""
        if self._spoken.isdisjoint(pattern.beginnings):  # nearly always
            return []
        matches = pattern.regex.finditer(self.folded)
        return [bisect_right(self._offsets, match.start()) - 1 for match in matches]

    @cached_property
    def hedges(self) -> frozenset[int]:
        """Places of words and phrases by which something is left in doubt."""
        words = {at for at, token in enumerate(self.tokens) if token.kind == "word" and token.text in HEDGES}
        phrases = {at for at in self.places(_HEDGING) if not (self._is_ability(at) or self._is_owned(at))}
        return frozenset(words | phrases) - self._doubtless

    def _is_ability(self, at: int) -> bool:
        """Whether "could be" tells what could be done, not what may be so: "both could be moved"."""
        words = [token.text for token in self.tokens[at : at + 3]]
        return words[:2] == ["could", "be"] and is_past(words[-1]) and words[-1] != "left"

    def _is_owned(self, at: int) -> bool:
        """Whether "two entries" are those that somebody has, which leaves nothing open: "his two entries"."""
        return self.tokens[at].text in _SEVERAL and self.tokens[at - 1 if at else at].text in _OWNING

    @cached_property
    def near_hedges(self) -> frozenset[int]:
        """Places of phrases by which the value that follows is made vague, and of the words within them."""
        places = [at for at in self.places(_NEAR) if not at or self.tokens[at - 1].key not in _ADDING_UP]
        return frozenset(at + more for at in places for more in range(4))

    @cached_property
    def frames(self) -> frozenset[int]:
        """Places of phrases that deny what follows."""
        return frozenset(self.places(_FRAMES)) - self._doubtless

    @cached_property
    def _doubtless(self) -> frozenset[int]:
        """Places in phrases such as "there is no doubt that"."""
        return frozenset(at + more for at in self.places(_DOUBTLESS) for more in range(4))

    @cached_property
    def retractions(self) -> list[int]:
        """Places of phrases that take back what was said before."""
        return self.places(_RETRACTING)

    @cached_property
    def conditions(self) -> frozenset[int]:
        """Places of "if", "whether" and the like."""
        return frozenset(at for at, token in enumerate(self.tokens) if token.text in CONDITIONS)

    @cached_property
    def atoms(self) -> list[tuple[str, int, int]]:
        """The runs of letters and digits in one spelling, with where they begin and end."""
        folded = self.text.lower() if len(self.text.lower()) == len(self.text) else self.text
        return [(spelled(match[0]), match.start(), match.end()) for match in _ATOM.finditer(folded)]

    @cached_property
    def _words(self) -> list[str]:
        return [atom for atom, _, _ in self.atoms]

    @cached_property
    def _places_of(self) -> dict[str, list[int]]:
        """Where each word stands."""
        places: dict[str, list[int]] = {}
        for at, word in enumerate(self._words):
            places.setdefault(word, []).append(at)
        return places

    @cached_property
    def starts(self) -> list[int]:
        """Where each token begins."""
        return [token.start for token in self.tokens]

    def token_at(self, offset: int) -> int:
        """The token that holds an offset of the text."""
        return max(0, bisect_right(self.starts, offset) - 1)

    def phrases(self, wanted: PhraseIndex) -> Iterator[tuple[Phrase, int, int]]:
        """Which of some phrases stand in the text as whole words, with the first token and the one after."""
        common = wanted.beginnings & self._places_of.keys()
        if not common:
            return
        words, free = self._words, 0
        for at in sorted([place for word in common for place in self._places_of[word]]):
            if at < free:
                continue
            second = words[at + 1] if at + 1 < len(words) else ""
            for phrase in (*wanted.get((words[at], second), ()), *wanted.get((words[at], ""), ())):
                size = len(phrase)
                if tuple(words[at : at + size]) == phrase and self._is_whole(at, size):
                    yield (
                        phrase,
                        self.token_at(self.atoms[at][1]),
                        self.token_at(self.atoms[at + size - 1][1]) + 1,
                    )
                    free = at + size
                    break

    def _is_whole(self, at: int, size: int) -> bool:
        """Whether no sign and digits go on with what was found: "Studio B" in "Studio B-12"."""
        end = self.atoms[at + size - 1][2]
        return self.text[end : end + 1] in ("", " ") or _BESIDE.match(self.text, end) is None

    def values(self, type: str) -> frozenset[Plain]:
        """All values of a type of a fact that the text has."""
        return self._values.get(type, frozenset())

    @cached_property
    def _values(self) -> dict[str, frozenset[Plain]]:
        values: dict[str, set[Plain]] = {}
        for token in self.tokens:
            for type, those in token.values.items():
                values.setdefault(type, set()).update(those)
        values.setdefault("money_cents", set()).update(values.get("whole", ()))
        return {type: frozenset(those) for type, those in values.items()}

    def content(self, first: int, last: int) -> Iterator[tuple[int, str]]:
        """The places and keys of the words and codes of a stretch that carry a meaning."""
        return content(self.tokens, first, last)


_LONGEST_SHORT = 500
_parsed_short, _parsed_long = lru_cache(maxsize=1_024)(ParsedText), lru_cache(maxsize=128)(ParsedText)
"""Apart, because a parsed text takes a hundred times its length: of many reasons, and of few policies."""


def parsed(text: str) -> ParsedText:
    """A text that is held against many others: an instruction, a policy, a right answer, a reason."""
    return (_parsed_short if len(text) <= _LONGEST_SHORT else _parsed_long)(text)


class PhraseIndex(dict[tuple[str, str], list[Phrase]]):
    """Phrases by their first two words; the second is "" for those of one word."""

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Their first words."""
        return frozenset(first for first, _ in self)


_MOST_ALIKE = 40


@lru_cache(maxsize=512)
def phrase_index(phrases: tuple[str, ...]) -> PhraseIndex:
    """Phrases for `Document.phrases`, the longest first."""
    index = PhraseIndex()
    for phrase in phrases:
        if wanted := atoms(phrase):
            entry = index.setdefault((wanted[0], wanted[1] if len(wanted) > 1 else ""), [])
            if wanted not in entry:
                entry.append(wanted)
    for entry in index.values():
        entry.sort(key=len, reverse=True)
        del entry[_MOST_ALIKE:]
    return index


_CLITIC = re.compile(r"('(?:s|re|ve|ll|d|m))(?= |$)")


class PhrasePattern(NamedTuple):
    """What finds phrases in `ParsedText.folded`."""

    regex: re.Pattern[str]
    """Begins with the space before a phrase."""
    beginnings: frozenset[tuple[str, str]]
    """The first two words of each phrase; the second is "" for those of one word."""


def phrase_pattern(phrases: Collection[str]) -> PhrasePattern:
    """What finds phrases in a text."""
    spoken = [_CLITIC.sub(r" \1", phrase) for phrase in sorted(phrases, key=len, reverse=True)]
    listed = "|".join(re.escape(phrase) for phrase in spoken)
    beginnings = frozenset((first, second) for first, second, *_ in ((*p.split(" "), "") for p in spoken))
    return PhrasePattern(re.compile(rf" (?:{listed})(?= )"), beginnings)


def _begun_by(words: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Under what phrases that stand among some words can be listed by their first two."""
    return frozenset([*pairwise(words), *((word, "") for word in words)])


_ADDING_UP = keys("sum add come amount tot total")
"""Words after which "up to" leaves nothing open."""
_SEVERAL, _OWNING = (
    frozenset(("two", "several")),
    frozenset(("his", "her", "their", "its", "'s", "has", "have", "had")),
)
_HEDGING = phrase_pattern(HEDGING_PHRASES)
_NEAR = phrase_pattern(NEAR_PHRASES)
_DOUBTLESS = phrase_pattern(DOUBTLESS)
_FRAMES = phrase_pattern(DENIAL_FRAMES)
_RETRACTING = phrase_pattern(RETRACTIONS)


def _owners(count: int, chunks: Sequence[Chunk]) -> list[int]:
    owners = [-1] * count
    for number, chunk in enumerate(chunks):
        for at in range(chunk.first, chunk.last):
            owners[at] = number
    return owners
