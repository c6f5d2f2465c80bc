"""Grounded bearers: whose a day or an amount is, where an answer says so right behind it.

"The first is due on 3 May, that of Ada Lund" tells two things: the day, which is held against the rows by
itself, and that it is the day of her row. The second is untrue where rows have the day and rows are hers, but
none is both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.counts import is_amount
from synthesis.reading.grounded_values import is_any_day
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_row import Cell, Ident, Named
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import WorldRows

_UNREAL = NEGATIONS | CONDITIONS | word_set("would could should might may instead until")
_LINKS = word_set(
    ": , ( - ; . that of for it 's is was concerns concerning namely belongs belonging to with about on "
    "the one which this being in i.e. first last"
)
_TELLING = word_set(": ( that of for concerns concerning namely belongs belonging with about on")
_POINTING, _ENDS = word_set("it that"), frozenset((";", "."))
_LISTING = word_set("and or both respectively")
_MOST_BETWEEN = 6


class GroundedBearers:
    """Rows that a value may be told of.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        world: The world's rows, for its nouns.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts, world: WorldRows) -> None:
        self._shown, self._texts = shown, texts
        self._nouns = frozenset(word for noun in world.nouns for word in noun)

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The values of a clause that are told of another row than has them, in words."""
        if clause.texts & _UNREAL:
            return
        for at in clause.valued:
            bearers = self._bearers(clause, at)
            named = self._named_behind(clause, at) if bearers else None
            if named is not None and self._are_apart(bearers, self._shown.alone(named)):
                yield f"that {clause.document.tokens[at].text} is of {' '.join(named.phrase)}"

    def _bearers(self, clause: AnswerClause, at: int) -> frozenset[Ident]:
        """The rows that have the day or the amount at a place; none of what a text told."""
        token = clause.document.tokens[at]
        days = token.values.get("date")
        values: Collection[Cell] = ()
        if days and not days & self._texts.values("date", rules=False) - self._asked_days:
            values = [day for day in self._shown.days if is_any_day(days, day)]
        elif days is None and is_amount(token):
            values = token.values.get("money_cents", ())
        return frozenset().union(*(self._shown.by_value.get(value, frozenset()) for value in values))

    @property
    def _asked_days(self) -> frozenset[Cell]:
        return self._texts.right.values("date")

    def _named_behind(self, clause: AnswerClause, at: int) -> Named | None:
        """The name that follows a value with nothing but links between; None where another word does."""
        tokens = clause.document.tokens
        named = next((each for each in self._shown.names_in(clause.document) if each.first > at), None)
        if named is None or named.first - at > _MOST_BETWEEN:
            return None
        between = tokens[at + 1 : named.first]
        is_linked = bool(between) and all(
            token.text in _LINKS or (token.kind == "word" and token.key in self._nouns) for token in between
        )
        texts = {token.text for token in between}
        is_linked = is_linked and bool(texts & (_POINTING if texts & _ENDS else _TELLING))
        follows = tokens[named.last : named.last + 2]
        is_listed = any(token.text in _LISTING or token.values for token in follows)
        return named if is_linked and not is_listed else None

    def _are_apart(self, bearers: frozenset[Ident], rows: frozenset[Ident]) -> bool:
        """Whether rows of the bearers' kinds belong to what is named, but none of the bearers does."""
        if any(self._belongs(bearer, rows) for bearer in bearers):
            return False
        kinds = {kind for kind, _ in bearers}
        return any(ident[0] in kinds and self._belongs(ident, rows) for ident in self._shown.rows)

    def _belongs(self, ident: Ident, rows: frozenset[Ident]) -> bool:
        return not rows.isdisjoint(self._shown.owned(ident)) or any(
            ident in self._shown.owned(row) for row in rows
        )
