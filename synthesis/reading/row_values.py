"""Row values: what an answer tells of a row (amounts, days, places), held against what was shown of it.

A code names a row. What the results of an episode show of it, in whatever object has its code or its key, is
all that belongs to it; a value that only other rows have was swapped or mixed up.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.document import ParsedText, Phrase, PhraseIndex, phrase_index
from synthesis.reading.json_values import JsonValues
from synthesis.reading.mentions import Value
from synthesis.reading.phrases import ELSEWHERE, NEGATIONS
from synthesis.reading.structure import Chunk
from synthesis.reading.words import atoms, word_set

_MOST_ROWS = 2_000
_MOST_WORDS = 60
_LONGEST_NAME = 60
_DAY = 10
_CENTS = 100
_SUMMING = word_set(
    "total sum altogether all together both each per than before instead respectively times × x * ="
)
_NOT_PLAIN = NEGATIONS | ELSEWHERE | _SUMMING
_TOWARDS = word_set("to into")


@dataclass(slots=True)
class _Shown:
    """What results showed of one row."""

    amounts: set[int] = field(default_factory=set)
    days: set[str] = field(default_factory=set)
    names: set[Phrase] = field(default_factory=set)


class RowValues:
    """What results show of the rows that have a code.

    Args:
        values: Arguments and results of calls.
    """

    def __init__(self, values: JsonValues) -> None:
        objects = values.objects[:_MOST_ROWS]
        every_codes = [frozenset(_codes(each)) for each in objects]
        by_number: dict[str, list[Phrase]] = {}
        for code in frozenset().union(*every_codes):
            by_number.setdefault(code[1], []).append(code)
        self._objects = objects
        self._objects_of: dict[Phrase, list[Mapping[str, Any]]] = {}
        for each, codes in zip(objects, every_codes, strict=True):
            keys = {str(value) for name, value in each.items() if type(value) is int and name.endswith("id")}
            for code in {*codes, *(code for key in keys for code in by_number.get(key, ()))}:
                self._objects_of.setdefault(code, []).append(each)

    @cached_property
    def _rows(self) -> dict[Phrase, _Shown]:
        return {code: self._row(code) for code in self._objects_of}

    def _row(self, code: Phrase) -> _Shown:
        row = _Shown()
        for each in self._objects_of[code]:
            _add(row, each)
        return row

    @cached_property
    def _names(self) -> PhraseIndex:
        every = _Shown()
        for each in self._objects:
            _add(every, each)
        return phrase_index(tuple(sorted(" ".join(name) for name in every.names)))

    def swapped(self, document: ParsedText, known: Container[Value]) -> str:
        """What is told of a row and is another's, in words; empty where nothing is.

        Args:
            document: The answer.
            known: Days and amounts in cents of the instruction and the policy, which belong to no row alone.
        """
        every_code = {atoms(token.text) for token in document.tokens if token.kind == "code"}
        named = every_code & self._objects_of.keys()
        for chunk in document.chunks:
            code = self._only_code(document, chunk)
            if code and (problem := self._problem(document, chunk, code, named, known)):
                return f"it tells {'-'.join(code).upper()} with {problem} of another row"
        return ""

    def _only_code(self, document: ParsedText, chunk: Chunk) -> Phrase:
        """The one code of a clause, or of its sentence, where that plainly tells; () where there is none."""
        sentence = document.sentences[chunk.sentence]
        words = document.tokens[sentence.first : min(sentence.last, sentence.first + _MOST_WORDS)]
        if sentence.question or any(token.text in _NOT_PLAIN for token in words):
            return ()
        own = document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]
        before = document.tokens[max(chunk.first - 2, 0) : chunk.first]
        if [token.text for token in before[1:]] == ["("]:
            words = before[:1]  # "FE-201 (30.00) and FE-202 (60.00)"
        for part in (own, words):
            codes = {atoms(token.text) for token in part if token.kind == "code"} & self._objects_of.keys()
            if codes:
                return codes.pop() if len(codes) == 1 else ()
        return ()

    def _problem(
        self,
        document: ParsedText,
        chunk: Chunk,
        code: Phrase,
        named: Collection[Phrase],
        known: Container[Value],
    ) -> str:
        row, last = self._row(code), min(chunk.last, chunk.first + _MOST_WORDS)
        words = document.tokens[chunk.first : last]
        for token in words:
            days = {str(day) for day in token.values.get("date", ()) if day not in known}
            if days and not days & row.days and any(days & other.days for other in self._others(code)):
                return "a day"
            cents = (n for n in token.values.get("money_cents", ()) if n not in known)
            amounts = {int(n) for n in cents if isinstance(n, int | float)}
            is_strange = bool(amounts) and not amounts & row.amounts and is_amount(token)
            # A row that the answer does not name may be a part of this one.
            if is_strange and any(amounts & self._rows[other].amounts for other in named if other != code):
                return "an amount"
        if not any(token.text in _TOWARDS for token in words):
            return ""
        for name, first, _ in document.phrases(self._names):
            is_here = chunk.first < first < last and document.tokens[first - 1].text in _TOWARDS
            is_alike = any(not set(name).isdisjoint(own) for own in row.names)
            if is_here and is_alike and name not in row.names:
                return "a name"
        return ""

    def _others(self, code: Phrase) -> Iterator[_Shown]:
        return (shown for other, shown in self._rows.items() if other != code)


def _codes(row: Mapping[str, Any]) -> Iterator[Phrase]:
    """The codes among an object's own texts."""
    for value in row.values():
        if isinstance(value, str) and len(value) <= _LONGEST_NAME and (code := _code(value)):
            yield code


@lru_cache(maxsize=8_192)
def _code(text: str) -> Phrase:
    """A text as a code: letters and a number; () where it is none."""
    code = () if text[:1].isdigit() or " " in text else atoms(text)
    is_code = len(code) == len(("letters", "number")) and code[0].isalpha() and code[1].isdigit()
    return code if is_code else ()


def _add(shown: _Shown, row: Mapping[str, Any]) -> None:
    """Add amounts, days and names of an object and of what it holds, lists apart: those are other rows'."""
    waiting: list[Any] = [row]
    while waiting:
        for value in waiting.pop().values():
            if isinstance(value, dict):
                waiting.append(value)
            elif isinstance(value, str):
                _add_text(shown, value)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                shown.amounts |= {round(value), round(value * _CENTS)} if abs(value) < 1e15 else set()


def _add_text(shown: _Shown, text: str) -> None:
    day = text[:_DAY]
    if len(day) == _DAY and day[4] == day[7] == "-":
        shown.days.add(day)
    elif len(text) <= _LONGEST_NAME and text[:1].isupper() and (name := atoms(text)):
        shown.names.add(name)
