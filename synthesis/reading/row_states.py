"""Row states: what an answer says a row is (open, a gold member, off duty), held against the row.

A row has what the seed has, until a call of the episode changed it; then it has what the last result showed
of it. A state that it never had, or that it has no longer, is untrue.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

from synthesis.reading.document import ParsedText, Phrase, PhraseIndex, phrase_index
from synthesis.reading.json_values import JsonValues
from synthesis.reading.phrases import ELSEWHERE, NEGATIONS
from synthesis.reading.structure import Chunk
from synthesis.reading.words import atoms, key, word_set
from synthesis.reading.world_rows import Place, Row, WorldRows, names_in

_BEING = word_set("is are 's was were remains remain stays stay remained stayed be been")
_PRESENT = word_set("is are 's remains remain stays stay")
_BECOMING = word_set("now was were been stayed remained")
"""Words by which a state may be told as what an act brought about."""
_BETWEEN = word_set(
    "now currently already still again also both all only just fully therefore too in the a an at "
    "marked recorded entered listed shown set as status state of presently moment"
)
"""Words between a form of "be" and a state."""
_UNSURE = NEGATIONS | word_set(
    "if unless would could may might should can until once when whether had before after never will to "
    "need needs must"
)
_ARTICLES = word_set("a an the only as his her their in with of on")
_PRONOUNS = word_set("it he she they this that")
_OTHERS = word_set("other others rest")
_UNITS = word_set("day week hour month year night minute")
_JOINING = frozenset(("and", "but"))
_HAVING, _STATE = word_set("have has"), word_set("status state")
_LINKS = word_set("for of in on at to with from")
"""Words by which a noun names what it belongs to: "the sign-up for Basic Sewing"."""
_DEFINITE = word_set("the this that his her their its your a an our")
_MOST_WORDS = 60
_LONGEST_NOUN = 4
_MOST_OBJECTS = 2_000


@dataclass(slots=True)
class RowsMeant:
    """Words of a text with the rows that they may name."""

    at: int
    last: int
    places: set[Place]


class RowStates:
    """The rows as an episode left them, as far as its calls show.

    Args:
        rows: The world before.
        results: Arguments and results of its calls, in order.
        touched: The rows that its calls changed, where that is known; else what tables they may have changed.
        tables: Names of those tables.
        own: Names and codes of what the task is about.
        written: The rows that its calls changed, whole, as it left them; where they are known.
    """

    def __init__(
        self,
        rows: WorldRows,
        results: JsonValues,
        *,
        touched: Collection[Place] | None,
        tables: Collection[str],
        own: Collection[Phrase],
        written: Sequence[Row] = (),
    ) -> None:
        self._rows, self._results, self._own, self._written = rows, results, own, written
        self._touched, self._tables = touched, tables
        self._meant: tuple[ParsedText, Sequence[RowsMeant]] | None = None

    def untrue(self, document: ParsedText) -> str:
        """What a text says of a row that it is not, in words; empty where nothing is."""
        return next(self._untrue(document), "")

    def _untrue(self, document: ParsedText) -> Iterator[str]:
        listed = list(document.phrases(self._rows.state_index))
        subjects = self.meant(document) if listed else ()
        for phrase, first, last in listed:
            number = document.chunk_of[first]
            if number < 0 or document.sentences[document.chunks[number].sentence].question:
                continue
            if phrase[0] in _UNITS and document.tokens[max(0, first - 1)].text in _ARTICLES:
                continue  # "a day later"
            columns = self._rows.states[phrase]
            chunk = document.chunks[number]
            subject = self._subject(document, chunk, first, last, columns, subjects)
            is_of_giving = last < len(document.tokens) and document.tokens[last].text == "to"
            if subject and not is_of_giving and self._is_false(document, subject, columns, chunk):
                yield f"it says that something is {' '.join(phrase)[:60]}, which it is not"

    def holding(self, document: ParsedText) -> Iterator[tuple[int, int, int]]:
        """Where clauses begin with a row and say truly what it is: where its name and the state stand."""
        listed = list(document.phrases(self._rows.state_index))
        subjects = self.meant(document) if listed else ()
        for phrase, first, last in listed:
            number = document.chunk_of[first]
            columns = self._rows.states[phrase]
            chunk = document.chunks[number]
            subject = self._subject(document, chunk, first, last, columns, subjects) if number >= 0 else None
            if subject is None or not chunk.first <= subject.at <= chunk.first + 2:
                continue
            between = {token.text for token in document.tokens[subject.last : first]}
            is_remark = bool(between & _PRESENT) and not between & _BECOMING
            if is_remark and self._holds(subject, columns):
                yield subject.at, first, last

    def _holds(self, subject: RowsMeant, columns: Mapping[tuple[str, str], Any]) -> bool:
        """Whether one of the rows meant is known to have a state, as it was left."""
        return any(
            place[0] == table and self._is_known(place, column) and self._has(place, column, value, True)
            for (table, column), value in columns.items()
            for place in subject.places
        )

    def _subject(
        self,
        document: ParsedText,
        chunk: Chunk,
        first: int,
        last: int,
        columns: Mapping[tuple[str, str], Any],
        subjects: Sequence[RowsMeant],
    ) -> RowsMeant | None:
        """What a state is told of; None where it is told of nothing that is known, or left open."""
        words = document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]
        if any(token.text in _UNSURE for token in words if token.start < document.tokens[first].start):
            return None
        is_kind = self._is_kind(document, first, last, columns)
        if not is_kind and not _is_predicate(document, chunk, first):
            return None
        tables = {table for table, _ in columns}
        sentence = document.sentences[chunk.sentence]
        before = [one for one in subjects if sentence.first <= one.at and one.last <= first]
        if not before and document.tokens[chunk.first].text in _PRONOUNS and chunk.sentence:
            return self._before(document, chunk.sentence - 1, tables, subjects)
        near = [one for one in before if one.at >= chunk.first] or _of_last_verb(document, chunk, before)
        fitting = [one for one in near if {place[0] for place in one.places} & tables]
        if not fitting or (
            fitting[-1] is not near[-1] and not is_kind and not _is_owned(document, *near[-2:])
        ):
            return None
        return _head_of(document, fitting)

    def _before(
        self, document: ParsedText, number: int, tables: Collection[str], subjects: Sequence[RowsMeant]
    ) -> RowsMeant | None:
        """What a pronoun stands for: the one of a sentence's subjects that may have the state."""
        sentence = document.sentences[number]
        fitting = [
            one
            for one in subjects
            if sentence.first <= one.at < sentence.last and {place[0] for place in one.places} & set(tables)
        ]
        return fitting[0] if len({frozenset(one.places) for one in fitting}) == 1 else None

    def _is_kind(
        self, document: ParsedText, first: int, last: int, columns: Mapping[tuple[str, str], Any]
    ) -> bool:
        """Whether a state stands before the noun of its rows, or the name of its column: "a gold member"."""
        if not first or last >= len(document.tokens) or document.tokens[first - 1].text not in _ARTICLES:
            return False
        following = document.tokens[last].key
        nouns = {noun[-1] for noun, table in self._rows.nouns.items() if (table in {t for t, _ in columns})}
        return following in nouns or any(following == key(column) for _, column in columns)

    def _is_false(
        self,
        document: ParsedText,
        subject: RowsMeant,
        columns: Mapping[tuple[str, str], Any],
        chunk: Chunk,
    ) -> bool:
        words = {t.text for t in document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]}
        is_present = bool(words & _PRESENT) or (bool(words & _STATE) and bool(words & _HAVING))
        answers = [
            self._has(place, column, value, is_present)
            for (table, column), value in columns.items()
            for place in subject.places
            if place[0] == table
        ]
        return bool(answers) and not any(answers)

    def _has(self, place: Place, column: str, value: Any, is_present: bool) -> bool:
        """Whether a row has a value, or had it where that may be meant; yes where that is not known."""
        seed, shown = self._rows.rows.get(place), self._became.get(place, [])
        known = [each for each in (seed, *shown) if each is not None and column in each]
        if not known or (self._may_be_touched(place) and not self._shows_what_became(seed, shown, column)):
            return True
        if is_present:
            return bool(known[-1][column] == value)
        return any(each[column] == value for each in known)

    def _is_known(self, place: Place, column: str) -> bool:
        """Whether what a row has in a column is known: that no call changed it, or what it became."""
        seed, shown = self._rows.rows.get(place), self._became.get(place, [])
        is_seen = any(each is not None and column in each for each in (seed, *shown))
        return is_seen and (not self._may_be_touched(place) or self._shows_what_became(seed, shown, column))

    def _may_be_touched(self, place: Place) -> bool:
        return place in self._touched if self._touched is not None else place[0] in self._tables

    def _shows_what_became(self, seed: Row | None, shown: Sequence[Row], column: str) -> bool:
        """Whether a column was shown of a changed row, and nothing of a later change without it."""
        at = next((at for at in range(len(shown) - 1, -1, -1) if column in shown[at]), -1)
        later = range(at + 1, len(shown))
        if at < 0 or any(self._shows_a_change(seed, shown[: number + 1]) for number in later):
            return False
        return any(self._shows_a_change(seed, shown[: number + 1]) for number in range(at + 1))

    def _shows_a_change(self, seed: Row | None, shown: Sequence[Row]) -> bool:
        """Whether the last that was shown of a row differs from what the seed has, or it is a new one."""
        earlier = [each for each in (seed, *shown[:-1]) if each is not None]
        if seed is None or not shown:
            return bool(shown)
        return any(
            name in each and each[name] != value for name, value in shown[-1].items() for each in earlier
        )

    def meant(self, document: ParsedText) -> Sequence[RowsMeant]:
        """The rows that a text names, in order, each with where; none for a noun that names no known one."""
        if self._meant is None or self._meant[0] is not document:
            self._meant = document, self._rows_meant(document)
        return self._meant[1]

    def _rows_meant(self, document: ParsedText) -> Sequence[RowsMeant]:
        by_name = [
            RowsMeant(first, last, self._rows.named[phrase])
            for phrase, first, last in document.phrases(self._rows.name_index)
        ]
        within = {at for one in by_name for at in range(one.at, one.last)}
        listed = by_name + [
            RowsMeant(first, last, self._named[phrase])
            for phrase, first, last in document.phrases(self._index)
            if first not in within
        ]
        taken = {at for one in listed for at in range(one.at, one.last)}
        listed += [
            RowsMeant(at, at + 1, self._of_code(atoms(token.text)))
            for at, token in enumerate(document.tokens)
            if token.kind == "code" and at not in taken
        ]
        listed += [
            RowsMeant(at, at + 2, set(self.others))
            for at, token in enumerate(document.tokens)
            if token.text in _OTHERS
            and document.tokens[at - 1].text == "the"
            and self._is_alone(document, at)
        ]
        by_end = {one.last: one for one in listed}
        by_start = {one.at for one in listed}
        for first, last, table in self._nouns(document, taken):
            if last not in by_start:
                listed.append(RowsMeant(first, last, self._of_noun(document, first, table, by_end)))
        return sorted(listed, key=lambda one: one.at)

    @staticmethod
    def _is_alone(document: ParsedText, at: int) -> bool:
        """Whether "the others" or "the other two" has no noun of its own."""
        after = [token.text for token in document.tokens[at + 1 : at + 3]]
        return not _BEING.isdisjoint(after) or not _HAVING.isdisjoint(after)

    def _of_code(self, code: Phrase) -> set[Place]:
        """The row of a code that tools make of its key."""
        if not _is_code(code):
            return set()
        places = {(table, int(code[1])) for table in self._coded.get(code[0], ())}
        return {place for place in places if place in self._rows.rows or place in self._shown}

    @cached_property
    def _coded(self) -> dict[str, set[str]]:
        """By what codes begin with, the tables of whose keys results show them to be made."""
        coded: dict[str, set[str]] = {}
        for place, objects in self._shown.items():
            for code in filter(_is_code, (atoms(text) for text in names_in(objects[0]))):
                if code[1] == str(place[1]):
                    coded.setdefault(code[0], set()).add(place[0])
        return coded

    def _nouns(self, document: ParsedText, taken: Collection[int]) -> Iterator[tuple[int, int, str]]:
        """The nouns of tables in a text beside what is taken, the longest first."""
        nouns, tokens = self._rows.nouns, document.tokens
        beginnings, at = {noun[0] for noun in nouns if noun}, 0
        while at < len(tokens):
            if tokens[at].key not in beginnings:
                at += 1
                continue
            ahead = range(at, min(at + _LONGEST_NOUN, len(tokens)))
            words = tuple(tokens[n].key for n in takewhile(lambda n: n not in taken, ahead))
            size = next((n for n in range(len(words), 0, -1) if words[:n] in nouns), 0)
            if size:
                yield at, at + size, nouns[words[:size]]
            at += size or 1

    def _of_noun(
        self, document: ParsedText, first: int, table: str, by_end: Mapping[int, RowsMeant]
    ) -> set[Place]:
        """The rows that a noun may mean: those of the name before it, those that were changed, or the only
        one of its kind that was named before."""
        before = [token.text for token in document.tokens[max(0, first - 2) : first]]
        if not ELSEWHERE.isdisjoint(before):
            return set(self.others)
        owner = by_end.get(first) or (by_end.get(first - 1) if before[-1:] == ["'s"] else None)
        if owner is not None:
            return {place for each in owner.places for place in self._rows.referring(table, each)}
        if not _DEFINITE.intersection(before):
            return set()
        if changed := {place for place in self.changed if place[0] == table}:
            return changed
        named = {place for one in by_end.values() if one.last <= first for place in one.places}
        of_kind = {place for place in named if place[0] == table}
        return of_kind if len(of_kind) == 1 else set()

    @cached_property
    def changed(self) -> frozenset[Place]:
        """The rows that were changed or are new, as far as that is known."""
        if self._touched is not None:
            return frozenset(self._touched)
        return frozenset(
            place
            for place, shown in self._shown.items()
            if place[0] in self._tables and self._shows_a_change(self._rows.rows.get(place), shown)
        )

    @cached_property
    def others(self) -> frozenset[Place]:
        """The rows that were shown beside those that were changed, and stayed as they were."""
        tables = {table for table, _ in self.changed}
        return frozenset(place for place in self._shown if place[0] in tables and place not in self.changed)

    @cached_property
    def sizes(self) -> dict[str, set[int]]:
        """By key of what has a size (of a pack, say), the sizes of tables none of whose rows was changed."""
        sizes: dict[str, set[int]] = {}
        changed = {table for table, _ in self.changed}
        for (table, _), row in self._rows.rows.items():
            for name, value in row.items() if table not in changed else ():
                if type(value) is int and name.endswith("_size"):
                    sizes.setdefault(key(name.partition("_")[0]), set()).add(value)
        return sizes

    def cells(self, place: Place) -> list[Row]:
        """What a row had and has, as far as that is known."""
        return [*filter(None, [self._rows.rows.get(place)]), *self._shown.get(place, ())]

    def referred(self, place: Place) -> frozenset[Place]:
        """The rows that a row refers to, as the episode left it."""
        cells: dict[str, Any] = {}
        for each in self.cells(place):
            cells |= {name: value for name, value in each.items() if not isinstance(value, dict | list)}
            for inner in each.values():
                cells |= inner if isinstance(inner, dict) else {}
        places = (self._rows.place_of({name: value}) for name, value in cells.items())
        return frozenset(each for each in places if each is not None and each != place)

    def belong_together(self, one: Place, other: Place) -> bool:
        """Whether some row that no call changed refers to both of two rows."""
        rows = (place for place in self._rows.rows if place not in self.changed)
        return any({one, other} <= self.referred(place) for place in rows)

    @cached_property
    def _index(self) -> PhraseIndex:
        return phrase_index(tuple(" ".join(phrase) for phrase in self._named))

    @cached_property
    def _shown(self) -> dict[Place, list[Row]]:
        """What was shown of each row, in order."""
        shown: dict[Place, list[Row]] = {}
        for each in self._results.objects[:_MOST_OBJECTS]:
            if place := self._rows.place_of(each):
                shown.setdefault(place, []).append(each)
        return shown

    @cached_property
    def _became(self) -> dict[Place, list[Row]]:
        """What was shown of each row, and at last what its calls left of it."""
        became = {place: list(objects) for place, objects in self._shown.items()}
        touched = frozenset(self._touched or ())
        for row in self._written[:_MOST_OBJECTS]:
            place = (self._rows.table_with(frozenset(row)), row.get("id"))
            if place in touched:
                became.setdefault(place, []).append(row)
        return became

    @cached_property
    def _named(self) -> dict[Phrase, set[Place]]:
        """First names of the people that the task is about."""
        named: dict[Phrase, set[Place]] = {}
        for phrase in self._own:
            if len(phrase) == 2 and phrase in self._rows.named and phrase[1].isalpha():
                named.setdefault(phrase[:1], set()).update(self._rows.named[phrase])
        return named


def _of_last_verb(document: ParsedText, chunk: Chunk, before: Sequence[RowsMeant]) -> Sequence[RowsMeant]:
    """What a clause without a subject is told of: "a request was filed for Friday and has been approved"."""
    joined = chunk.first > 0 and document.tokens[chunk.first - 1].text in _JOINING
    return before[:1] if joined and document.tokens[chunk.first].text in _BEING | _HAVING else before


def _is_code(phrase: Phrase) -> bool:
    return len(phrase) == 2 and phrase[1].isdigit()


def _head_of(document: ParsedText, fitting: Sequence[RowsMeant]) -> RowsMeant:
    """The last of several subjects, or the one to which it only belongs: "her sign-up for the workshop"."""
    last = fitting[-1]
    at = last.at - 1
    while at > 0 and document.tokens[at].text in _DEFINITE:
        at -= 1
    if at < 0 or document.tokens[at].text not in _LINKS:
        return last
    return next((one for one in fitting[:-1] if one.last == at), last)


def _is_owned(document: ParsedText, one: RowsMeant, other: RowsMeant | None = None) -> bool:
    """Whether the last of two only tells whose the first is: "WO-1 of Ada Lund"."""
    return other is not None and other.at - one.last == 1 and document.tokens[one.last].text in _LINKS


def _is_predicate(document: ParsedText, chunk: Chunk, first: int) -> bool:
    """Whether a state is told by a form of "be", by "marked as", or by "has the status"."""
    at = first - 1
    while at >= chunk.first and document.tokens[at].text in _BETWEEN:
        at -= 1
    if at < chunk.first:
        return False
    between = {token.text for token in document.tokens[at:first]}
    return document.tokens[at].text in _BEING or (
        document.tokens[at].text in _HAVING and not between.isdisjoint(_STATE)
    )
