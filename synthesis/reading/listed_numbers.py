"""Listed numbers: how many things a text itself lists: codes, names, items behind their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import takewhile

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.shown_row import nouns_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import word_set

_MOST, _MOST_BEFORE = 400, 60
"""Items of a list, and words before and behind a number that are looked at."""
_NOUN_WITHIN, _NAMES_WITHIN = 4, 10
_NEAR = 20
_ENDING = word_set("by of is are was were with who has have had and in on")


class ListedNumbers:
    """Numbers that count what a text lists.

    Args:
        shown: The rows that results show.
    """

    def __init__(self, shown: ShownRows) -> None:
        self._shown = shown
        self._last: tuple[AnswerClause, frozenset[int]] | None = None
        """The clause that was read last, with how many things are listed behind it."""

    def is_known(self, count: int, clause: AnswerClause, at: int) -> bool:
        """Whether it counts the codes that were told before: "the oldest of the two"."""
        tokens = clause.document.tokens
        codes = {token.text for token in tokens[max(0, at - _MOST_BEFORE) : at] if token.kind == "code"}
        if count > 1 and count in self._names_by_kind(clause, at):
            return True
        if at > 0 and tokens[at - 1].text == "the" and count in (len(codes), self._named_before(clause, at)):
            return True
        return count > 1 and (count in self._listed_behind(clause) or count == self._in_brackets(clause, at))

    def _named_before(self, clause: AnswerClause, at: int) -> int:
        """How many names a sentence has before a place: "Ada, Bo and Cleo are free; the three ..."."""
        first = clause.document.sentences[clause.chunk.sentence].first
        first = (
            clause.document.sentences[max(0, clause.chunk.sentence - 1)].first
            if at - first < _NEAR
            else first
        )
        follows = clause.document.tokens[at + 1 : at + 2]
        if follows and follows[0].kind == "word" and follows[0].text not in _ENDING:
            return 0  # "the three new members"
        names = {
            e.phrase for e in self._shown.names_in(clause.document) if max(first, at - _NEAR) <= e.first < at
        }
        return len(names)

    def _names_by_kind(self, clause: AnswerClause, at: int) -> Collection[int]:
        """How many rows of the kind behind a number a text names by themselves: three buildings."""
        words = {token.key for token in clause.document.tokens[at + 1 : at + 1 + _NOUN_WITHIN]}
        rows = [self._shown.alone(each) for each in self._shown.names_in(clause.document)]
        single = {ident for each in rows if len(each) == 1 for ident in each}
        counts = Counter(kind for kind, _ in single if not words.isdisjoint(nouns_of(kind)))
        return counts.values()

    def _in_brackets(self, clause: AnswerClause, at: int) -> int:
        """How many codes or names brackets behind a number have: "two in row A (A4, A5)"."""
        tokens = clause.document.tokens[at + 1 : at + 1 + _MOST_BEFORE]
        begins = next(
            (place for place, token in enumerate(tokens[:_NAMES_WITHIN]) if token.text == "("), None
        )
        if begins is None:
            return 0
        inner = list(takewhile(lambda token: token.text != ")", tokens[begins + 1 :]))
        first = at + 2 + begins
        named = sum(
            first <= each.first < first + len(inner) for each in self._shown.names_in(clause.document)
        )
        return max(sum(token.kind == "code" for token in inner), named)

    def _listed_behind(self, clause: AnswerClause) -> frozenset[int]:
        if self._last is None or self._last[0] is not clause:
            self._last = clause, frozenset(self._listed(clause))
        return self._last[1]

    def _listed(self, clause: AnswerClause) -> Iterator[int]:
        """How many things a text lists behind a clause that counts them: "Three lifts are overdue: ..."."""
        document, number = clause.document, clause.document.chunk_of[clause.places[0]]
        sentence = document.sentences[clause.chunk.sentence]
        named = {document.chunk_of[each.first] for each in self._shown.names_in(document)}
        yield sum(
            other > number and other in named and not document.chunks[other].bracketed
            for other in sentence.chunks
        )
        items = document.sentences[clause.chunk.sentence + 1 : clause.chunk.sentence + 1 + _MOST]
        yield sum(1 for _ in takewhile(lambda item: not named.isdisjoint(item.chunks), items))
