"""Grounded columns: days, amounts and states of an answer that belong to a column of the row it names.

That a value was shown somewhere is not enough where an answer says whose it is, and of what: the day on which
CH-1 was due, the amount of CH-2, whether RF-3 is still open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.grounded_values import is_any_day
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_row import Ident, Named
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.words import key, keys, word_set
from synthesis.reading.written_rows import WrittenRows

_DAYS_IN, _CENTS, _CLOSED = ("_on", "_at"), "_cents", "closed_on"
_BETWEEN = word_set("on by of at to was is were the back date day : , ( - already since in")
_UNREAL = CONDITIONS | word_set("would could should might may can will must until instead")
_NOT_PLAIN = (
    NEGATIONS | _UNREAL | word_set("earliest oldest first latest last next soonest only total rather")
)
_TELLING = word_set("due start starts end ends begin begins expires")
_ENDING = frozenset(("due", "ends", "until", "expires"))
_ALIKE = {
    **dict.fromkeys(("due", "expires"), _ENDING),
    "ends": _ENDING | {"closed", "returned"},
}
"""Columns of days that are told in the same words: a rental is due when it is to end."""
_DAY, _PAIR = 10, 2
_STOCK, _QUANTITY = "stock", "quantity"
_WITHIN, _EACH = word_set("in per to"), word_set("each every a one the")
_PIECES = word_set("pieces units items were was are is remain remains remained left still now there only")
_BESIDE = word_set("over of for at , : = ( -")
_ABOUT = word_set("under for about on regarding concerning of bill charge number entry")
_THEN = word_set(", itself on of dated sent was were and came went out")
_OPEN = word_set("open unpaid outstanding")
_LEFT = word_set("is are remains remain stays stay still was left")
_MEASURES = {
    **dict.fromkeys(keys("metre meter metres meters"), "_m"),
    **dict.fromkeys(keys("kilo kilogram kg"), "_kg"),
    **dict.fromkeys(keys("litre liter"), "_l"),
}
"""What the columns end in that have so many of a unit."""
_BOUNDING = word_set("least most more less than under over up or minimum maximum needs needed asked wanted")
_REST, _PRESENT, _UNITS = (
    word_set("left remaining remain remains"),
    word_set("is are remain remains"),
    keys("unit piece item pack"),
)
_MOST_BETWEEN, _NEAR, _LONGEST_CODE = 5, 3, 30


class GroundedColumns:
    """Values of columns that an answer may tell.

    Args:
        shown: The rows that results show.
        written: Those of them that calls wrote.
    """

    def __init__(self, shown: ShownRows, written: WrittenRows) -> None:
        self._shown, self._written = shown, written

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The values of a clause that the row it names has not in the column it tells, in words."""
        tokens = clause.document.tokens
        is_plain = clause.texts.isdisjoint(_NOT_PLAIN)
        is_ranking = not is_plain and clause.texts.isdisjoint(NEGATIONS | _UNREAL)
        for at in clause.valued if is_plain or is_ranking else ():
            days = tokens[at].values.get("date")
            is_coded = not is_plain and bool(clause.nearest(at)) and _is_behind_code(clause, at)
            columns = self._columns_before(clause, at) if days and (is_plain or is_coded) else ()
            if days and columns and self._is_other(days, columns, clause, at):
                yield f"that {min(columns).replace('_', ' ')} {tokens[at].text}"
        for at in clause.valued:
            if self._is_another_measure(clause, at) or self._is_another_size(clause, at):
                yield f"the number {tokens[at].text}"
            if self._is_another_rest(clause, at):
                yield f"that {tokens[at].text} are left"
        for at in clause.places:
            if tokens[at].kind == "code" and self._is_of_another_day(clause, at):
                yield f"the day of {tokens[at].text}"
        for each in clause.named:
            if tokens[each.first].kind == "code":
                yield from self._of_code(clause, each)

    def _of_code(self, clause: AnswerClause, each: Named) -> Iterator[str]:
        """What a clause says of the row of a code that is another's, or is so no more."""
        code = clause.document.tokens[each.first].text
        if self._has_another_amount(clause, each):
            yield f"the amount of {code}"
        if self._is_closed(clause, each):
            yield f"that {code} is open"

    def _is_another_measure(self, clause: AnswerClause, at: int) -> bool:
        """Whether a number is told of a stock, or of the size of something, that no row has: "20 in stock",
        "6 pieces in each pack"."""
        tokens = clause.document.tokens
        numbers = tokens[at].values.get("number", frozenset())
        after = tokens[at + 1 : min(at + 1 + _MOST_BETWEEN, clause.places.stop)]
        while after and after[0].text in _PIECES:
            after = after[1:]
        if not numbers or is_amount(tokens[at]) or len(after) < _PAIR or after[0].text not in _WITHIN:
            return False
        if after[1].text == _STOCK:
            known = self._stocks
        else:
            of = after[2:] if after[1].text in _EACH else after[1:] if after[0].text == "per" else []
            known = self._numbers(f"{of[0].key}_size") if of else frozenset()
        return bool(known) and known.isdisjoint(numbers)

    def _is_another_size(self, clause: AnswerClause, at: int) -> bool:
        """Whether a number of metres or the like is not what the one row has that is spoken of, whatever was
        asked for: "it is exactly 14 metres long"."""
        follows = clause.document.tokens[at + 1 : at + 2]
        suffix = next((_MEASURES[word.key] for word in follows if word.key in _MEASURES), "")
        if not suffix or not clause.texts.isdisjoint(_BOUNDING):
            return False
        rows = clause.nearest(at) or clause.subject
        cells = {
            (ident, value) for ident in rows for c, value in self._shown.cells((ident,)) if c.endswith(suffix)
        }
        numbers = clause.document.tokens[at].values.get("number", frozenset())
        return len({ident for ident, _ in cells}) == 1 and numbers.isdisjoint(value for _, value in cells)

    def _is_another_rest(self, clause: AnswerClause, at: int) -> bool:
        """Whether a number of pieces is told to be left of a stock of which other numbers are."""
        follows = clause.document.tokens[at + 1 : at + 2]
        numbers = clause.document.tokens[at].values.get("number", frozenset())
        is_rest = not clause.texts.isdisjoint(_REST) and not clause.texts.isdisjoint(_PRESENT)
        if not numbers or not is_rest or not any(word.key in _UNITS for word in follows):
            return False
        stocks = self._numbers(_STOCK)
        taken = sum(value for name, value in self._written.cells(self._written.in_order) if name == _QUANTITY)
        return bool(stocks) and not any(stock - taken in numbers for stock in stocks)

    def _numbers(self, column: str) -> frozenset[int]:
        cells = self._shown.cells(self._shown.rows) if column in self._shown.columns else ()
        return frozenset(value for name, value in cells if name == column and isinstance(value, int))

    @cached_property
    def _stocks(self) -> frozenset[int]:
        """The stocks that were shown, and what is left of them after each of the written rows."""
        stocks = self._numbers(_STOCK)
        cells = self._written.cells(self._written.in_order) if stocks else ()
        taken = accumulate(value for name, value in cells if name == _QUANTITY)
        return stocks | {stock - each for each in taken for stock in stocks}

    @cached_property
    def _day_columns(self) -> dict[str, frozenset[str]]:
        """The columns of days by the keys of words that tell them: `due_on` and `ends_on` by "due"."""
        columns = [column for column in self._shown.columns if column.endswith(_DAYS_IN)]
        by_word: dict[str, frozenset[str]] = {}
        for column in columns:
            word = column.rpartition("_")[0]
            alike = _ALIKE.get(word, frozenset((word,)))
            by_word[key(word)] = frozenset(each for each in columns if each.rpartition("_")[0] in alike)
        return by_word

    def _columns_before(self, clause: AnswerClause, at: int) -> frozenset[str]:
        """The columns of days that the word before a day tells, small words left out: "due since 25 May"."""
        tokens, sentence = clause.document.tokens, clause.document.sentences[clause.chunk.sentence]
        for place in range(at - 1, max(sentence.first, at - _MOST_BETWEEN) - 1, -1):
            token = tokens[place]
            if token.text not in _BETWEEN and token.kind != "code":
                is_verb = is_past(token.text) or token.text in _TELLING
                return self._day_columns.get(token.key, frozenset()) if is_verb else frozenset()
        return frozenset()

    def _is_other(
        self, days: Collection[object], columns: Collection[str], clause: AnswerClause, at: int
    ) -> bool:
        """Whether the rows that a clause speaks of have other days in some columns, and this one is another
        row's, or of another column."""
        rows = clause.nearest(at) or clause.subject
        own = frozenset(ident for ident in rows if self._days((ident,), columns))
        own = own or frozenset(ident for ident in self._shown.holding(rows) if self._days((ident,), columns))
        if not own or _has_day(days, self._days(own, columns)):
            return False
        kinds = {kind for kind, _ in own}
        others = [ident for ident in self._shown.rows if ident[0] in kinds]
        return _has_day(days, self._days(others, columns)) or _has_day(days, self._days(own, ()))

    def _days(self, rows: Iterable[Ident], columns: Collection[str]) -> list[str]:
        """The days that some rows have in some columns, in all of them where none is given."""
        return [
            value[:_DAY]
            for column, value in self._shown.cells(rows)
            if isinstance(value, str) and (column in columns or (not columns and column.endswith(_DAYS_IN)))
        ]

    def _has_another_amount(self, clause: AnswerClause, each: Named) -> bool:
        """Whether an amount right behind a code is another row's: "CH-1 over 200.00"."""
        tokens = clause.document.tokens
        at = each.last + (tokens[each.last].text in _BESIDE if each.last < len(tokens) else 0)
        if at >= len(tokens) or not is_amount(tokens[at]) or clause.document.chunk_of[at] < 0:
            return False
        cents, rows = tokens[at].values["money_cents"], self._shown.alone(each)
        kinds = {kind for kind, _ in rows}
        own = self._amounts(self._shown.around(rows))
        others = self._amounts(ident for ident in self._shown.rows if ident[0] in kinds and ident not in rows)
        return bool(self._amounts(rows)) and own.isdisjoint(cents) and not others.isdisjoint(cents)

    def _amounts(self, rows: Iterator[Ident] | Collection[Ident]) -> frozenset[object]:
        return frozenset(value for column, value in self._shown.cells(rows) if column.endswith(_CENTS))

    def _is_of_another_day(self, clause: AnswerClause, at: int) -> bool:
        """Whether a day beside the code of what something was about is another one's: "the letter about CH-1
        on 3 May", where that letter was about CH-2."""
        tokens = clause.document.tokens
        first = at
        while first > 0 and at - first < _NEAR and tokens[first - 1].text in _ABOUT:
            first -= 1
        place = at + 1
        while place < min(at + 1 + _NEAR, len(tokens)) and tokens[place].text in _THEN:
            place += 1
        before = {token.text for token in tokens[max(0, at - _NEAR) : at]}
        sides = ((first - 1, first < at), (place, not before.isdisjoint(_ABOUT)))
        return any(
            is_about
            and 0 <= side < len(tokens)
            and (days := tokens[side].values.get("date")) is not None
            and self._is_apart(tokens[at].text, days)
            for side, is_about in sides
        )

    def _is_apart(self, code: str, days: Collection[object]) -> bool:
        """Whether a day is only of rows that refer by code to something else than a code."""
        full = [day for day in self._shown.days if _has_day(days, [day])]
        dated = frozenset().union(*(self._shown.by_value[day] for day in full))
        about = self._codes_in(dated, code.partition("-")[0].upper())
        return bool(dated) and len(about) == len(dated) and code.upper() not in about.values()

    def _codes_in(self, rows: Collection[Ident], kind: str) -> dict[Ident, str]:
        """The codes of a kind that some rows refer by, or are called by."""
        return {
            ident: value
            for ident in rows
            for column, value in self._shown.cells((ident,))
            if type(value) is str and value.startswith(f"{kind}-") and len(value) <= _LONGEST_CODE
        }

    def _is_closed(self, clause: AnswerClause, each: Named) -> bool:
        """Whether a clause says that a row is open which has the day on which it was closed."""
        tokens = clause.document.tokens
        after = [token.text for token in tokens[each.last : min(each.last + _NEAR, clause.places.stop)]]
        at = next((place for place, text in enumerate(after) if text in _OPEN), 0)
        if not at or not _LEFT.issuperset(after[:at]) or "was" in after[:at]:
            return False
        rows = self._shown.alone(each) & self._written.idents
        return bool(rows) and all(self._closed_on(ident) for ident in rows)

    def _closed_on(self, ident: Ident) -> bool:
        return any(column == _CLOSED and value for column, value in self._written.cells((ident,)))


def _is_behind_code(clause: AnswerClause, at: int) -> bool:
    """Whether a day stands right behind a code, small words left out: "CH-1 on 4 May"."""
    before = clause.document.tokens[max(clause.chunk.first, at - 2) : at]
    return any(token.kind == "code" for token in before)


def _has_day(days: Collection[object], shown: Iterable[str]) -> bool:
    """Whether one of the days that a text may mean is among some that were shown."""
    stated = [str(day) for day in days]
    return any(is_any_day(stated, day) for day in shown)
