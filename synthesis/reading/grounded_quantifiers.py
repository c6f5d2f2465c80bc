"""Grounded quantifiers: what an answer says of all, none or so many of rows that it has listed or counted.

"Both are overdue", "all of them are urgent", "three others are past due": what is told of them is a state
of a column, or that the day on which they are due or end is over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date
from typing import Any

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.document import Phrase
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.rule_numbers import day_of
from synthesis.reading.shown_row import Ident, is_key
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows

_ALL, _NONE, _OTHERS = word_set("both all each every"), word_set("neither none"), word_set("other others")
_QUANTIFYING = _ALL | _NONE | _OTHERS
_POINTING = word_set("of them these those the which ones us two three four five six seven eight nine ten")
_BEING = word_set("is are was were")
_BETWEEN = word_set("already ever now also currently still all both at present moment the yet a an")
_OVER, _PAST, _DUE = word_set("overdue late"), word_set("past over"), "due"
_ENDING = ("due", "end")
_UNREAL = CONDITIONS | word_set("would could should might may must will by than until before after when")
_HOURS = ("hour", "time")
_LINKS = word_set("with by for to of")
_PAIR, _SUBJECT_WITHIN, _MOST = 2, 5, 60

_Test = Callable[[Ident], bool | None]


class GroundedQuantifiers:
    """What may be said of all, none or so many of some rows.

    Args:
        shown: The rows that results show.
        world: The world's rows, for their states.
        today: The day of the clock; None where it is not known.
    """

    def __init__(self, shown: ShownRows, world: WorldRows, today: date | None) -> None:
        self._shown, self._world, self._today = shown, world, today

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says of all, none or so many of some rows, where that is not so, in words."""
        if clause.texts.isdisjoint(_QUANTIFYING):
            return
        if len(clause.named) == 1 and self._are_of_others(clause):
            yield f"that all are of {' '.join(clause.named[0].phrase)}"
        if clause.named or clause.texts & _UNREAL:
            return
        being = next((at for at, word in enumerate(clause.words) if word.text in _BEING), 0)
        subject, predicate = clause.words[:being], clause.words[being + 1 :]
        if not 0 < being <= _SUBJECT_WITHIN or not _is_quantified(subject) or not predicate:
            return
        for words, test in self._predicates(predicate):
            groups = [[*map(test, group)] for group in self._groups(clause, subject)]
            known = [group for group in groups if group and None not in group]
            is_denied = not NEGATIONS.isdisjoint(word.text for word in predicate)
            if known and not is_denied and not any(_holds(subject, group) for group in known):
                yield f"that {subject[0].text} are {words}"

    def _are_of_others(self, clause: AnswerClause) -> bool:
        """Whether all of some rows are told to be with, by or for one whom not all of them have: "all of them
        are handled by Bo Hale"."""
        (each,) = clause.named
        first = each.first - clause.chunk.first
        being = next((at for at, word in enumerate(clause.words[:first]) if word.text in _BEING), 0)
        subject, link = clause.words[:being], clause.words[first - 1 : first]
        if not 0 < being <= _SUBJECT_WITHIN or not _is_quantified(subject) or link[0].text not in _LINKS:
            return False
        if not {word.text for word in subject} & _ALL or not clause.texts.isdisjoint(NEGATIONS):
            return False
        kinds = {kind for kind, _ in each.rows}
        groups = [
            [row for row in group if any(kind in kinds for kind, _ in self._shown.rows[row].refers)]
            for group in self._groups(clause, subject)
        ]
        if not self._named_before(clause, 0) and self._names_an_owner(clause):
            return False
        groups = [group for group in groups if len(group) > 1]
        return bool(groups) and not any(
            all(each.rows & self._shown.rows[row].refers for row in group) for group in groups
        )

    def _names_an_owner(self, clause: AnswerClause) -> bool:
        """Whether the sentence before a clause names somebody whose own rows may be meant."""
        before = clause.document.sentences[max(0, clause.chunk.sentence - 1)]
        named = frozenset(
            row
            for each in self._shown.names_in(clause.document)
            if before.first <= each.first < clause.chunk.first
            for row in each.rows
        )
        owners = {
            self._shown.ident_under(name, value)
            for listed in self._shown.lists
            for name, value in listed.asked.items()
            if is_key(name, value)
        }
        return not named.isdisjoint(owners)

    def _predicates(self, predicate: Sequence[TextToken]) -> Iterator[tuple[str, _Test]]:
        """What is told of the rows, in words, and whether a row is so."""
        texts = [word.text for word in predicate if word.text not in _BETWEEN]
        is_past_due = any(text in _PAST for text in texts) and _DUE in texts
        if self._today is not None and texts and (texts[0] in _OVER or is_past_due):
            yield "overdue", self._is_over
            return
        for size in (3, 2, 1):
            phrase = tuple(texts[:size])
            several = (*phrase[:-1], phrase[-1].removesuffix("s")) if phrase else ()
            for each in (phrase, several):
                if each and each in self._world.states:
                    yield " ".join(phrase), lambda ident, each=each: self._is_in(ident, each)  # type: ignore[misc]
                    return

    def _is_in(self, ident: Ident, phrase: Phrase) -> bool | None:
        """Whether a row is in a state; None where it has no column for it."""
        cells, table = self._shown.rows[ident].cells, self._world.table_of(ident[0])
        columns = [
            (column, value)
            for (name, column), value in self._world.states[phrase].items()
            if name == table and cells.get(column)
        ]
        return any(value in cells[column] for column, value in columns) if columns else None

    def _is_over(self, ident: Ident) -> bool | None:
        """Whether the day on which a row is due or ends is over; None where that is not known."""
        cells = self._shown.rows[ident].cells
        ends = [
            day
            for column, values in cells.items()
            if column.startswith(_ENDING) and isinstance(values[0], str) and (day := day_of(values[0]))
        ]
        has_hours = any(word in column for column in cells for word in _HOURS)
        if not ends or self._today is None or (has_hours and self._today in ends):
            return None
        return min(ends) < self._today

    def _groups(self, clause: AnswerClause, subject: Sequence[TextToken]) -> Iterator[Collection[Ident]]:
        """The rows that may be meant: those that the sentence before names, or that were listed of what is
        spoken of; as many as are told where that is all of them."""
        texts = {word.text for word in subject}
        size = _PAIR if texts & {"both", "neither"} else 0
        if not size and texts & _ALL:
            size = next(filter(None, map(_number, subject)), 0)
        if named := self._named_before(clause, size):
            yield named
            return
        rows = clause.subject | clause.default
        for listed in self._shown.lists:
            owners = [self._shown.ident_under(name, v) for name, v in listed.asked.items() if is_key(name, v)]
            is_spoken_of = any(owner in rows for owner in owners) or not rows.isdisjoint(listed.idents)
            is_whole = len(listed.idents) == listed.total
            if is_spoken_of and is_whole and 1 < listed.total <= _MOST and size in (0, listed.total):
                yield listed.idents

    def _named_before(self, clause: AnswerClause, size: int) -> frozenset[Ident]:
        """The rows of one kind that the sentence before a clause names, where it names several."""
        sentence = clause.document.sentences[max(0, clause.chunk.sentence - 1)]
        named = [
            ident
            for each in self._shown.names_in(clause.document)
            if sentence.first <= each.first < clause.chunk.first
            for ident in each.rows
        ]
        kinds = dict.fromkeys(kind for kind, _ in named)
        groups = [frozenset(ident for ident in named if ident[0] == kind) for kind in kinds]
        several = [group for group in groups if len(group) > 1 and size in (0, len(group))]
        return several[-1] if several else frozenset()


def _is_quantified(subject: Sequence[TextToken]) -> bool:
    """Whether the subject of a clause is a quantity of what was told before it, with no noun of its own."""
    texts = [word.text for word in subject]
    return not _QUANTIFYING.isdisjoint(texts) and all(
        text in _QUANTIFYING or text in _POINTING or _number(word)
        for text, word in zip(texts, subject, strict=True)
    )


def _number(word: TextToken) -> int:
    """The small number that a word tells; 0 where it tells none."""
    numbers: Sequence[Any] = [*word.values.get("number", ())]
    return next((n for n in numbers if isinstance(n, int) and 0 < n <= _MOST), 0)


def _holds(subject: Sequence[TextToken], group: Sequence[bool | None]) -> bool:
    """Whether so many of a group are as told: "both", "none of them", "three others"."""
    texts = {word.text for word in subject}
    if texts & _ALL:
        return all(group)
    if texts & _NONE:
        return not any(group)
    number = next(filter(None, map(_number, subject)), 0)
    return sum(map(bool, group)) - 1 == number if number else sum(map(bool, group)) > 0
