"""Grounded counts: numbers of things, spans and shares of an answer, held against what can be counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import combinations, pairwise, takewhile

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.grounded_values import GroundedValues
from synthesis.reading.listed_numbers import ListedNumbers
from synthesis.reading.past_tense import is_past
from synthesis.reading.row_counts import RowCounts
from synthesis.reading.rule_numbers import day_of, time_of
from synthesis.reading.shown_row import is_key, noun_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.spoken_numbers import SpokenNumbers
from synthesis.reading.task_texts import HALF, TaskTexts, tells_a_rule
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import key, keys, word_set
from synthesis.reading.world_rows import WorldRows

_SPANS = {key("day"): 1, key("week"): 7}
_LONG = frozenset(map(key, ("month", "year", "hour", "minute")))
_MINUTES = {key("hour"): 60, key("minute"): 1}
_SECONDS = 60
_MOST = 400
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_FRACTIONS = {"half": 50, "quarter": 25, "third": 33}
_PRICED = word_set("price priced fare rate fee cost")
_NONE = word_set("no none nobody nothing")
_ACTING = word_set("was were has have had be been changed")
_HOLDING = word_set("has have")
_OTHER = word_set("else other others more remaining further rest left")
_LEAST_LETTERS = 5
_STEM = 5
_LEAST_CELL, _LEAST_RESULT, _MOST_CELLS = 4, 3, 12
_MONEY = word_set("pounds dollars euros francs cents euro pound dollar cent hundred thousand and")
_NOT_COUNTING = _MONEY | {"between"}
"""Words beside a number of money, or of "7 days between two letters"."""
_UNREAL = word_set("would could if unless should")
_ARTICLES = word_set("the a an his her their our its")
_NAMES_WITHIN = 10
_APART, _APART_WITHIN = word_set("later earlier before after ahead apart prior previously"), 3
_FACTORS = word_set("x × * times")
_IDLE = word_set("doubt problem question need")
"""What there is none of by way of speaking."""
_PEOPLE = word_set("i we")
_WORK = word_set("pages search searches lookups calls tools steps attempts")
"""What an agent counts of its own work."""


class GroundedCounts:
    """Numbers that an answer may tell.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        world: The world's rows, for its nouns and states.
        rows: How many rows there are of each kind.
        done: The keys of the verbs of what was done.
    """

    def __init__(
        self,
        shown: ShownRows,
        texts: TaskTexts,
        world: WorldRows,
        rows: RowCounts,
        done: frozenset[str] = frozenset(),
    ) -> None:
        self._done, self._rows = done, rows
        self._shown, self._texts, self._world = shown, texts, world
        self._values = GroundedValues(shown, texts)
        self._spoken, self._listed = SpokenNumbers(shown, texts), ListedNumbers(shown)

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The numbers of a clause that nothing bears out, in words."""
        tokens = clause.document.tokens
        is_rule = tells_a_rule(clause.sentence_texts.difference(*(each[0] for each in clause.states)))
        if clause.sentence_texts & _UNREAL:
            return
        for at in clause.places:
            token = tokens[at]
            if token.text in _TIMES:
                if not is_rule and not clause.texts & _PEOPLE and not self._is_given_times(clause, at):
                    yield f"that it was {token.text}"
                continue
            if token.text in _FRACTIONS and self._is_share(clause, at):
                share = _FRACTIONS[token.text]
                if not self._is_ruled_share(share, clause) and not self._is_part(share, clause):
                    yield f"a share of {token.text}"
                continue
            if token.text in _NONE and not is_rule and (problem := self._some(clause, at)):
                yield problem
            count = self._count(clause, at) if token.values or token.text == "both" else None
            if count is None:
                continue
            follows = tokens[at + 1 : at + 5]
            problem = self._problem(count, follows, clause, at, is_rule)
            if problem:
                yield problem

    def _is_given_times(self, clause: AnswerClause, at: int) -> bool:
        """Whether "twice" is of something asked or shown, or "once" is no number."""
        text = clause.document.tokens[at].text
        is_word = at == clause.chunk.first and text == "once"
        return (
            is_word
            or text in self._texts.words
            or self._has_cell(_TIMES[text], clause, at)
            or (text == "twice" and self._is_listed_twice(clause))
        )

    def _is_listed_twice(self, clause: AnswerClause) -> bool:
        """Whether two rows were listed of what a clause says to be "paid twice" in the words of the rules."""
        tokens = self._texts.rules.tokens
        verbs = {one.key for one, other in pairwise(tokens) if other.text == "twice" and one.text == "paid"}
        rows = self._shown.holding(clause.sentence_rows or clause.subject)
        return not verbs.isdisjoint(clause.keys) and any(
            listed.total == _TIMES["twice"] and self._shown.ident_under(name, value) in rows
            for listed in self._shown.lists
            for name, value in listed.asked.items()
            if is_key(name, value)
        )

    def _is_share(self, clause: AnswerClause, at: int) -> bool:
        token, follows = clause.document.tokens[at], clause.document.tokens[at + 1 : at + 2]
        if token.text != "half":
            return bool(follows and follows[0].text == "of")
        if follows and (follows[0].text == "past" or follows[0].key in _LONG | _SPANS.keys()):
            return False  # "half past two", "three and a half years"
        # A half-size cello is a kind of cello; half-price is a share.
        is_kind = clause.document.text[token.end : token.end + 1] == "-"
        return not is_kind or bool(follows and follows[0].text in _PRICED)

    def _is_ruled_share(self, share: int, clause: AnswerClause) -> bool:
        """Whether a rule on what the sentence speaks of has a share."""
        words = {token.key for token in clause.sentence_words if len(token.text) >= _LEAST_LETTERS}
        rules = (rule for unit in ("%", HALF) for rule in self._texts.ruled.get(unit, ()))
        return any(rule.number == share and rule.keys & words for rule in rules)

    def _is_part(self, share: int, clause: AnswerClause) -> bool:
        """Whether an amount of the sentence is that share of one that was shown."""
        words = clause.sentence_words
        stated = {int(cents) for token in words for cents in token.values.get("money_cents", ())}
        amounts = {value for _, value in self._shown.cells(self._shown.rows) if isinstance(value, int)}
        return any(
            abs(cents * 100 - whole * share) <= share for cents in stated for whole in amounts if whole
        )

    def _some(self, clause: AnswerClause, at: int) -> str:
        """What there is, where a clause says that there is none of it in a state; empty where it is right."""
        after = [each for each in clause.states if each[1] > at and not _OTHER.issuperset(each[0])]
        stated = [rows for each, rows in zip(clause.states, clause.stated, strict=True) if each in after]
        is_bare = any(first == at + 1 for _, first, _ in after)
        follows = clause.document.tokens[at + 1 : at + 2]
        is_bare = is_bare or bool(follows and follows[0].text in _IDLE)
        before = clause.document.tokens[max(clause.chunk.first, at - 1) : at]
        acting = {word.text for word in clause.words if word not in before or word.text not in _HOLDING}
        if not stated or is_bare or acting & _ACTING:
            return ""
        rows = frozenset.intersection(*map(frozenset, stated))
        mine = [
            ident
            for ident in rows
            if self._shown.owned(ident) & clause.subject and ident not in clause.subject
        ]
        is_other = bool(clause.texts & _OTHER)
        mine = [ident for ident in mine if not is_other or ident not in self._shown.called]
        return f"none that is {' '.join(after[0][0])}" if mine else ""

    def _count(self, clause: AnswerClause, at: int) -> int | None:
        tokens = clause.document.tokens
        token = tokens[at]
        if token.text == "both":
            return None if _is_of_two_names(clause, at) or self._is_behind_two(clause, at) else 2
        if token.kind == "code" or any(each.first <= at < each.last for each in clause.named):
            return None
        if not token.values or "date" in token.values or "time" in token.values or is_amount(token):
            return None
        if token.unit == "money" or token.text in ("one", "single") or clause.sentence_texts & _WORK:
            return None
        beside = {each.text for each in (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])}
        is_size = beside & _FRACTIONS.keys() and clause.document.text[token.end] == "-"
        is_summand = "+" in beside and token.text.isdecimal()  # what they come to is held against the rows
        if beside & _NOT_COUNTING or is_size or is_summand:
            return None  # "three-quarter size"
        numbers = token.values.get("number", ())
        return next((n for n in numbers if isinstance(n, int) and 0 <= n <= _MOST), None)

    def _is_behind_two(self, clause: AnswerClause, at: int) -> bool:
        """Whether "both" goes right behind two things that are named: "CC-1 and CC-2 (both due on 3 May)"."""
        names = [e for e in self._shown.names_in(clause.document) if at - _NAMES_WITHIN <= e.first < at]
        between = clause.document.tokens[names[-2].last : names[-1].first] if len(names) > 1 else ()
        return any(token.text == "and" for token in between) and at - names[-1].last <= 1

    def _problem(
        self, count: int, follows: Sequence[TextToken], clause: AnswerClause, at: int, is_rule: bool
    ) -> str:
        if count in self._texts.values("number", rules=False) or self._listed.is_known(count, clause, at):
            return ""
        is_nought = count == 0 and bool(follows) and bool(self._done) and is_past(follows[0].text)
        if is_nought and follows[0].key in self._done:
            return f"that none was {follows[0].text}"  # "2 moved, 0 cancelled" is true where none was
        is_nought = is_nought and not any(first == at + 1 for _, first, _ in clause.states)
        if is_nought or self._spoken.is_known(count, clause, at):
            return ""
        return self._measured(count, follows, clause, at, is_rule)

    def _measured(
        self, count: int, follows: Sequence[TextToken], clause: AnswerClause, at: int, is_rule: bool
    ) -> str:
        """What is wrong with a share, a span or a number of things; empty where nothing is."""
        token = clause.document.tokens[at]
        if token.unit == "percent" or (follows and follows[0].text in ("%", "percent")):
            is_ruled = any(self._is_ruled(unit, count, clause) for unit in ("%", HALF))
            return "" if is_ruled else f"{count} per cent"
        if clause.chunk.begins_with == "|" and not clause.chunk.given.isdisjoint(_SPANS):
            return "" if count in self._spans(clause) else f"a span of {count} days"
        beside = [each.key for each in follows[:2]]
        unit = next((each for each in beside if each in _SPANS or each in _LONG), "")
        if unit:
            return "" if self._is_span(count, unit, clause, at) else f"a span of {count} {follows[0].text}"
        units = {each.key for each in (*follows, *clause.sentence_words)}
        is_known = (
            (is_rule and any(self._is_ruled(unit, count, clause) for unit in units))
            or (bool(follows) and follows[0].text in _FACTORS and count in self._spans(clause))
            or (not self._counts_rows(follows, clause, at) and self._has_cell(count, clause, at))
            or count in set(self._rows.candidates(clause, at, follows))
        )
        return "" if is_known else f"a count of {count}"

    def _counts_rows(self, follows: Sequence[TextToken], clause: AnswerClause, at: int) -> bool:
        """Whether the noun behind a number is what rows are called, and not what a column has so many of, nor
        a name: "11 Silver Strings" are pieces."""
        if any(each.first == at + 1 for each in clause.named):
            return False
        near = list(takewhile(lambda each: each.kind == "word" and not each.values, follows))
        nouns = {noun_of(listed.idents[0][0]) for listed in self._shown.lists if listed.idents}
        noun = next((each.key for each in near if each.key in nouns), "")
        return bool(noun) and noun not in self._counted_nouns

    @cached_property
    def _counted_nouns(self) -> frozenset[str]:
        """Keys of the words of columns that may have so many of something."""
        columns = (
            column
            for column, value in self._shown.cells(self._shown.rows)
            if type(value) is int and not column.endswith(("cents", "id"))
        )
        return frozenset().union(*(keys(column.replace("_", " ")) for column in dict.fromkeys(columns)))

    def _is_span(self, count: int, unit: str, clause: AnswerClause, at: int) -> bool:
        if self._is_ruled(unit, count, clause):
            return True
        if _SPANS.get(unit, 1) > 1 and self._is_ruled(key("day"), count * _SPANS[unit], clause):
            return True
        if unit in _SPANS and self._is_apart(count * _SPANS[unit], clause, at):
            return True
        if unit in _SPANS and count * _SPANS[unit] in self._stated_spans(clause):
            return True
        if unit in _SPANS:
            rows = clause.nearest(at) or clause.subject
            return count * _SPANS[unit] in self._values.spans(rows | clause.default)
        return self._is_about(count, unit, clause) or self._lasts(count, unit, clause)

    def _is_apart(self, days: int, clause: AnswerClause, at: int) -> bool:
        """Whether a day that the answer tells lies that far from one of the rows it is told beside: "due five
        days later"."""
        after = {token.text for token in clause.document.tokens[at + 1 : at + 1 + _APART_WITHIN]}
        if after.isdisjoint(_APART):
            return False
        rows = self._shown.around(clause.sentence_rows or clause.subject)
        others = {day for _, v in self._shown.cells(rows) if isinstance(v, str) and (day := day_of(v))}
        known = [day for day in others if self._tells_day(clause, day)]
        return any(abs((one - other).days) == days for one in known for other in others)

    def _stated_spans(self, clause: AnswerClause) -> set[int]:
        """The numbers of days between the days that a sentence tells: "9 June to 20 June is 11 days"."""
        year = str(self._texts.today.year) if self._texts.today else ""
        stated = [str(day) for token in clause.sentence_words for day in token.values.get("date", ())]
        days = [day for text in stated[:_MOST_CELLS] if (day := day_of(text.replace("0000", year, 1)))]
        return {abs((one - other).days) for one, other in combinations(days, 2)}

    @staticmethod
    def _tells_day(clause: AnswerClause, day: date) -> bool:
        """Whether an answer tells a day, with its year or without."""
        days = clause.document.values("date")
        return day.isoformat() in days or f"0000{day.isoformat()[4:]}" in days

    def _lasts(self, count: int, unit: str, clause: AnswerClause) -> bool:
        """Whether a column called after a unit of time has a number, or two times of a row are that apart."""
        minutes = count * _MINUTES.get(unit, 0)
        for ident in self._shown.around(clause.subject | clause.default):
            cells = list(self._shown.cells((ident,)))
            if any(value == count and unit in keys(column.replace("_", " ")) for column, value in cells):
                return True
            times = [time for _, value in cells if isinstance(value, str) and (time := time_of(value))]
            spans = (
                abs((one - other).total_seconds()) for one, other in combinations(times[:_MOST_CELLS], 2)
            )
            if minutes and any(span == minutes * _SECONDS for span in spans):
                return True
        return False

    def _spans(self, clause: AnswerClause) -> set[int]:
        return self._values.spans(clause.subject | clause.default)

    def _is_ruled(self, unit: str, count: int, clause: AnswerClause) -> bool:
        """Whether a rule has a number with its unit: one for what is spoken of, where there are any."""
        nouns = [self._rows.kinds.get(kind, frozenset()) for kind in {kind for kind, _ in clause.subject}]
        return self._texts.is_ruled(unit, count, clause.sentence_words, nouns)

    def _is_about(self, count: int, unit: str, clause: AnswerClause) -> bool:
        """Whether a number of months or years is that of some days of the rows, rounded either way."""
        size = {key("month"): 30.4, key("year"): 365.25}.get(unit)
        return size is not None and any(
            count in (int(span / size), round(span / size)) for span in self._spans(clause)
        )

    def _has_cell(self, count: int, clause: AnswerClause, at: int) -> bool:
        """Whether a number is a value of what is spoken of, or what such values come to."""
        rows = clause.nearest(at) or clause.subject
        mine = {other for ident in rows for other in self._shown.owned(ident)}
        near = self._shown.around(rows)
        before = clause.document.tokens[at - 1].key if at else ""
        header = clause.chunk.given if clause.chunk.begins_with == "|" else frozenset()
        if any(
            (before in nouns or (nouns and nouns <= header)) and (kind, count) in self._shown.rows
            for kind, nouns in self._rows.kinds.items()
        ):
            return True
        follows = clause.document.tokens[at + 1 : at + 2]
        is_factor = bool(follows) and follows[0].text in _FACTORS
        cells: set[int] = set()
        for ident in near:
            for column, value in self._shown.cells((ident,)):
                if type(value) is not int or column.endswith(("cents", "id")):
                    continue
                is_meant = bool(keys(column.replace("_", " ")) & clause.keys) or is_factor
                is_meant = is_meant or ident in rows or ident in clause.sentence_rows
                is_meant = is_meant or _is_verb_of(column, clause)
                if value == count and (is_meant or (count >= _LEAST_CELL and ident in mine)):
                    return True
                if ident in mine:
                    cells.add(value)
        return count >= _LEAST_RESULT and count in set(self._results(cells))

    def _results(self, cells: Collection[int]) -> Iterator[int]:
        """What numbers of rows come to: what calls took of them in all, what is left, and how many packs."""
        columns: dict[str, list[int]] = {}
        for ident in self._shown.called:
            for column, value in self._shown.cells((ident,)):
                if type(value) is int and not column.endswith(("cents", "id")):
                    columns.setdefault(column, []).append(value)
        totals = [sum(taken) for taken in columns.values()]
        yield from totals
        listed = sorted(cells)[:_MOST_CELLS]
        taken = {*totals, *(value for values in columns.values() for value in values[:_MOST_CELLS])}
        yield from (abs(cell - each) for cell in listed for each in taken)
        yield from (one // other for one in listed for other in listed if other > 1 and not one % other)


def _is_of_two_names(clause: AnswerClause, at: int) -> bool:
    """Whether "both" goes before two things that are named: "both the hirer and the board"."""
    follows = clause.document.tokens[at + 1 : at + 2]
    sentence = clause.document.sentences[clause.chunk.sentence]
    ahead = clause.document.tokens[at + 1 : min(at + _NAMES_WITHIN, sentence.last)]
    is_thing = any(t.text in _ARTICLES or t.capital or t.kind == "code" for t in follows)
    return is_thing and any(token.text == "and" for token in ahead)


def _is_verb_of(column: str, clause: AnswerClause) -> bool:
    """Whether a clause has the verb of a column's noun: "extended" of `extensions`."""
    return len(column) > _STEM and any(each.startswith(column[:_STEM]) for each in clause.texts)
