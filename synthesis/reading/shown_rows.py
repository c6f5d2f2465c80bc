"""Shown rows: what the results of an episode's calls show of each row, and which rows belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from synthesis.reading.computed import cached_property
from synthesis.reading.document import ParsedText, Phrase, PhraseIndex, phrase_index
from synthesis.reading.result_rows import ResultRows
from synthesis.reading.shown_row import Cell, Ident, Named, noun_of, shape_of
from synthesis.reading.words import keys
from synthesis.reading.world_rows import WorldRows

_SHORTEST_NAME = 3
_NUMBERING = frozenset(("no", ".", "number", "#", "id", ":"))
_HOPS = 2
_OF_PEOPLE = frozenset(("role", "email", "phone", "standing", "tier", "city"))
_DAY, _TIME = 10, 16


class ShownRows(ResultRows):
    """The rows that results show.

    Args:
        values: Arguments and result of each call, in order.
        world: The world's rows: their tables tell what a plain `id` is the key of.
    """

    def __init__(self, values: Sequence[Any], world: WorldRows) -> None:
        super().__init__(values, world)
        self._around: dict[frozenset[Ident], frozenset[Ident]] = {}
        self._holders: dict[Ident, frozenset[Ident]] = {}
        self._named_in: tuple[ParsedText, Sequence[Named]] | None = None

    @cached_property
    def name_index(self) -> PhraseIndex:
        """The names and codes of the rows, to be looked for in a text."""
        phrases = {each for phrase in self._names for each in (phrase, _several(phrase))}
        return phrase_index(tuple(" ".join(phrase) for phrase in phrases))

    def named(self, phrase: Phrase) -> frozenset[Ident]:
        """The rows of a name or a code, also where it is in the plural."""
        one = (*phrase[:-1], phrase[-1].removesuffix("s"))
        return frozenset(self._names.get(phrase, set()) or self._names.get(one, set()))

    def are_people(self, idents: Iterable[Ident]) -> bool:
        """Whether rows are of people or the like, who can be written to or have a role."""
        columns = {column for ident in idents if ident in self.rows for column in self.rows[ident].cells}
        return not columns.isdisjoint(_OF_PEOPLE)

    def ident_of(self, shown: Mapping[str, Any]) -> Ident | None:
        """Which row an object shows; None where it has no key."""
        ident = self._key_of(shown, shape_of(tuple(shown)))
        return ident if ident in self.rows else None

    def names_in(self, document: ParsedText) -> Sequence[Named]:
        """What a text names, in its order; a part of a name where no other name has it.

        It is looked for once: each of the text's numbers is held against it.
        """
        if self._named_in is None or self._named_in[0] is not document:
            self._named_in = document, self._names_of(document)
        return self._named_in[1]

    def _names_of(self, document: ParsedText) -> list[Named]:
        whole = [Named(*each, self.named(each[0])) for each in document.phrases(self.name_index)]
        taken = {at for each in whole for at in range(each.first, each.last)}
        parts = (
            Named((token.text,), at, at + 1, self.named(self._parts[token.text]))
            for at, token in enumerate(document.tokens)
            if at not in taken and (token.capital or token.kind == "code") and token.text in self._parts
        )
        return sorted((*whole, *parts, *self._numbered(document)), key=lambda each: each.first)

    def _numbered(self, document: ParsedText) -> Iterator[Named]:
        """Rows by what they are called and their key: "crate 2030", "order no. 803"."""
        for at, token in enumerate(document.tokens):
            if not at or not token.values or len(token.text) < _SHORTEST_NAME or not token.text.isdecimal():
                continue
            before = [
                each.key for each in document.tokens[max(0, at - 3) : at] if each.text not in _NUMBERING
            ]
            kind = self._by_noun.get(before[-1], "") if before else ""
            if (kind, int(token.text)) in self.rows:
                first = at - 1
                yield Named(
                    (document.tokens[first].text, token.text),
                    first,
                    at + 1,
                    frozenset(((kind, int(token.text)),)),
                )

    @cached_property
    def _by_noun(self) -> dict[str, str]:
        """The kinds of rows by the key of the last word of what they are called, where one kind has it."""
        kinds: dict[str, set[str]] = {}
        for kind in dict.fromkeys(kind for kind, _ in self.rows):
            kinds.setdefault(noun_of(kind), set()).add(kind)
        return {noun: each.pop() for noun, each in kinds.items() if len(each) == 1}

    def alone(self, named: Named) -> frozenset[Ident]:
        """The rows of a name itself, where a list has it beside others."""
        known = self.named(named.phrase)
        part = self._parts.get(" ".join(named.phrase))
        if known or part is None:
            return known or named.rows
        return self.named(part)

    @cached_property
    def _parts(self) -> dict[str, Phrase]:
        """Names by their first or last word, where only one of them has it."""
        matches: dict[str, set[Phrase]] = {}
        for phrase in self._names:
            if len(phrase) > 1 and phrase[0].isalpha() and len(phrase[0]) >= _SHORTEST_NAME:
                for word in (phrase[0], phrase[-1]):
                    matches.setdefault(word, set()).add(phrase)
        return {word: phrases.pop() for word, phrases in matches.items() if len(phrases) == 1}

    def holders(self, ident: Ident) -> frozenset[Ident]:
        """A row with those that refer to it, and those that refer to them: what may be told of it."""
        if ident not in self._holders:
            matches, edge = {ident}, {ident}
            for _ in range(_HOPS):
                edge = set().union(*(self._referring.get(each, ()) for each in edge)) - matches
                matches |= edge
            self._holders[ident] = frozenset(matches)
        return self._holders[ident]

    def holding(self, idents: Iterable[Ident]) -> frozenset[Ident]:
        """The same of several rows."""
        return frozenset().union(*map(self.holders, idents))

    def owned(self, ident: Ident) -> frozenset[Ident]:
        """A row with those that it refers to."""
        matches, edge = {ident}, {ident}
        for _ in range(_HOPS):
            edge = {other for each in edge if each in self.rows for other in self.rows[each].refers} - matches
            matches |= edge
        return frozenset(matches)

    def cells(self, idents: Iterable[Ident]) -> Iterator[tuple[str, Cell]]:
        """The values of some rows with their columns."""
        for ident in idents:
            row = self.rows.get(ident)
            if row is not None:
                for column, values in row.cells.items():
                    for value in values:
                        yield column, value

    def around(self, rows: frozenset[Ident]) -> frozenset[Ident]:
        """Some rows, those that may be told of them, and what all of these refer to."""
        if rows not in self._around:
            holders = self.holding(rows)
            self._around[rows] = frozenset(other for ident in holders for other in self.owned(ident))
        return self._around[rows]

    @cached_property
    def _referring(self) -> dict[Ident, set[Ident]]:
        referring: dict[Ident, set[Ident]] = {}
        for ident, row in self.rows.items():
            for other in row.refers:
                referring.setdefault(other, set()).add(ident)
        return referring

    @cached_property
    def by_value(self) -> dict[Cell, set[Ident]]:
        """The rows by their values; of a day with a time, by the day and by the time, too."""
        matches: defaultdict[Cell, set[Ident]] = defaultdict(set)
        for ident, row in self.rows.items():
            for values in row.cells.values():
                for value in values:
                    matches[value].add(ident)
                    if type(value) is str and len(value) >= _TIME:
                        for part in _parts(value):
                            matches[part].add(ident)
        matches.default_factory = None
        return matches

    @cached_property
    def column_keys(self) -> frozenset[frozenset[str]]:
        """The same as the keys of their words."""
        return frozenset(keys(column.replace("_", " ")) for column in self.columns)

    @cached_property
    def days(self) -> frozenset[str]:
        """The days among the values, as ISO texts."""
        return frozenset(
            value
            for value in self.by_value
            if isinstance(value, str) and len(value) == _DAY and value[4] == value[7] == "-"
        )


def _several(phrase: Phrase) -> Phrase:
    """Several things of a name: "Deep Club Jackets"."""
    return (*phrase[:-1], f"{phrase[-1]}s")


def _parts(text: str) -> Iterator[str]:
    """The day and the time of a text that has both."""
    if text[4] == text[7] == "-" and text[_DAY] in "T ":
        yield text[:_DAY]
        yield text[_DAY + 1 : _TIME]
