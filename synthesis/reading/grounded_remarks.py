"""Grounded remarks: what an answer says a thing is or has, held against the columns that tell it.

Columns of numbers tell whether there is any left, columns of yes and no whether somebody has or is something,
and two moments of a row whether it was in time.
"""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_row import Cell, Ident
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import atoms, keys, word_set

_UNREAL = CONDITIONS | word_set("would could should might was were had before until then")
_GONE = (
    ("sold", "out"),
    ("out", "of", "stock"),
    ("not", "in", "stock"),
    ("none", "left"),
    ("fully", "booked"),
    ("no", "places", "left"),
    ("is", "full"),
)
_LEFT = keys("stock left available remaining")
_HAS, _IS = "has", "is"
_VERBS = {_HAS: word_set("has have"), _IS: word_set("is are")}
_NONE = word_set("none neither nobody")
"""Words by which what a clause is about is denied from afar: "none of them is for members"."""
_IN_TIME = (("in", "time"), ("on", "time"), ("on", "schedule"))
_GONE_WORDS, _TIME_WORDS = frozenset(each[-1] for each in _GONE), frozenset(each[-1] for each in _IN_TIME)
_VERB_WORDS = frozenset().union(*_VERBS.values())
_ENDS = ("due", "ends", "end", "until")
_OVER = ("returned", "closed", "back", "completed", "arrived", "delivered", "finished", "ended")
_SHORTEST = 10


class GroundedRemarks:
    """Remarks that an answer may make.

    Args:
        shown: The rows that results show.
    """

    def __init__(self, shown: ShownRows) -> None:
        self._shown = shown

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The remarks of a clause that the rows which it speaks of contradict, in words."""
        if clause.texts & _UNREAL:
            return
        texts = [token.text for token in clause.words]
        if not _GONE_WORDS.isdisjoint(texts):
            yield from self._not_gone(clause, texts)
        if not _VERB_WORDS.isdisjoint(texts):
            yield from self._answered_otherwise(clause, texts)
        if not _TIME_WORDS.isdisjoint(texts):
            yield from self._late(clause, texts)

    def _not_gone(self, clause: AnswerClause, texts: list[str]) -> Iterator[str]:
        """That nothing is left of what a clause names, where some is."""
        for phrase in _GONE:
            at = _place_of(phrase, texts)
            rows = frozenset().union(*(each.rows for each in clause.named)) if at >= 0 else frozenset()
            left = [numbers[-1] for numbers in self._numbers_left(rows)]
            if left and all(isinstance(number, int) and number > 0 for number in left):
                yield f"that something is {' '.join(phrase)}"

    def _numbers_left(self, rows: frozenset[Ident]) -> Iterator[list[Cell]]:
        for ident in rows & self._shown.rows.keys():
            for column, values in self._shown.rows[ident].cells.items():
                is_number = values and type(values[-1]) is int and not column.endswith(("_id", "_cents"))
                if is_number and not keys(column.replace("_", " ")).isdisjoint(_LEFT):
                    yield values

    @cached_property
    def _questions(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """The columns of yes and no, by name: the verb that asks for one, and what it asks for."""
        columns: dict[str, tuple[str, tuple[str, ...]]] = {}
        for column in self._shown.columns:
            verb, _, rest = column.partition("_")
            if verb in _VERBS and rest:
                columns[column] = verb, atoms(rest.replace("_", " "))
        return columns

    def _answered_otherwise(self, clause: AnswerClause, texts: list[str]) -> Iterator[str]:
        """That somebody has or is what a column says they have not or are not."""
        for column, (verb, phrase) in self._questions.items():
            at = _place_of(phrase, texts)
            before = texts[max(0, at - 3) : at] if at > 0 else []
            if not any(word in _VERBS[verb] for word in before):
                continue
            is_denied = bool(NEGATIONS.intersection(before) or _NONE.intersection(texts[:at]))
            rows = clause.subject or clause.default
            values = {
                cell
                for ident in self._shown.around(rows) & self._shown.rows.keys()
                for cell in self._shown.rows[ident].cells.get(column, ())
            }
            if values and values <= {0, 1} and not any(bool(value) is not is_denied for value in values):
                yield f"that it {verb} {' '.join(phrase)}"

    def _late(self, clause: AnswerClause, texts: list[str]) -> Iterator[str]:
        """That something was in time, all of whose ends are after they were due."""
        if all(_place_of(phrase, texts) < 0 for phrase in _IN_TIME) or clause.texts & NEGATIONS:
            return
        pairs = [
            (over, due)
            for ident in self._shown.around(clause.subject or clause.default) & self._shown.rows.keys()
            for over, due in self._ends_of(ident)
        ]
        if pairs and all(over[: len(due)] > due[: len(over)] for over, due in pairs):
            yield "that something was in time"

    def _ends_of(self, ident: Ident) -> Iterator[tuple[str, str]]:
        """When a row was over, with when that was due, as ISO texts."""
        cells = self._shown.rows[ident].cells
        over = [values[-1] for column, values in cells.items() if column.startswith(_OVER)]
        due = [values[-1] for column, values in cells.items() if column.startswith(_ENDS)]
        yield from (
            (one, other)
            for one in over
            for other in due
            if isinstance(one, str) and isinstance(other, str) and min(len(one), len(other)) >= _SHORTEST
        )


def _place_of(phrase: tuple[str, ...], texts: list[str]) -> int:
    """Where a phrase begins among some words; -1 where it does not stand."""
    size = len(phrase)
    return next((at for at in range(len(texts) - size + 1) if tuple(texts[at : at + size]) == phrase), -1)
