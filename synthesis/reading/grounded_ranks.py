"""Grounded ranks: that something is the most, the only one or dearer than another, held against rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.grounded_owners import GroundedOwners
from synthesis.reading.rule_numbers import day_of
from synthesis.reading.shown_row import Cell, Ident
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import keys, word_set

_COST, _SIZE, _TIME, _COUNT = "cost", "size", "time", "count"
_ENDS: dict[str, tuple[int, tuple[str, ...]]] = {
    **dict.fromkeys(("highest", "dearest", "priciest", "costliest"), (1, (_COST, _SIZE))),
    **dict.fromkeys(("lowest", "cheapest"), (-1, (_COST, _SIZE))),
    **dict.fromkeys(("largest", "biggest", "greatest", "heaviest"), (1, (_COST, _SIZE))),
    **dict.fromkeys(("smallest", "lightest"), (-1, (_COST, _SIZE))),
    **dict.fromkeys(("latest", "newest", "youngest", "last"), (1, (_TIME,))),
    **dict.fromkeys(("earliest", "oldest", "soonest", "longest", "first"), (-1, (_TIME,))),
    "shortest": (1, (_TIME,)),
    **dict.fromkeys(("most", "busiest"), (1, (_COUNT,))),
    "fewest": (-1, (_COUNT,)),
}
"""Superlatives: which end of a scale, and of what."""
RANKS = frozenset((*_ENDS, "only", "than", "as"))
"""Words that tell a rank."""
_ALIKE = (
    word_set("lowest cheapest smallest lightest least"),
    word_set("highest dearest largest biggest greatest heaviest most"),
    word_set("earliest first oldest soonest longest"),
    word_set("latest newest last"),
)
_ORDERS = {"more": 1, "dearer": 1, "higher": 1, "less": -1, "cheaper": -1, "lower": -1, "same": 0}
_PRICING = word_set("cost costs price prices pay pays rate charge cheaper dearer expensive day")
_ORDERING = word_set("from to")
_OF_TIME, _UNREAL = word_set("earliest soonest latest"), word_set("would could")
_LOADS = keys("load workload queue pile")
_OF_NUMBERS = frozenset(("lowest", "highest"))
_AMBIGUOUS = word_set("first last most")
_OWNERS = word_set("the his her their our its")
_OF_TWO = word_set("first last earlier later")
_COUNTING = keys("count stand stay keep remain")
_RULES = word_set("rule rules policy")
_UNIVERSAL = word_set("we all any everybody everyone ever our")


class GroundedRanks:
    """Ranks that an answer may tell.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        owners: How many rows somebody has.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts, owners: GroundedOwners) -> None:
        self._shown, self._texts, self._owners = shown, texts, owners

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The ranks of a clause that nothing bears out, in words."""
        tokens = clause.document.tokens
        if self._compares_wrongly(clause):
            yield "how prices compare"
        for at in clause.places:
            text, before = tokens[at].text, tokens[at - 1].text if at else ""
            if tokens[at].text in _OF_TIME and tokens[at + 1 : at + 2] and tokens[at + 1].text in _UNREAL:
                continue  # "the earliest would be in a few days"
            if at >= 2 and tokens[at - 2].text in _ORDERING:
                continue  # "from the oldest to the newest"
            if (
                text in _ENDS
                and not (text == "most" and self._is_no_rank(tokens, at))
                and (text not in _AMBIGUOUS or before in _OWNERS)
                and not (text == "first" and _is_numbering(clause))
                and not (text in _OF_TWO and _says_what_counts(clause, at))
                and not (clause.texts & _RULES and text in self._ruled & _OF_TWO)
                and not self._is_ranked(text, at, clause)
            ):
                yield f"the {text}"
            elif text == "only" and before in _OWNERS and not self._is_the_only_one(clause):
                yield "the only one"

    @staticmethod
    def _is_no_rank(tokens: Sequence[TextToken], at: int) -> bool:
        """Whether "the most" is of time or what rules allow: "the most recent", "the most that we charge"."""
        follows = [token.text for token in tokens[at + 1 : at + 3]]
        return follows[:1] == ["recent"] or follows in (["that", "we"], ["we", "charge"], ["we", "may"])

    @cached_property
    def _ruled(self) -> frozenset[str]:
        """The words of the rules."""
        return frozenset(token.text for token in self._texts.rules.tokens)

    def _is_the_only_one(self, clause: AnswerClause) -> bool:
        is_without = self._owners.is_without(clause)
        return self._is_alone(clause) if is_without is None else is_without

    def _compares_wrongly(self, clause: AnswerClause) -> bool:
        """Whether a price is compared with another row's, or with what it was, and is not so."""
        texts = clause.sentence_texts
        words = [token.text for token in clause.words]
        order = next((_ORDERS[text] for text in words if text in _ORDERS), None)
        if order is None or not texts & _PRICING:
            return False
        if "would" in clause.texts and clause.named:
            return self._would_not(order, clause.named[-1].rows)
        if not {"than", "as"} & clause.texts:
            return False
        if "before" in clause.texts:
            steps = [(v[0], v[-1]) for v in self._prices(clause.default) if len(v) > 1]
            return bool(steps) and not any(_sign(new, old) == order for old, new in steps)
        if not clause.named:
            return False
        last = clause.named[-1]
        mine = clause.sentence_rows - last.rows or clause.default - last.rows
        own, others = self._prices(mine), self._prices(last.rows)
        pairs = [(one[-1], other[-1]) for one in own for other in others]
        return bool(pairs) and not any(_sign(one, other) == order for one, other in pairs)

    def _would_not(self, order: int, rows: frozenset[Ident]) -> bool:
        """Whether something is told to have been cheaper, or dearer, than what was taken, and was not."""
        kinds = {kind for kind, _ in rows}
        taken = frozenset(row for row in self._owners.given if row[0] in kinds and row not in rows)
        pairs = [(one[-1], other[-1]) for one in self._prices(rows) for other in self._prices(taken)]
        return bool(pairs) and not any(_sign(one, other) == order for one, other in pairs)

    def _prices(self, rows: frozenset[Ident]) -> list[list[int]]:
        """The amounts of some rows by column, as they were one after another."""
        return [
            [value for value in values if isinstance(value, int)]
            for ident in rows
            if ident in self._shown.rows
            for column, values in self._shown.rows[ident].cells.items()
            if column.endswith("cents") and isinstance(values[0], int)
        ]

    def _is_ranked(self, text: str, at: int, clause: AnswerClause) -> bool:
        end, scales = _ENDS[text]
        counted = self._owners.is_at_end(clause, end)
        follows = clause.document.tokens[at + 1 : at + 2]
        of_numbers = text in _OF_NUMBERS or any(word.key in _LOADS for word in follows)
        if counted is not None and (_COUNT in scales or (counted and of_numbers)):
            return counted
        matches = self._is_known_end(end, scales, clause.sentence_rows or clause.subject)
        first, last = max(clause.chunk.first, at - 1), min(at + 6, clause.chunk.last)
        around = {token.text for token in clause.document.tokens[first:last]}
        asked = (
            any(text in group and group & self._texts.words for group in _ALIKE) or text in self._texts.words
        )
        if matches is False and self._is_behind_another(end, scales, clause):
            return False
        if matches or (asked and not around & _UNIVERSAL):
            return True
        return matches is None and text in self._ruled and not around & _UNIVERSAL

    def _is_behind_another(self, end: int, scales: Sequence[str], clause: AnswerClause) -> bool:
        """Whether what is ranked is told by its code, and is not at the end of a list whose rows are all in
        one state: "the oldest is CH-1"."""
        coded = [each.rows for each in clause.named if clause.document.tokens[each.first].kind == "code"]
        (rows,) = coded if len(coded) == 1 else (frozenset(),)
        results = [
            self._is_at_end(next(iter(rows)), listed.idents, end, scales)
            for listed in self._shown.lists
            if len(rows) == 1 and rows <= frozenset(listed.idents) and self._is_of_one_state(listed.idents)
        ]
        return bool(results) and all(result is False for result in results)

    def _is_of_one_state(self, idents: Sequence[Ident]) -> bool:
        states = {tuple(self._shown.rows[ident].cells.get("status", ())[:1]) for ident in idents}
        return len(idents) > 1 and len(states) == 1

    def _is_known_end(self, end: int, scales: Sequence[str], rows: frozenset[Ident]) -> bool | None:
        """Whether one of some rows is at the end of a list; None where nothing shows it."""
        results = [
            self._is_at_end(mine, listed.idents, end, scales)
            for listed in self._shown.lists
            if len(listed.idents) > 1
            for mine in self._mine(listed.idents, rows)
        ]
        known = [result for result in results if result is not None]
        return any(known) if known else None

    def _mine(self, idents: Sequence[Ident], rows: frozenset[Ident]) -> list[Ident]:
        """The one row of a list that is spoken of, or that what is spoken of belongs to."""
        own = [ident for ident in idents if ident in rows]
        own = own or [ident for ident in idents if self._shown.owned(ident) & rows]
        return own if len(own) == 1 else []

    def _is_at_end(self, one: Ident, idents: Sequence[Ident], end: int, scales: Sequence[str]) -> bool | None:
        known = None
        for column, values in self._shown.rows[one].cells.items():
            if _scale(column, values[0]) not in scales:
                continue
            cells = [self._shown.rows[each].cells.get(column, [None])[0] for each in idents if each != one]
            others: list[Any] = [each for each in cells if type(each) is type(values[0])]
            if not others or len({*others, *values}) == 1:
                continue
            most, least = max(others), min(others)
            alike: list[Any] = [each for each in values if type(each) is type(values[0])]
            known = known or any(v >= most if end > 0 else v <= least for v in alike)
        return known

    def _looked_up(self, asked: Mapping[str, Any], idents: Sequence[Ident]) -> bool:
        """Whether a list is what was found under a name or a number, where one row is no wonder."""
        values = {value for value in asked.values() if isinstance(value, str)}
        return any(
            value in values for column, value in self._shown.cells(idents) if column in ("name", "number")
        )

    def _is_alone(self, clause: AnswerClause) -> bool:
        """Whether a list has one row only, of those in the state that is told, or it was asked so."""
        if "only" in self._texts.words:
            return True
        for listed in self._shown.lists:
            idents = listed.idents
            if self._looked_up(listed.asked, idents):
                continue
            chosen = [ident for ident in idents if all(ident in stated for stated in clause.stated if stated)]
            fits = any(
                ident in clause.subject or self._shown.owned(ident) & clause.subject for ident in idents
            )
            if len(chosen) == 1 and fits and (clause.stated or listed.total == 1):
                return True
        return False


def _says_what_counts(clause: AnswerClause, at: int) -> bool:
    """Whether a clause tells which of two counts, which is held against the rules, "the first counts", or
    only what comes before or after: "two days after the first one"."""
    before = [word.text for word in clause.document.tokens[max(0, at - 2) : at]]
    is_relative = before[1:] == ["the"] and before[0] in ("after", "before", "than")
    return is_relative or any(word.key in _COUNTING for word in clause.document.tokens[at + 1 : at + 3])


def _is_numbering(clause: AnswerClause) -> bool:
    """Whether an answer tells one thing after the other: "the first is Ada, the second is Bo"."""
    return any(token.text == "second" for token in clause.document.tokens)


def _sign(one: int, other: int) -> int:
    return (one > other) - (one < other)


def _scale(column: str, value: Cell) -> str:
    if column.endswith("cents"):
        return _COST
    if isinstance(value, str):
        return _TIME if day_of(value) else ""
    return "" if column.endswith("id") else _SIZE
