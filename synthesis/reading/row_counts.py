"""Row counts: how many rows lists and calls have, of the kind and in the state that a clause tells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.owned_counts import OwnedCounts
from synthesis.reading.past_tense import is_past
from synthesis.reading.shown_row import Ident, ShownList, ShownRow, is_key
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import keys, word_set
from synthesis.reading.world_rows import WorldRows

_OTHER = word_set("else other others more remaining further rest left")
_BEING = word_set("is are was were has have")
_THEM = word_set("them these those")
_MOST_BEFORE = 60
"""Words before a semicolon that are looked at."""
_NOUN_WITHIN = 4
"""Words behind a number among which its noun is."""
_MOST = 400
_OF_EACH = word_set("other others each else everybody colleagues between rest every duty")
_WHOLE = word_set("the all 's his her their its")
_OUTSTANDING = word_set("overdue late past")


class RowCounts:
    """Numbers of rows that an answer may tell.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        world: The world's rows, for its nouns and states.
        calls: What was written: the keys of what a tool is for, and how often it was called.
        asked: The rows that the instruction names.
        owned: How many rows each of several owners has.
    """

    def __init__(
        self,
        shown: ShownRows,
        texts: TaskTexts,
        world: WorldRows,
        calls: Collection[tuple[frozenset[str], int]],
        *,
        asked: frozenset[Ident],
        owned: OwnedCounts,
    ) -> None:
        self._shown, self._texts, self._world, self._calls = shown, texts, world, calls
        self._asked, self._owned = asked, owned
        self._counted_in: AnswerClause | None = None
        self._counted: dict[str, list[tuple[int, int]]] = {}
        """By kind: where numbers of its rows stand in the sentence of the clause that is read, and which."""

    def candidates(self, clause: AnswerClause, at: int, follows: Sequence[TextToken]) -> Iterator[int]:
        """The numbers of rows that lists and calls have, of the kind and in the state that are told."""
        words = frozenset(token.key for token in follows)
        named = {kind for kind in self.kinds if words & self.kinds[kind]}
        before = {token.text for token in clause.document.tokens[max(0, at - 2) : at]}
        is_rest = bool((before | {token.text for token in follows}) & _OTHER)
        yield from (count for nouns, count in self._calls if nouns & words or not words & self._nouns)
        if any(clause.stated) and not named:
            yield from self._in_state(clause)
            return
        is_of_all = bool(named) and _is_of_all(clause, at)
        owners = clause.sentence_rows if not is_of_all else ()
        yield from (n for owner in owners for n in self._owned.numbers(owner, named))
        for kind in named or self.kinds:
            everything = [ident for ident in self._shown.rows if ident[0] == kind]
            yield from self._by_change(everything)
            yield len({o for ident in self._shown.called for o in self._shown.owned(ident) if o[0] == kind})
            for listed in self._shown.lists:
                is_of_kind = bool(listed.idents) and listed.idents[0][0] == kind
                if is_of_kind and (not is_of_all or self._is_spoken_of(listed, clause)):
                    yield from self._of_list(listed.idents, clause, at if is_rest else -1)

    def _is_spoken_of(self, listed: ShownList, clause: AnswerClause) -> bool:
        """Whether a list is of nobody's rows alone, or of somebody's of whom a sentence may speak."""
        if not clause.sentence_texts.isdisjoint(_OF_EACH):
            return True
        owners = {
            self._shown.ident_under(name, value)
            for name, value in listed.asked.items()
            if is_key(name, value)
        }
        people = clause.sentence_rows | (clause.subject - clause.default) | self._asked
        return not owners or not owners.isdisjoint(people)

    def _in_state(self, clause: AnswerClause) -> Iterator[int]:
        """How many rows are in the states that are told: of lists, and of what calls were made for."""
        for stated in filter(None, clause.stated):
            yield len(stated & self._shown.called)
            yield from (sum(ident in stated for ident in listed.idents) for listed in self._shown.lists)

    @cached_property
    def kinds(self) -> dict[str, frozenset[str]]:
        """The kinds of rows that were shown, each with the keys of what they are called."""
        kinds = dict.fromkeys(kind for kind, _ in self._shown.rows)
        return {kind: keys(kind.removesuffix("_id").replace("_", " ")) for kind in kinds}

    @cached_property
    def _nouns(self) -> frozenset[str]:
        return frozenset(noun[-1] for noun in self._world.nouns)

    def _of_list(self, idents: Sequence[Ident], clause: AnswerClause, rest: int) -> Iterator[int]:
        """What a list has: `rest` is where a number of what is left of it stands, -1 where none does."""
        is_rest = rest >= 0
        table = self._world.table_of(idents[0][0])
        wanted = [
            {(column, value) for (name, column), value in self._world.states[phrase].items() if name == table}
            for phrase, _, _ in clause.states
        ]
        rows = [self._shown.rows[ident] for ident in idents]
        wanted = [each for each in wanted if any(c in row.cells for row in rows for c, _ in each)]
        if wanted:
            chosen = [row for row in rows if all(any(_has(row, c, v) for c, v in each) for each in wanted)]
            yield len(chosen)
            yield from self._numbers_of(chosen, clause)
            if is_rest:
                yield len(chosen) - 1
                yield sum(row.ident not in self._shown.called for row in chosen)
                yield sum(all(len(values) == 1 for values in row.cells.values()) for row in chosen)
            return
        if clause.texts & _OUTSTANDING and self._texts.today:
            today = self._texts.today.isoformat()
            ends = {c for row in rows for c in row.cells if c.startswith(("due", "ends", "end"))}
            if ends:
                yield from (
                    sum(
                        any(isinstance(v, str) and v[:10] < today for v in row.cells.get(c, ()))
                        for row in rows
                    )
                    for c in ends
                )
                return
        behind = clause.document.tokens[rest + 1 : rest + 2]
        is_called = any(row.ident in self._shown.called for row in rows)
        if not (is_rest and is_called and behind and behind[0].text == "other"):
            yield len(rows)
        if is_rest:
            called = sum(row.ident in self._shown.called for row in rows)
            changed = sum(any(len(values) > 1 for values in row.cells.values()) for row in rows)
            yield from (
                len(rows) - each
                for each in {1, called, changed, *self._others_beside(clause, rest, idents[0][0])}
            )
        owners = {ident for ident in clause.sentence_rows if ident not in idents}
        yield from (sum(owner in self._shown.owned(ident) for ident in idents) for owner in owners)
        yield from self._numbers_of(rows, clause)

    def _others_beside(self, clause: AnswerClause, rest: int, kind: str) -> Iterator[int]:
        """The other numbers of a sentence that count rows of a kind: beside them stands what is left."""
        if clause is not self._counted_in:
            self._counted_in, self._counted = clause, {}
        if kind not in self._counted:
            self._counted[kind] = list(_counting(clause, self.kinds[kind]))
        yield from (number for at, number in self._counted[kind] if at != rest)

    def _by_change(self, idents: Sequence[Ident]) -> Iterator[int]:
        """How many rows of a kind calls were made for, changed or left."""
        rows = [self._shown.rows[ident] for ident in idents]
        called = [row for row in rows if row.ident in self._shown.called]
        yield len(called)
        yield sum(any(len(values) > 1 for values in row.cells.values()) for row in rows)

    def _numbers_of(self, rows: Sequence[ShownRow], clause: AnswerClause) -> Iterator[int]:
        """The sum of each column of numbers that the clause tells of."""
        columns: dict[str, int] = {}
        for row in rows:
            for column, values in row.cells.items():
                if type(values[0]) is int and keys(column.replace("_", " ")) & clause.keys:
                    columns[column] = columns.get(column, 0) + values[0]
        yield from columns.values()


def _counting(clause: AnswerClause, nouns: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where numbers of a sentence stand that count what is called so, "6 of the loans", and which."""
    if any(is_past(token.text) for token in clause.words):
        return  # an act is told, and not what there is
    own = clause.chunk.sentence
    begin = first = clause.document.sentences[own].first
    if begin and clause.document.tokens[begin - 1].text == ";":  # "two of them are late; the remaining three"
        first = max(clause.document.sentences[own - 1].first, begin - _MOST_BEFORE)
    words = (*clause.document.tokens[first:begin], *clause.sentence_words)
    for at, token in enumerate(words):
        number = next((n for n in token.values.get("number", ()) if isinstance(n, int) and 0 < n <= _MOST), 0)
        if not number or token.unit:
            continue
        behind = words[at + 1 : at + 1 + _NOUN_WITHIN]
        near = list(takewhile(lambda each: each.kind == "word" and not each.values, behind))
        texts = [each.text for each in near]
        is_bare = texts[:1] and (
            texts[0] in _BEING or (texts[0] == "of" and texts[1:2] and texts[1] in _THEM)
        )
        if is_bare or any(each.key in nouns for each in near):
            yield first + at, number


def _is_of_all(clause: AnswerClause, at: int) -> bool:
    """Whether a number is of all there is of somebody's: "the three fees", "all three fees of hers"."""
    before = clause.document.tokens[max(clause.chunk.first, at - 1) : at]
    return bool(before) and before[0].text in _WHOLE


def _has(row: ShownRow, column: str, value: object) -> bool:
    return value in row.cells.get(column, ())
