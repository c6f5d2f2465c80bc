"""The structure of a text: lines, list items and table cells, sentences, and the chunks they consist of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from synthesis.reading.computed import cached_property
from synthesis.reading.lexicon import STOP_WORDS
from synthesis.reading.text_token import TextToken

_JOINTS = frozenset(
    [
        "and",
        "but",
        "while",
        "whereas",
        "because",
        "since",
        "although",
        "though",
        "however",
        "plus",
        "yet",
        "so",
        "then",
        "therefore",
        "thus",
        "which",
        "who",
    ]
)
_CUTS = frozenset(",()[]{}|\u2192")
_ENDS = frozenset(".!?;\u2026")
_LABELLING = frozenset((":", "=", "\u2192", "-"))
"""Signs of a line that is a label with its value."""
_SHORT = frozenset(
    [
        "dr",
        "mr",
        "mrs",
        "ms",
        "no",
        "nr",
        "approx",
        "st",
        "vs",
        "inc",
        "ltd",
        "co",
        "e.g",
        "i.e",
        "prof",
        "ca",
        "tel",
    ]
)
_MARKER = re.compile(r"[ ]{0,40}(?:[-*+\u2022>]|\d{1,3}[.)])[ ]{1,10}")
_VERBS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "be",
        "has",
        "have",
        "had",
        "i",
        "he",
        "she",
        "it",
        "they",
        "we",
        "you",
        "may",
        "can",
        "could",
        "will",
        "there",
    ]
)
MOST_CELLS = 60


@dataclass(slots=True)
class Chunk:
    """A part of a sentence between commas, conjunctions and brackets; or one cell of a table."""

    first: int
    last: int
    """Tokens of the text, the last one not included."""
    sentence: int
    given: frozenset[str] = frozenset()
    """Keys it has from its column's header, its row's label or the line that introduces it."""
    bracketed: bool = False
    begins_with: str = ""
    """The conjunction or sign before it."""


@dataclass(slots=True)
class Sentence:
    """A sentence, a list item without a full stop, or a row of a table."""

    first: int
    last: int
    question: bool = False
    chunks: list[int] = field(default_factory=list)
    row: bool = False


def content(tokens: Sequence[TextToken], first: int, last: int) -> Iterator[tuple[int, str]]:
    """The places and keys of the words and codes of a stretch that carry a meaning."""
    for at in range(first, last):
        token = tokens[at]
        if token.kind == "code" or (
            token.kind == "word" and token.text not in STOP_WORDS and not token.text.startswith("'")
        ):
            yield at, token.key or token.text


class Structure:
    """The lines, sentences and chunks of a text.

    Args:
        text: The plain text.
        tokens: Its tokens.
    """

    def __init__(self, text: str, tokens: Sequence[TextToken]) -> None:
        self.text, self.tokens = text, tokens
        self.sentences: list[Sentence] = []
        self.chunks: list[Chunk] = []
        self.header: list[frozenset[str]] = []
        self.lead: frozenset[str] = frozenset()

    def build(self) -> None:
        """Find the sentences and chunks."""
        lines = list(self._lines())
        at = 0
        while at < len(lines):
            first, last = lines[at]
            if self._bars(first, last) >= 2:
                self._row(first, last)
                at += 1
                continue
            self.header = []
            while at + 1 < len(lines) and self._goes_on(lines[at], lines[at + 1]):
                at += 1
                last = lines[at][1]
            self._paragraph(first, last)
            at += 1

    def _lines(self) -> Iterator[tuple[int, int]]:
        first = 0
        for at, token in enumerate(self.tokens):
            if token.kind == "line":
                if at > first:
                    yield first, at
                elif self.lead:
                    yield at, at
                first = at + 1
        if len(self.tokens) > first:
            yield first, len(self.tokens)

    def _bars(self, first: int, last: int) -> int:
        return sum(self.tokens[at].text == "|" for at in range(first, last))

    def _goes_on(self, line: tuple[int, int], following: tuple[int, int]) -> bool:
        """Whether a sentence runs on into the next line."""
        if line[0] == line[1] or following[0] == following[1] or following[0] != line[1] + 1:
            return False
        end, begin = self.tokens[line[1] - 1], self.tokens[following[0]]
        return (
            end.text not in _ENDS
            and end.text != ":"
            and begin.kind == "word"
            and not begin.capital
            and line[1] - line[0] > 5
            and self._bars(*following) < 2
            and self._after_marker(following[0]) == following[0]
            and not any(self.tokens[at].text in _LABELLING for at in range(*following))
        )

    def _after_marker(self, first: int) -> int:
        """The first token of a line behind "-" or "1."."""
        token = self.tokens[first]
        text = self.text
        begin = text.rfind("\n", max(0, token.start - 60), token.start) + 1
        match = _MARKER.match(text, begin) if token.start - begin <= 60 else None
        if match is None or match.end() <= token.start or self._is_count(match):
            return first
        while (
            first < len(self.tokens)
            and self.tokens[first].start < match.end()
            and self.tokens[first].kind != "line"
        ):
            first += 1
        return first

    def _is_count(self, mark: re.Match[str]) -> bool:
        """Whether a number that looks like a list's is told alone: "2. (A and B)", "2. Ada was busy then"."""
        number = mark[0].strip().rstrip(".)")
        if not number.isdigit() or self._numbers_lines:
            return False
        return int(number) != 1 or self.text.startswith("(", mark.end())

    @cached_property
    def _numbers_lines(self) -> bool:
        """Whether more than one line begins with a number as those of lists do."""
        lines = self.text.split("\n")
        numbered = (line for line in lines if line.lstrip()[:1].isdigit() and _MARKER.match(line))
        return len(list(islice(numbered, 2))) > 1

    def _row(self, first: int, last: int) -> None:
        cells, begin = [], first
        for at in range(first, last):
            if self.tokens[at].text == "|":
                if at > begin or at > first:
                    cells.append((begin, at))
                begin = at + 1
        if last > begin:
            cells.append((begin, last))
        keys = [self._keys(*cell) for cell in cells[:MOST_CELLS]]
        if all(self.tokens[at].kind == "sign" for at in range(first, last)):
            return
        values = any(self.tokens[at].kind in ("value", "code") for at in range(first, last))
        if not self.header and not values:
            self.header = keys
            self._whole(first, last)
            return
        number = len(self.sentences)
        sentence = Sentence(first, last, row=True)
        label = keys[0] if keys else frozenset()
        for place, cell in enumerate(cells):
            header = self.header[place] if place < len(self.header) else frozenset()
            given = header | (label if place else frozenset()) | self.lead
            sentence.chunks.append(len(self.chunks))
            self.chunks.append(Chunk(*cell, number, given, begins_with="|"))
        self.sentences.append(sentence)

    def _keys(self, first: int, last: int) -> frozenset[str]:
        return frozenset(key for _, key in content(self.tokens, first, last))

    def _whole(self, first: int, last: int) -> None:
        number = len(self.sentences)
        self.sentences.append(Sentence(first, last, chunks=[len(self.chunks)], row=True))
        self.chunks.append(Chunk(first, last, number))

    def _paragraph(self, first: int, last: int) -> None:
        if first == last:
            self.lead = frozenset()
            return
        begin = self._after_marker(first)
        is_item = begin > first
        lead = self.lead
        if not is_item and self.tokens[last - 1].text != ":" and last - first > 4:
            lead = frozenset()
        at = begin
        for end in range(begin, last):
            if self.tokens[end].text in _ENDS and self._ends(end, last):
                self._sentence(at, end + 1, lead)
                at = end + 1
        if at < last:
            self._sentence(at, last, lead)
        heading = self.text[self.tokens[first].start - 2 : self.tokens[first].start].startswith("#")
        if self.tokens[last - 1].text == ":" or heading:
            self.lead = self._keys(begin, last)
        elif not is_item and last - first > 4:
            self.lead = frozenset()

    def _ends(self, at: int, last: int) -> bool:
        """Whether a sentence ends with a sign that can end one."""
        token = self.tokens[at]
        if token.text != ".":
            return True
        if at + 1 < last and self.tokens[at + 1].start == token.end:
            return False
        before = self.tokens[at - 1] if at else token
        return not (before.text in _SHORT and at + 1 < last)

    def _sentence(self, first: int, last: int, lead: frozenset[str]) -> None:
        number = len(self.sentences)
        sentence = Sentence(first, last, question=self.tokens[last - 1].text == "?")
        self.sentences.append(sentence)
        begin, before, depth = first, "", 0
        for at in range(first, last):
            token = self.tokens[at]
            if (token.kind == "word" and token.text not in _JOINTS) or not self._cuts(at, last):
                continue
            self._chunk(begin, at, sentence, number, lead, before, depth > 0)
            if token.text in "([{":
                depth += 1
            elif token.text in ")]}" and depth:
                depth -= 1
            begin, before = at + 1, token.text
        self._chunk(begin, last, sentence, number, lead, before, depth > 0)

    def _chunk(
        self,
        first: int,
        last: int,
        sentence: Sentence,
        number: int,
        lead: frozenset[str],
        before: str,
        bracketed: bool,
    ) -> None:
        if last > first:
            sentence.chunks.append(len(self.chunks))
            self.chunks.append(Chunk(first, last, number, lead, bracketed, before))

    def _cuts(self, at: int, last: int) -> bool:
        token = self.tokens[at]
        if token.kind == "word":
            return token.text in _JOINTS and not (token.text == "and" and self._between(at))
        if token.kind != "sign":
            return False
        if token.text == ":":
            return not self._is_label(at, last)
        if token.text == "-":
            return at + 1 < last and self.tokens[at + 1].start > token.end and not self._is_label(at, last)
        return token.text in _CUTS

    def _between(self, at: int) -> bool:
        """Whether an "and" belongs to "between 2 and 3"."""
        return any(self.tokens[place].text == "between" for place in range(max(0, at - 4), at))

    def _is_label(self, at: int, last: int) -> bool:
        """Whether a colon or a dash stands between a label and its value."""
        if at + 1 >= last:
            return True
        if self.tokens[at + 1].kind in ("value", "code"):
            return True
        end = at + 1
        while end < last and end - at <= 5 and self.tokens[end].text not in _CUTS:
            if self.tokens[end].text in _VERBS:
                return False
            end += 1
        return end - at <= 5
