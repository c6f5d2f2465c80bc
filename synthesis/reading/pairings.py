"""Pairings: what was done with what, so that an answer which swaps two of them is untrue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from synthesis.reading.document import ParsedText, Phrase, PhraseIndex, phrase_index
from synthesis.reading.phrases import EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.structure import Sentence
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import atoms, keys, word_set

_RESPECTIVE = word_set("respectively order instead not unlike except besides")
_GIVING = word_set("went goes gave given got gets took takes belongs")
_MOST_CALLS = 60
_MOST_WORDS = 200
_TWO = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """A name or a code by which a text tells which calls it speaks of."""

    at: int
    kind: str
    """What it names: a table's column."""
    calls: frozenset[int]


class Pairings:
    """The writing calls of a right end, by the names and codes that only some of them are about.

    Args:
        calls: For each call the tool's name, and what its rows are called: by name or code, its kind.
        distractors: By kind, what other rows of that kind are called: no call was for them.
    """

    def __init__(
        self, calls: Sequence[tuple[str, Mapping[str, str]]], distractors: Mapping[str, Sequence[str]]
    ) -> None:
        self.tools = tuple(name for name, _ in calls)
        calls_of: dict[Phrase, set[int]] = {}
        self._kinds: dict[Phrase, str] = {}
        for number, (_, marks) in enumerate(calls[:_MOST_CALLS]):
            for text, kind in marks.items():
                if phrase := atoms(text):
                    calls_of.setdefault(phrase, set()).add(number)
                    self._kinds.setdefault(phrase, kind)
        for kind, texts in distractors.items():
            for text in texts:
                if (phrase := atoms(text)) and phrase not in calls_of:
                    calls_of[phrase] = set()
                    self._kinds[phrase] = kind
        self._calls = {phrase: frozenset(of) for phrase, of in calls_of.items()}
        names = (" ".join(phrase) for phrase in self._calls if not _is_number(phrase))
        self._index: PhraseIndex = phrase_index(tuple(names))

    def marks(self, document: ParsedText) -> tuple[Mark, ...]:
        """The marks of a text, in order."""
        by_place = {
            first: Mark(first, self._kinds[phrase], self._calls[phrase])
            for phrase, first, _ in document.phrases(self._index)
            if phrase in self._calls
        }
        for at, token in enumerate(document.tokens):
            number = self._number(document, at) if token.kind in ("code", "value") else ()
            if number in self._calls and at not in by_place:
                by_place[at] = Mark(at, self._kinds[number], self._calls[number])
        return tuple(by_place[at] for at in sorted(by_place))

    def _number(self, document: ParsedText, at: int) -> Phrase:
        """The key in a code, or after the noun of what it is the key of: "payment 7103"."""
        token, before = document.tokens[at], document.tokens[at - 1 : at]
        number = atoms(token.text)[-1:]
        if token.kind == "code" or number not in self._calls:
            return number
        nouns = keys(self._kinds[number].partition(".")[0].replace("_", " "))
        return number if before and before[0].key in nouns else ()

    def tools_of(self, mark: Mark) -> frozenset[str]:
        """The names of the tools that were called for what a mark names."""
        return frozenset(self.tools[number] for number in mark.calls)


def is_crossed(document: ParsedText, marks: Sequence[Mark], tells: Callable[[TextToken], bool]) -> bool:
    """Whether a text tells two things together that no call was about: A went to X, who got B.

    Args:
        document: The answer.
        marks: Its marks.
        tells: Whether a word tells what was done.
    """
    return any(
        not one.calls & other.calls and (bool(one.calls and other.calls) or is_reported)
        for sentence, listed in _by_sentence(document, marks)
        if _is_plain(document, sentence)
        for is_reported in (_reports(document, sentence, tells),)
        for one, other in (*_pairs(listed), *_last_pair(document, listed))
        if not _is_one_name(one, other)
    )


def _is_one_name(one: Mark, other: Mark) -> bool:
    """Whether two marks are the first and the last name of somebody."""
    return other.at == one.at + 1 and one.kind.partition(".")[0] == other.kind.partition(".")[0]


def _reports(document: ParsedText, sentence: Sentence, tells: Callable[[TextToken], bool]) -> bool:
    words = document.tokens[sentence.first : min(sentence.last, sentence.first + _MOST_WORDS)]
    return any(token.text in _GIVING or tells(token) for token in words)


def _last_pair(document: ParsedText, marks: Sequence[Mark]) -> Iterator[tuple[Mark, Mark]]:
    """The two marks of clauses that have just two, unless the last clause has one alone."""
    by_clause: dict[int, list[Mark]] = {}
    for mark in marks:
        by_clause.setdefault(document.chunk_of[mark.at], []).append(mark)
    if not by_clause or len(by_clause[max(by_clause)]) == 1:
        return
    for marked in by_clause.values():
        if len(marked) == _TWO and marked[0].kind != marked[1].kind:
            yield marked[0], marked[1]


def _is_number(phrase: Phrase) -> bool:
    return len(phrase) == 1 and phrase[0].isdigit()


def _by_sentence(document: ParsedText, marks: Sequence[Mark]) -> Iterator[tuple[Sentence, list[Mark]]]:
    listed: dict[int, list[Mark]] = {}
    for mark in marks:
        number = document.chunk_of[mark.at]
        if number >= 0:
            listed.setdefault(document.chunks[number].sentence, []).append(mark)
    for number, marked in listed.items():
        yield document.sentences[number], marked


def _pairs(marks: Sequence[Mark]) -> list[tuple[Mark, Mark]]:
    """Neighbours that belong together: only where two kinds take turns throughout."""
    kinds = [mark.kind for mark in marks]
    turns = len(kinds) >= 2 and len(kinds) % 2 == 0 and kinds[0] != kinds[1]
    if not turns or kinds != kinds[:2] * (len(kinds) // 2):
        return []
    return list(zip(marks[::2], marks[1::2], strict=True))


def _is_plain(document: ParsedText, sentence: Sentence) -> bool:
    texts = {
        token.text
        for token in document.tokens[sentence.first : min(sentence.last, sentence.first + _MOST_WORDS)]
    }
    return not sentence.question and not texts & (NEGATIONS | EARLIER | ELSEWHERE | _RESPECTIVE)
