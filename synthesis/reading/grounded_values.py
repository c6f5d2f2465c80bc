"""Grounded values: days, times, amounts and spans of an answer, held against the rows it tells them of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations, pairwise

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.day_bounds import is_bound_day, is_denied_day, is_reckoned_day
from synthesis.reading.mentions import Value
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import NEGATIONS
from synthesis.reading.rule_numbers import day_of, quantities
from synthesis.reading.shown_row import Cell, Ident, ShownRow
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts, tells_a_rule
from synthesis.reading.words import key, word_set
from synthesis.reading.written_rows import WrittenRows

_CENTS = "cents"
_DAY = key("day")
_ANY_YEAR = "0000"
_MOST_TERMS, _MOST_ROWS = 24, 300
_PERCENT = 100
_FACTORS = word_set("x × *")
_PAIR = 2
_LONGEST_SPAN = 400
_DIFFERING = word_set(
    "above below over under less more difference remaining remain remains left still cheaper dearer saves "
    "saved higher lower short exceeds exceed minus -"
)
_ENDING = ("due", "end", "valid_until")
_COLUMN = ("visits", "left")
_LISTING = word_set("from to until between instead rather")
_OVER = word_set("overdue expired")
_UNREAL = word_set("if would could should may might when once")
_FROM_THEN = word_set("from until again earliest can before after")
_STEPS, _ISO = {"yesterday": -1, "tomorrow": 1}, 10
_OF_DAYS = frozenset(("on", "at", "until", "from"))
_END, _HOUR = key("end"), key("hour")

_OTHERS = frozenset(("other", "others", "rest", "remaining"))


class GroundedValues:
    """Values that an answer may tell.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        written: Those of the rows that calls wrote, where they are known.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts, written: WrittenRows | None = None) -> None:
        self._shown, self._texts, self._written = shown, texts, written
        self._spans: dict[frozenset[Ident], set[int]] = {}

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The values of a clause that nothing bears out, in words."""
        is_rule = tells_a_rule(clause.sentence_texts)
        yield from self._misdated(clause)
        if not clause.texts & _LISTING:
            yield from self._apart(clause)
        yield from self._near_days(clause)
        for at in clause.valued:
            token = clause.document.tokens[at]
            rows = clause.nearest(at) or self._meant(clause)
            days = token.values.get("date")
            if days and not self._has_day(days, rows, clause) and not self._is_bound(days, rows, clause, at):
                yield f"the day {token.text}"
            elif days is None and is_amount(token) and (cents := token.values.get("money_cents")):
                of_rules = is_rule or _is_factor(clause, at)
                if not self._has_amount(
                    {int(n) for n in cents if isinstance(n, int)}, rows, clause, of_rules
                ):
                    yield f"the amount {token.text}"
            elif (times := token.values.get("time")) and ":" in token.text:
                known = self._texts.values("time", rules=is_rule)
                times = frozenset((*times, *_of_the_other_half(times, token.text)))
                if (
                    not times & known
                    and not self._witnesses(times, rows)
                    and not self._is_deadline(times, known)
                    and not self._is_hour(times, rows)
                ):
                    yield f"the time {token.text}"

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The words of what rows are called, as of overdue day charges."""
        kinds = dict.fromkeys(kind for kind, _ in self._shown.rows)
        return frozenset(word for kind in kinds for word in kind.split("_"))

    def _near_days(self, clause: AnswerClause) -> Iterator[str]:
        """That something was yesterday, or is tomorrow, where nothing that is spoken of has that day."""
        if self._texts.today is None or clause.texts.isdisjoint(_STEPS):
            return
        shown = {
            value[:_ISO]
            for _, value in self._shown.cells(self._shown.around(clause.subject | clause.default))
            if isinstance(value, str)
        }
        known = shown | self._texts.relative_days
        known |= {str(day) for day in self._texts.values("date", rules=False)}
        for text in clause.texts & _STEPS.keys():
            beside = clause.texts if text == "yesterday" else clause.sentence_texts
            if beside & (NEGATIONS | _UNREAL | _FROM_THEN):
                continue
            day = self._texts.today + timedelta(days=_STEPS[text])
            if any(is_same_day(day.isoformat(), each) for each in known):
                continue
            spans = {abs((day - other).days) for each in known if (other := day_of(each))}
            ruled = {n for unit, n in self._texts.quantities if unit == _DAY}
            if text == "yesterday" or spans.isdisjoint(ruled):
                yield f"the day {text}"

    def _meant(self, clause: AnswerClause) -> frozenset[Ident]:
        """The rows that a clause without names speaks of: "the others" are those listed beside them, too."""
        if clause.texts.isdisjoint(_OTHERS):
            return clause.subject
        beside = (each.idents for each in self._shown.lists if not clause.subject.isdisjoint(each.idents))
        return clause.subject.union(*beside)

    def _is_hour(self, times: Collection[Value], rows: frozenset[Ident]) -> bool:
        """Whether a full hour is the one at which rows begin, or so many hours later, when they end."""
        hours = {int(str(time)[:2]) for time in times if str(time).endswith(":00")}
        idents = rows.union(self._written.about(rows) if self._written else ())
        for ident in idents if hours else ():
            cells = self._shown.rows[ident].cells if ident in self._shown.rows else {}
            begins = {
                value
                for column, values in cells.items()
                for value in values
                if column.rpartition("_")[2] == _HOUR and isinstance(value, int)
            }
            lasts = [value for value in cells.get(f"{_HOUR}s", ()) if isinstance(value, int)]
            if hours & {*begins, *(begin + last for begin in begins for last in lasts)}:
                return True
        return False

    def _is_deadline(self, times: Collection[Value], known: Collection[Value]) -> bool:
        """Whether a time is a known one less the hours of a rule: "09:00, two hours before the start"."""
        hours = {int(n) for unit, n in self._texts.quantities if unit == _HOUR}
        return any(
            _minutes(one) + 60 * n == _minutes(other) for one in times for other in known for n in hours
        )

    def _misdated(self, clause: AnswerClause) -> Iterator[str]:
        """That something is overdue whose days are still to come, or is not whose days are over."""
        today = self._texts.today
        # "An overdue letter" may be a kind of letter.
        is_over = (
            any(text not in self._shown.by_value and text not in self._nouns for text in clause.texts & _OVER)
            or {"past", "due"} <= clause.texts
        )
        is_denied = bool(clause.texts & NEGATIONS)
        is_not_over = any(
            one.text in NEGATIONS and other.text in _OVER for one, other in pairwise(clause.words)
        )
        is_due = "due" in clause.texts and "yet" in clause.sentence_texts
        is_open = is_not_over or (is_denied and is_due and not is_over)
        if (
            today is None
            or (is_over and is_denied and not is_not_over)
            or not (is_over or is_open)
            or clause.texts & _UNREAL
        ):
            return
        ends = ends_of(self._shown, clause.subject)
        is_over = is_over and not is_not_over
        if is_over and today in ends:
            return  # its hour may be over
        if ends and not any((end < today) is is_over for end in ends):
            yield "that something is overdue" if is_over else "that something is not due yet"

    def _apart(self, clause: AnswerClause) -> Iterator[str]:
        """Two values side by side, each of rows of one kind, that no row of it has together."""
        matches: list[tuple[str, str, frozenset[Ident]]] = []
        for at in clause.valued:
            kind, values = self._unheard(clause, at)
            rows = frozenset().union(*(self._shown.by_value.get(value, frozenset()) for value in values))
            if len({table for table, _ in rows}) == 1:
                matches.append((kind, clause.document.tokens[at].text, rows))
        for (kind, one, rows), (other_kind, other, others) in combinations(matches, 2):
            tables = {table for table, _ in (*rows, *others)}
            if kind != other_kind and len(tables) == 1 and not rows & others:
                yield f"that {one} and {other} belong together"

    def _unheard(self, clause: AnswerClause, at: int) -> tuple[str, Collection[Cell]]:
        """What kind of value stands at a place and what it may be; nothing where it was told."""
        token = clause.document.tokens[at]
        days, cents = token.values.get("date"), token.values.get("money_cents")
        if days:
            is_given = days & self._texts.values("date", rules=True)
            return "day", () if is_given else [d for d in self._shown.days if is_any_day(days, d)]
        if cents and is_amount(token):
            return "amount", () if cents & self._texts.values("money_cents", rules=True) else cents
        numbers = token.values.get("number", ())
        return "count", numbers if numbers and self._is_counted(clause, at) else ()

    def _is_counted(self, clause: AnswerClause, at: int) -> bool:
        """Whether a number is of what a column is called after: "2 visits left"."""
        follows = clause.document.tokens[at + 1 : at + 3]
        words = frozenset(token.key for token in follows)
        return len(words) == len(_COLUMN) and words in self._shown.column_keys

    def _witnesses(self, values: Iterable[Cell], rows: frozenset[Ident]) -> frozenset[Ident]:
        """The rows that have one of some values, or refer to such, and that belong to some rows."""
        matches = frozenset().union(*(self._shown.by_value.get(value, frozenset()) for value in values))
        return (
            self._shown.holding(matches) & self._shown.holding(rows)
            if len(matches) <= _MOST_ROWS
            else matches
        )

    def _in_state(self, witnesses: frozenset[Ident], clause: AnswerClause) -> frozenset[Ident]:
        """Those of some rows that have the states which the clause tells, where any such row has them."""
        for stated in clause.stated:
            if any(row in stated for row in witnesses) or not stated:
                continue
            kinds = {kind for kind, _ in stated}
            if any(kind in kinds for kind, _ in witnesses):
                return frozenset()
        return witnesses

    def _has_day(self, days: Collection[Cell], rows: frozenset[Ident], clause: AnswerClause) -> bool:
        today = {self._texts.today.isoformat()} if self._texts.today else set()
        today |= self._texts.relative_days
        known = {str(day) for day in (*self._texts.values("date", rules=True), *today)}
        if any(is_same_day(str(day), other) for day in days for other in known):
            return True
        full = {shown for shown in self._shown.days if is_any_day(days, shown)}
        witnesses = self._in_state(self._witnesses(full, rows), clause)
        return bool(witnesses) and not self._is_of_another_column(full, rows, clause)

    def _is_bound(
        self, days: Collection[Cell], rows: frozenset[Ident], clause: AnswerClause, at: int
    ) -> bool:
        """Whether a day is told as a wrong one, or as a bound that lies as many days from today, or from one
        of the rows, as a rule has: "from 22 October on it may be sent again"."""
        spans = {n for unit, n in self._texts.quantities if unit == _DAY and n <= _LONGEST_SPAN}
        today = self._texts.today
        if is_denied_day(clause.document, at) or is_reckoned_day(clause.document, at, spans, today):
            return True
        if self._is_as_ruled(days, clause):
            return True
        if not is_bound_day(clause.document, at):
            return False
        shown = (day_of(v) for _, v in self._shown.cells(self._shown.around(rows)) if isinstance(v, str))
        known = {*filter(None, shown), *filter(None, (self._texts.today,))}
        steps = (timedelta(days=sign * n + more) for n in spans for sign in (1, -1) for more in (0, 1))
        bounds = {(day + step).isoformat() for step in steps for day in known} if spans else set()
        return any(is_same_day(str(day), bound) for day in days for bound in bounds)

    def _is_as_ruled(self, days: Collection[Cell], clause: AnswerClause) -> bool:
        """Whether a day that would be is as far from one that was asked for as the rule has which stands in
        the way of it: "the latest end would be 16 June"."""
        if "would" not in clause.texts:
            return False
        right = self._texts.right
        spans = {n for unit, n, _ in quantities(right.tokens, 0, len(right.tokens)) if unit == _DAY}
        asked = [day for value in self._texts.values("date", rules=False) if (day := day_of(str(value)))]
        bounds = {(day + timedelta(sign * n)).isoformat() for n in spans for sign in (1, -1) for day in asked}
        return any(is_same_day(str(day), bound) for day in days for bound in bounds)

    def _is_of_another_column(
        self, days: Collection[str], rows: frozenset[Ident], clause: AnswerClause
    ) -> bool:
        """Whether a clause says "closed on" with the day on which the same row was due."""
        holders = self._shown.holding(rows) | {o for ident in rows for o in self._shown.owned(ident)}
        results = [
            self._has_it_elsewhere(self._shown.rows[each], days, clause)
            for each in holders
            if each in self._shown.rows
        ]
        known = [result for result in results if result is not None]
        return bool(known) and all(known)

    def _has_it_elsewhere(self, row: ShownRow, days: Collection[str], clause: AnswerClause) -> bool | None:
        """Whether a row has a day in another column than a clause tells; None where it does not have it."""
        has = meant = False
        for column, values in row.cells.items():
            words = column.split("_")
            is_here = any(isinstance(value, str) and value[:10] in days for value in values)
            is_meant = len(words) > 1 and words[-1] in _OF_DAYS and self._is_meant(words, clause)
            if is_here and is_meant:
                return False
            has, meant = has or is_here, meant or is_meant
        return meant if has else None

    @staticmethod
    def _is_meant(words: Sequence[str], clause: AnswerClause) -> bool:
        return _has_verb(words[0], clause) or (words[-1] == "until" and _END in clause.keys)

    def _has_amount(
        self, cents: Collection[int], rows: frozenset[Ident], clause: AnswerClause, is_rule: bool
    ) -> bool:
        texts = {
            int(v) for v in self._texts.values("money_cents", rules=is_rule) if isinstance(v, int | float)
        }
        if not texts.isdisjoint(cents) or 0 in cents:  # that nothing is owed or waived
            return True
        matches = self._witnesses(cents, rows)
        columns = {f"{'_'.join(phrase)}_cents" for phrase, _, _ in clause.states}
        if any(column in columns and value in cents for column, value in self._shown.cells(matches)):
            return True
        witnesses = self._in_state(matches, clause)
        if matches and not witnesses:
            return False
        if any(
            c.endswith(_CENTS) and v in cents
            for i in witnesses
            for o in self._shown.owned(i)
            for c, v in self._shown.cells((o,))
        ):
            return True
        return self._follows(cents, rows, clause)

    def _follows(self, cents: Collection[int], rows: frozenset[Ident], clause: AnswerClause) -> bool:
        """Whether an amount is a sum, a difference, a multiple or a share of those of the rows."""
        if any(not set(self._sums(each.idents)).isdisjoint(cents) for each in self._shown.lists):
            return True
        near = {o for ident in rows for o in self._shown.owned(ident)}
        own = sorted({v for c, v in self._shown.cells(near) if isinstance(v, int) and c.endswith(_CENTS)})[
            :_MOST_TERMS
        ]
        ruled = {int(v) for v in self._texts.values("money_cents", rules=True) if isinstance(v, int | float)}
        if clause.texts & _DIFFERING:
            amounts = self._shown.cells(self._shown.around(rows))
            held = {value for column, value in amounts if isinstance(value, int) and column.endswith(_CENTS)}
            steps = [(a, b) for a in (*own, *sorted(held)[:_MOST_TERMS]) for b in ruled]
            steps += [pair for ident in near for pair in self._changes(ident)]
            if any(abs(a - b) in cents for a, b in steps):
                return True
        counts = (
            {n for unit, n in self._texts.quantities if unit == _DAY and n <= _LONGEST_SPAN}
            | self.spans(rows)
            | {1}
        )
        shares = {n for unit, n in self._texts.quantities if unit == "%"} | {_PERCENT}
        return any(
            a * n * share == c * _PERCENT for a in own for n in counts for share in shares for c in cents
        )

    def _changes(self, ident: Ident) -> Iterator[tuple[int, int]]:
        """The amounts of one row by two, those of a column that was changed among them."""
        cells = self._shown.cells((ident,))
        amounts = [value for column, value in cells if column.endswith(_CENTS) and isinstance(value, int)]
        yield from combinations(amounts[:_MOST_TERMS], 2)

    def _sums(self, idents: Collection[Ident]) -> Iterator[int]:
        """What the amounts of several rows come to, all of them or all but one: what one has is its own."""
        columns: dict[str, list[int]] = {}
        for ident in idents:
            for column, values in self._shown.rows[ident].cells.items():
                if column.endswith(_CENTS) and isinstance(value := values[0], int):
                    columns.setdefault(column, []).append(value)
        for amounts in columns.values():
            total = sum(amounts)
            if len(amounts) > 1:
                yield total
            if len(amounts) > _PAIR:
                yield from (total - amount for amount in amounts)

    def spans(self, rows: frozenset[Ident]) -> set[int]:
        """The numbers of days between two days of a row, or of one and today."""
        if rows not in self._spans:
            self._spans[rows] = self._spans_of(self._shown.around(rows))
        return self._spans[rows]

    def _spans_of(self, rows: Collection[Ident]) -> set[int]:
        today = {self._texts.today} if self._texts.today else set()
        matches: set[int] = set()
        for ident in rows:
            values = (value for _, value in self._shown.cells((ident,)) if isinstance(value, str))
            days = {day for value in values if (day := day_of(value))}
            matches |= {abs((one - other).days) for one, other in combinations(days | today, 2)}
        return matches


def _is_factor(clause: AnswerClause, at: int) -> bool:
    """Whether an amount stands beside a sign of multiplication: "3 days x 4.00"."""
    beside = (*clause.document.tokens[max(0, at - 1) : at], *clause.document.tokens[at + 1 : at + 2])
    return any(token.text in _FACTORS for token in beside)


def _has_verb(verb: str, clause: AnswerClause) -> bool:
    """Whether a clause tells what a column of days is called after: "registered", not "registrations"."""
    return any(
        token.key == key(verb) and (is_past(token.text) or not is_past(verb)) for token in clause.words
    )


def is_any_day(days: Collection[Cell], shown: str) -> bool:
    """Whether one of the days that a text may mean is one that was shown."""
    return any(is_same_day(str(day), shown) for day in days)


def is_same_day(one: str, other: str) -> bool:
    """Whether two ISO texts may be one day; a day of no year is of any."""
    return one == other or (_ANY_YEAR in (one[:4], other[:4]) and one[4:] == other[4:])


def _minutes(time: Value) -> int:
    hours, _, minutes = str(time)[:5].partition(":")
    return 60 * int(hours) + int(minutes)


def _of_the_other_half(times: Collection[Value], text: str) -> Iterator[str]:
    """The same times in the afternoon, where nothing says which half of the day is meant: "7:30"."""
    if text[:1] != "0" and text[-1:].isdigit():
        yield from (f"{int(str(each)[:2]) + 12}{str(each)[2:]}" for each in times if int(str(each)[:2]) < 12)


def ends_of(shown: ShownRows, rows: frozenset[Ident]) -> list[date]:
    """The days on which something of some rows is due or ends, else something of those that refer to them."""
    for idents in (rows, shown.holding(rows)):
        ends = (value for column, value in shown.cells(idents) if column.startswith(_ENDING))
        if days := [day for value in ends if isinstance(value, str) and (day := day_of(value))]:
            return days
    return []
