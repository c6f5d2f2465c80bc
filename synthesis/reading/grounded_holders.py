"""Grounded holders: who an answer says a written row went to, came from or is for, held against that row.

"It went to Ada Lund" is borne out where the row that was written refers to her, "taken over from Bo Hale"
where it did before, and "CD-4, for Hugo Vale" where its row has that customer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.deeds import TELLING
from synthesis.reading.phrases import CONDITIONS, EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.shown_row import Ident, Named, is_key, noun_of, nouns_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import keys, word_set
from synthesis.reading.written_rows import WrittenRows

_UNREAL = (
    NEGATIONS | CONDITIONS | ELSEWHERE | word_set("would could should might may can will must instead nearly")
)
_GIVING = word_set(
    "went goes gone go given gave assigned reassigned passed moved handed transferred assign give belongs"
)
_LYING = word_set(
    "is are was were lies lie rests rest now both all currently remains remain stays stay still kept"
)
_TAKING = word_set(
    "taken took moved reassigned passed transferred over came come away taking off inherited removed"
)
_BEFORE = EARLIER | word_set("had before until")
_ALL = word_set("both all each everything")
_POINTING = word_set("it they both them all everything")
_LASTING = word_set("stays stay remains remain stayed remained still")
_LAST, _FIRST = word_set("last final"), word_set("first")
_TOGETHER = word_set(", ( is was are were one the which that who")
_FOR = word_set("for of")
_IT_IS = (("it", "is"), ("it", "was"), ("that", "is"), ("that", "was"), ("this", "is"), ("it", "'s"))
_NEAR, _FAR, _PAIR = 3, 8, 2
_MESSAGES = TELLING | keys("notice note reminder")


class GroundedHolders:
    """Whom rows went to, came from or are for, as an answer may tell it.

    Args:
        shown: The rows that results show.
        written: Those of them that calls wrote.
        values: Arguments and result of each call, in order.
    """

    def __init__(self, shown: ShownRows, written: WrittenRows, values: Sequence[Any]) -> None:
        self._shown, self._written, self._values = shown, written, values

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """Who a clause says has a row that is somebody else's, in words."""
        if not clause.named or clause.texts & _UNREAL:
            return
        for each in clause.named:
            owners = self._shown.alone(each)
            if (
                self._written
                and self._is_given_to(clause, each)
                and self._went_elsewhere(clause, each, owners)
            ):
                yield f"that it went to {' '.join(each.phrase)}"
            if (
                self._written
                and self._is_taken_from(clause, each)
                and self._came_from_elsewhere(clause, each, owners)
            ):
                yield f"that it came from {' '.join(each.phrase)}"
            if self._written and self._is_for_another(clause, each, owners):
                yield f"that it is for {' '.join(each.phrase)}"
            if self._is_of_somebody_else(clause, each, owners):
                yield f"that it is {' '.join(each.phrase)}"
            if self._is_not_for_all(clause, each, owners):
                yield f"that all are for {' '.join(each.phrase)}"
            if self._written and self._is_not_last(clause, each, owners):
                yield f"that {' '.join(each.phrase)} is the last"

    @staticmethod
    def _before(clause: AnswerClause, at: int, number: int) -> list[str]:
        first = max(clause.chunk.first, at - number)
        return [token.text for token in clause.document.tokens[first:at]]

    def _is_given_to(self, clause: AnswerClause, each: Named) -> bool:
        before = self._before(clause, each.first, _FAR)
        if clause.document.tokens[each.first].kind == "code" or before[-_NEAR:][:2] == ["handed", "over"]:
            return False
        if before in (["the", "first", "to"], ["the", "last", "to"], ["the", "other", "to"]):
            return not _GIVING.isdisjoint(clause.sentence_texts)  # "the last went to Ada, the first to Bo"
        if before[-1:] == ["to"]:
            return not _GIVING.isdisjoint(before[-_NEAR:])
        return before[-1:] == ["with"] and not _LYING.isdisjoint(before[-_NEAR:])

    def _is_taken_from(self, clause: AnswerClause, each: Named) -> bool:
        before = self._before(clause, each.first, _FAR)
        return before[-1:] == ["from"] and not _TAKING.isdisjoint(before)

    def _went_elsewhere(self, clause: AnswerClause, each: Named, owners: frozenset[Ident]) -> bool:
        """Whether none of the rows that may be meant refers to one of some owners now; where all are meant,
        whether one does not."""
        if messages := self._messages(clause):
            got = [bool(owners & self._shown.rows[row].refers) for row in messages]
            together = clause.texts & _ALL - {"each"} and len(clause.named) == 1
            return not (all(got) if together else any(got))
        was = not clause.texts.isdisjoint(_BEFORE)
        rows = self._meant(clause, each, owners)
        if not clause.texts.isdisjoint(_LASTING):  # "it stays assigned to Ada Lund until then"
            names = self._shown.names_in(clause.document)
            coded = [one for one in names if clause.document.tokens[one.first].kind == "code"]
            before = [one.rows for one in coded if one.last <= each.first]
            rows = [*rows, *self._of_kinds(list(before[-1] if before else ()), owners)]
        has = [bool(owners & (self._shown.rows[row].refers if was else self._left_to(row))) for row in rows]
        return bool(has) and not (all(has) if clause.texts & _ALL and len(has) > 1 else any(has))

    def _messages(self, clause: AnswerClause) -> frozenset[Ident]:
        """The messages that were sent, where a clause speaks of such: "one letter each went to Ada Lund"."""
        return self._written.called(_MESSAGES & clause.keys)

    def _came_from_elsewhere(self, clause: AnswerClause, each: Named, owners: frozenset[Ident]) -> bool:
        rows = self._meant(clause, each, owners) or self._of_kinds(self._written.in_order, owners)
        return bool(rows) and not any(owners & self._shown.rows[row].refers for row in rows)

    def _meant(self, clause: AnswerClause, each: Named, owners: frozenset[Ident]) -> Sequence[Ident]:
        """The rows of which a clause says who has them: those it names before, or the written ones of what it
        speaks of, the last of them or the first where it says so."""
        named = [one for one in clause.named if one.last <= each.first]
        rows = self._of_kinds(
            [
                row
                for one in named
                for row in self._shown.alone(one)
                if clause.document.tokens[one.first].kind == "code"
            ],
            owners,
        )
        if rows:
            return rows
        if rows := self._of_kinds(list(self._right_before(clause)), owners):
            return rows
        spoken = {token.key for token in clause.document.tokens[clause.chunk.first : each.first]}
        texts = {token.text for token in clause.document.tokens[clause.chunk.first : each.first]}
        nouns = [kind for kind, noun in self._nouns.items() if noun in spoken]
        if (
            not nouns
            and texts.isdisjoint(_POINTING)
            and texts not in ({"the", "first", "to"}, {"the", "last", "to"})
        ):
            return ()
        rows = self._of_kinds(self._written.in_order, owners)
        rows = [row for row in rows if not nouns or row[0] in nouns]
        in_order = [row for row in self._in_order if row in rows] if len(rows) > 1 else rows
        if texts & (_LAST | _FIRST) and len(in_order) == len(rows):
            return in_order[-1:] if texts & _LAST else in_order[:1]
        return rows

    def _right_before(self, clause: AnswerClause) -> frozenset[Ident]:
        """The row of a code that stands right before a clause: "the other, RF-2, is with Ada Lund"."""
        ends = (clause.chunk.first, clause.chunk.first - 1)
        tokens = clause.document.tokens
        codes = [
            one
            for one in self._shown.names_in(clause.document)
            if one.last in ends and tokens[one.first].kind == "code"
        ]
        is_on = clause.chunk.begins_with == "," and clause.words[0].text in _LYING | _GIVING
        return self._shown.alone(codes[-1]) if codes and is_on else frozenset()

    @cached_property
    def _in_order(self) -> list[Ident]:
        """The written rows in the order of the calls whose results first show what became of them."""
        ordered: dict[Ident, None] = {}
        for each in self._values:
            result = each[1] if isinstance(each, list | tuple) and len(each) == _PAIR else each
            row = self._shown.ident_of(result) if isinstance(result, dict) else None
            if row in self._written.idents and self._keys_of(result.items()) >= self._refers(row):
                ordered.setdefault(row)
        return list(ordered)

    def _of_kinds(self, rows: Sequence[Ident], owners: frozenset[Ident]) -> list[Ident]:
        """Those of some rows that refer to somebody of the owners' kind."""
        kinds = {kind for kind, _ in owners}
        return [
            row
            for row in dict.fromkeys(rows)
            if row in self._shown.rows and any(kind in kinds for kind, _ in self._refers(row))
        ]

    def _refers(self, row: Ident) -> frozenset[Ident]:
        """What a row refers to, as calls left it where they wrote it."""
        left = self._keys_of(self._written.last(row)) - {row}
        return left or frozenset(self._shown.rows[row].refers)

    def _left_to(self, row: Ident) -> frozenset[Ident]:
        """What a row refers to since it was written, and what a row was that was written about it: the one to
        whom it was handed over."""
        about = self._written.about((row,)) - {row}
        return self._refers(row).union(*map(self._refers, about))

    def _keys_of(self, cells: Iterable[tuple[str, Any]]) -> frozenset[Ident]:
        """The rows whose keys some cells hold, or rows within it."""
        listed: list[tuple[str, Any]] = []
        for name, value in cells:
            listed += value.items() if isinstance(value, dict) else [(name, value)]
        return frozenset(
            self._shown.ident_under(name, value) for name, value in listed if is_key(name, value)
        )

    def _is_for_another(self, clause: AnswerClause, each: Named, owners: frozenset[Ident]) -> bool:
        """Whether a name is told beside a code whose row has another of its kind: "CD-4, for Hugo Vale"."""
        before = [one for one in self._shown.names_in(clause.document) if one.last <= each.first]
        if not before or clause.document.tokens[before[-1].first].kind != "code":
            return False
        between = [token.text for token in clause.document.tokens[before[-1].last : each.first]]
        if not between or between[-1] not in _FOR or not _TOGETHER.issuperset(between[:-1]):
            return False
        rows = self._of_kinds(list(self._shown.alone(before[-1])), owners)
        return bool(rows) and not any(owners & self._shown.rows[row].refers for row in rows)

    def _is_of_somebody_else(self, clause: AnswerClause, each: Named, owners: frozenset[Ident]) -> bool:
        """Whether somebody is told to be the one on a row that is another's: "the clerk on it is Bo Hale"."""
        before = self._before(clause, each.first, _FAR)
        if before[-1:] != ["is"] or before[-3:-2] not in (["on"], ["for"], ["of"]):
            return False
        named = [one for one in self._shown.names_in(clause.document) if one.last <= each.first]
        codes = [one for one in named if clause.document.tokens[one.first].kind == "code"]
        rows = self._of_kinds(list(self._shown.alone(codes[-1])), owners) if codes else []
        is_near = before[-2:-1] == ["it"] or (bool(codes) and codes[-1].last == each.first - 1)
        return is_near and bool(rows) and not any(owners & self._everybody(row) for row in rows)

    def _everybody(self, row: Ident) -> frozenset[Ident]:
        """What a row refers to, before and after calls wrote it, and who has it since."""
        return frozenset(self._shown.rows[row].refers) | self._left_to(row)

    def _is_not_for_all(self, clause: AnswerClause, each: Named, owners: frozenset[Ident]) -> bool:
        """Whether all of somebody's rows are told to be for one, and one is not: "both are for Ada Lund"."""
        before = self._before(clause, each.first, _FAR)
        if (
            before[-1:] != ["for"]
            or not before
            or before[0] not in _ALL
            or before[-2:-1] not in (["are"], ["is"])
        ):
            return False
        named = [one for one in self._shown.names_in(clause.document) if one.last <= clause.chunk.first]
        whose = self._shown.alone(named[-1]) if named else frozenset()
        lists = [
            rows
            for listed in self._shown.lists
            if any(
                self._shown.ident_under(name, key) in whose
                for name, key in listed.asked.items()
                if is_key(name, key)
            )
            and (rows := self._of_kinds(listed.idents, owners))
        ]
        return bool(lists) and all(any(not owners & self._everybody(row) for row in rows) for rows in lists)

    def _is_not_last(self, clause: AnswerClause, each: Named, owners: frozenset[Ident]) -> bool:
        """Whether a code that is told as the last is of a row which was written before others of its kind."""
        if clause.document.tokens[each.first].kind != "code" or len(owners) != 1:
            return False
        if not self._is_called_last(clause, each):
            return False
        alike = [row for row in self._in_order if row[0] == next(iter(owners))[0]]
        return len(alike) >= _PAIR and alike[-1] not in owners and owners <= set(alike)

    def _is_called_last(self, clause: AnswerClause, each: Named) -> bool:
        document = clause.document
        sentence = document.sentences[clause.chunk.sentence]
        nouns = keys("one") | frozenset(self._nouns.values())
        before = document.tokens[max(sentence.first, each.first - _FAR) : each.first]
        place = len(before) - 1
        words = self._words_of_kinds
        while place >= 0 and (before[place].text in _TOGETHER or before[place].key in nouns | words):
            place -= 1
        if place >= 0 and before[place].text in _LAST:
            return True
        after = [token.text for token in document.tokens[each.last : each.last + _NEAR]]
        if after[:2] == [",", "the"] and after[2:3] and after[2] in _LAST:
            return True
        opening = tuple(token.text for token in document.tokens[sentence.first : each.first])
        if opening not in _IT_IS or not clause.chunk.sentence:
            return False
        earlier = document.sentences[clause.chunk.sentence - 1]
        texts = {token.text for token in document.tokens[earlier.first : earlier.last]}
        return not _LAST.isdisjoint(texts)

    @cached_property
    def _nouns(self) -> dict[str, str]:
        """The kinds of written rows with the key of the last word of what they are called, where no other
        kind has it."""
        nouns = {kind: noun_of(kind) for kind in self._written.kinds}
        return {kind: noun for kind, noun in nouns.items() if list(nouns.values()).count(noun) == 1}

    @cached_property
    def _words_of_kinds(self) -> frozenset[str]:
        return frozenset().union(*(nouns_of(kind) for kind in self._written.kinds))
