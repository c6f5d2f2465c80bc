"""Clause parts: where a clause of an answer is two, and whether it begins with what was named before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from synthesis.reading.answer_clauses import MOST_WORDS
from synthesis.reading.document import ParsedText
from synthesis.reading.past_tense import is_past
from synthesis.reading.shown_row import Named
from synthesis.reading.structure import Chunk
from synthesis.reading.words import word_set

_SIDE_BY_SIDE = word_set(", and or &")
_IDIOMS = frozenset((("taken", "care"), ("taken", "place"), ("taken", "note"), ("done", "with")))
_BECAUSE, _PRONOUNS = word_set("because since as"), word_set("she he they it")
_BEING = word_set("is was")
_OWNERS = word_set("his her their")


def parts_of(document: ParsedText, chunk: Chunk) -> Iterator[Chunk]:
    """A clause, in two where a full stop belongs to a day ("until 26 November. It was ...") or where it goes
    on to tell why: "was not considered as she is off duty"."""
    first = chunk.first
    for at in range(chunk.first, chunk.last - 1):
        token, follows = document.tokens[at], document.tokens[at + 1]
        if token.kind == "value" and token.text.endswith(".") and (follows.capital or follows.kind == "code"):
            yield replace(chunk, first=first, last=at + 1)
            first = at + 1
        elif at > first and token.text in _BECAUSE and follows.text in _PRONOUNS:
            yield replace(chunk, first=first, last=at)
            first, chunk = at, replace(chunk, begins_with=token.text)
    yield replace(chunk, first=first) if first != chunk.first else chunk


def is_long(chunk: Chunk) -> bool:
    """Whether a clause has more words than are read of one."""
    return chunk.last - chunk.first > MOST_WORDS


def named_together(document: ParsedText, named: Iterable[Named]) -> Iterator[Named]:
    """Names; of those that a list has side by side, each has the rows of all."""
    group: list[Named] = []
    for each in chain(named, (None,)):
        between = {t.text for t in document.tokens[group[-1].last : each.first]} if group and each else set()
        if each is not None and (not group or between <= _SIDE_BY_SIDE):
            group.append(each)
            continue
        rows = frozenset().union(*(one.rows for one in group))
        kinds = [{kind for kind, _ in one.rows} for one in group]
        for one in group:
            yield replace(one, rows=rows) if all(kinds[0] & kind for kind in kinds) else one
        group = [each] if each is not None else []


def points_back(document: ParsedText, chunk: Chunk) -> bool:
    """Whether a clause begins with a word for a thing that was named before it: "its estimate"."""
    texts = [token.text for token in document.tokens[chunk.first : min(chunk.first + 2, chunk.last)]]
    if texts in (["as", "it"], ["since", "it"], ["because", "it"], ["that", "one"], ["this", "one"]):
        return True
    return texts[:1] in (["it"], ["its"])


def goes_on(document: ParsedText, chunk: Chunk, sentence: int) -> bool:
    """Whether a clause of a sentence goes on with what that speaks of: "and was opened on 3 May"."""
    return (
        chunk.sentence == sentence
        and chunk.begins_with in ("and", ",")
        and document.tokens[chunk.first].text in _BEING
    )


def is_idiom(document: ParsedText, behind: int) -> bool:
    """Whether what stands in front of a place is no state but part of an idiom, "taken care of", or how
    often something was done, "extended once"."""
    pair = tuple(token.text for token in document.tokens[behind - 1 : behind + 1])
    before = document.tokens[max(0, behind - 2) : behind]
    return pair in _IDIOMS or (before[-1:] != [] and before[-1].text == "once" and is_past(before[0].text))


def names_an_owner(document: ParsedText, chunk: Chunk) -> bool:
    """Whether a clause speaks of what somebody has, too: "it is his only one"."""
    return any(token.text in _OWNERS for token in document.tokens[chunk.first : chunk.last])
