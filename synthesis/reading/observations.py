"""Observations: what an episode showed its agent, and what an answer tells that nothing of it has.

Instruction, policy, rows of the task and results of the episode's own calls are all that an answer can know
of: a name, a code, a day or an amount that none of them has, and that follows from none, is untrue.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any

import orjson

from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.day_bounds import is_bound_day, is_denied_day, is_reckoned_day, with_year
from synthesis.reading.document import ParsedText, parsed
from synthesis.reading.effects import Effects
from synthesis.reading.fact_values import values_of
from synthesis.reading.grounding import Grounding
from synthesis.reading.json_values import JsonValues, is_number
from synthesis.reading.mentions import Value
from synthesis.reading.mismatched_forms import (
    mismatched_weekday,
    names_a_weekday,
    other_currency,
    unknown_contact,
)
from synthesis.reading.past_tense import is_past
from synthesis.reading.row_shares import untrue_share
from synthesis.reading.row_states import RowStates
from synthesis.reading.row_values import RowValues
from synthesis.reading.rule_numbers import RuleNumbers, day_of
from synthesis.reading.structure import Sentence
from synthesis.reading.task_texts import TaskTexts, relative_days
from synthesis.reading.unknown_names import unknown_names
from synthesis.reading.words import LONGEST_TEXT, atoms, word_set
from synthesis.reading.world_rows import Place

_MOST_TEXT = 400_000
"""Characters of results that are read; what is longer supports everything."""
_MOST_TERMS = 80
_MOST_TASK_TEXTS = 128
_LARGEST = 1e15
"""What is larger is no amount."""
_NO_YEAR = "0000"
_OPEN = word_set("be can will would must may should until next deadline latest")
"""Words of what is still to come."""
_MOST_WORDS = 60
_MONEY = ("cents", "amount", "price", "total", "cost", "fee")
_LONGEST_KIND = 4
_NUMBERING = word_set("no nr number")
_DIGIT = re.compile(r"\d")
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?")
_KEY_NAMES = ("id", "ids", "number", "numbers", "no", "key")


class Observations:
    """What an agent could know, read when something of an answer is looked for.

    Args:
        texts: What it was told: the instruction, the policy, the clock.
        values: Arguments and results of its calls, as JSON has them.
        touched: The rows that its calls changed, by table and key; None where that is not known.
        written: What they hold since, each row as the result of a call: an answer may tell what it did
            in the words of a row that no result showed again.
    """

    def __init__(
        self,
        texts: Sequence[str],
        values: Sequence[Any],
        touched: Collection[Place] | None = None,
        written: Sequence[Any] = (),
    ) -> None:
        self._texts, self._given, self.touched, self._written = texts, values, touched, written
        self._states: tuple[Effects, RowStates | None] | None = None
        self._groundings: dict[tuple[int, str, str], Grounding] = {}

    @cached_property
    def _values(self) -> JsonValues:
        return JsonValues(self._given)

    @cached_property
    def _leaves(self) -> list[Any]:
        return [*self._texts, *[leaf for _, leaf in self._values.leaves]]

    @cached_property
    def _strings(self) -> list[str]:
        return list(dict.fromkeys([leaf for leaf in self._leaves if type(leaf) is str]))

    @cached_property
    def complete(self) -> bool:
        """Whether all of it is read."""
        if self._is_short:
            return True
        length = sum(map(len, self._strings))
        if length > _MOST_TEXT or len(self._instructed_text) > LONGEST_TEXT:
            return False
        # All of them joined are no shorter than those that have numbers, which need not be looked for then.
        return length + len(self._strings) <= LONGEST_TEXT or len(self._noted_text) <= LONGEST_TEXT

    @property
    def _is_short(self) -> bool:
        """Whether all of it, names and signs included, is so short that it need not be looked through."""
        try:
            sizes = map(len, {orjson.dumps(each) for each in self._given})
        except TypeError:  # no JSON
            return False
        return sum(sizes) + sum(len(text) + 1 for text in self._texts) <= LONGEST_TEXT

    @cached_property
    def _folded(self) -> str:
        return " | ".join(f" {' '.join(atoms(text))} " for text in self._strings)

    @cached_property
    def _noted_text(self) -> str:
        """Free texts of results that have numbers."""
        return "\n".join(text for text in self._strings if " " in text and _DIGIT.search(text))

    @cached_property
    def _noted(self) -> ParsedText:
        return ParsedText(self._noted_text)

    @property
    def _instructed_text(self) -> str:
        return "\n".join(self._texts)

    @cached_property
    def _instructions(self) -> ParsedText:
        return parsed(self._instructed_text)

    @cached_property
    def _measured(self) -> list[float]:
        """The numbers that may be amounts in cents: those of columns of cents where there are any."""
        named = [(name, n) for name, n in self._values.numbers if abs(n) <= _LARGEST]
        cents = [number for name, number in named if name.endswith("_cents")]
        units = [number for name, number in named if not name.endswith("id")]
        return cents or [*units, *(100 * number for number in units)]

    def dates(self) -> Iterator[frozenset[Value]]:
        """Days, as ISO texts: of fields, of instructions, of free texts; each read when it is asked for."""
        yield self._shown_dates
        yield values_of(self._instructions, "date") | relative_days(self._instructions, self.today)
        yield values_of(self._noted, "date")

    @cached_property
    def _shown_dates(self) -> frozenset[Value]:
        return frozenset(text[:10] for text in self._strings if text[:4].isdigit() and _day(text[:10]))

    @cached_property
    def shown_amounts(self) -> frozenset[int]:
        """The amounts and other numbers of results, in cents, with the sums of the columns of lists."""
        return frozenset((*map(round, self._measured), *_sums(self._values)))

    @cached_property
    def amounts(self) -> frozenset[Value]:
        """The same, and the amounts of the instructions."""
        return self.shown_amounts | values_of(self._instructions, "money_cents")

    @cached_property
    def counts(self) -> frozenset[int]:
        """Small whole numbers that it was told: of days, pieces and per cent."""
        return frozenset(int(n) for n in values_of(self._instructions, "number") if _is_small(n))

    def has_phrase(self, phrase: tuple[str, ...]) -> bool:
        """Whether something has the words of a name or a code; a code may be its number alone."""
        if f" {' '.join(phrase)} " in self._folded:
            return True
        number = phrase[-1]
        return number.isdigit() and (int(number[:18]) in self._keys or number in self._numbered(phrase[0]))

    @cached_property
    def instructed(self) -> frozenset[Value]:
        """Days and amounts of the instruction, the policy and the clock."""
        return values_of(self._instructions, "money_cents") | values_of(self._instructions, "date")

    @cached_property
    def rows(self) -> RowValues:
        """What was shown of each row that has a code."""
        return RowValues(self._values)

    def states(self, effects: Effects) -> RowStates | None:
        """The world's rows as the calls left them."""
        if self._states is None or self._states[0] is not effects:
            self._states = effects, self._states_with(effects)
        return self._states[1]

    def _states_with(self, effects: Effects) -> RowStates | None:
        if effects.rows is None:
            return None
        tables = {
            table
            for noun, table in (effects.rows.nouns.items() if self.touched is None else ())
            if any(deed.nouns.issuperset(noun) for deed in effects.needed)
        }
        return RowStates(
            effects.rows,
            self._values,
            touched=self.touched,
            tables=tables,
            own=effects.own,
            written=[each[-1] if isinstance(each, list | tuple) else each for each in self._written],
        )

    def grounding(self, effects: Effects, instruction: str, right: str) -> Grounding | None:
        """What an answer's assertions are held against; None where the world's rows are not known.

        Args:
            effects: What the right end consists of.
            instruction: What was asked.
            right: A right answer, and what stands in the way of the task.
        """
        if effects.rows is None:
            return None
        known = (id(effects), instruction, right)
        if known not in self._groundings:
            texts = _task_texts(instruction, right, self._instructed_text, self.today)
            self._groundings = {
                known: Grounding(
                    [*self._given, *self._written], texts, effects.rows, effects.deeds, self._written
                )
            }
        return self._groundings[known]

    @cached_property
    def today(self) -> date | None:
        """The day of the clock; None where it is not known."""
        return next((day_of(text) for text in self._texts if _CLOCK.fullmatch(text)), None)

    def mismatched(self, document: ParsedText) -> Iterator[str]:
        """What of an answer is wrong by its form: a weekday, a currency, an address."""
        days = self._shown_dates if names_a_weekday(document) else ()
        if weekday := mismatched_weekday(document, {*map(str, days)}, self.today):
            yield f"it calls a day {weekday.capitalize()} that is none"
        if currency := other_currency(document, self._instructions):
            yield f"it tells an amount in {currency}"
        has_codes = any(token.kind == "code" for token in document.tokens)
        texts = [*self._texts, *self._strings] if has_codes and self.complete else ()
        if texts and (contact := unknown_contact(document, texts)):
            yield f"it names what the episode did not show: {contact[:80]}"

    @cached_property
    def rule_numbers(self) -> RuleNumbers:
        """The numbers of rules, and the days of the rows."""
        return RuleNumbers(self._instructions, today=self.today, values=self._values)

    @cached_property
    def _keys(self) -> frozenset[float]:
        """The numbers that rows are told apart by, and those that stand under no name."""
        return frozenset(number for name, number in self._values.numbers if _is_key(name))

    def _numbered(self, kind: str) -> frozenset[str]:
        """The numbers of texts that codes of a kind may have: "order 2010" for "OR", not "DE-2010"."""
        return frozenset(
            number
            for before, number in self._pairs
            if len(before) > _LONGEST_KIND or before.startswith(kind) or before in _NUMBERING
        )

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        """The numbers of all texts, each with the word before it."""
        words = (["no", *atoms(text)] for text in self._strings)
        return frozenset(pair for each in words for pair in pairwise(each) if pair[1].isdigit())


def unsupported(document: ParsedText, effects: Effects, observed: Observations) -> str:
    """What a text tells that nothing an agent could know has, in words; empty where nothing is.

    Args:
        document: The answer.
        effects: What the right end consists of, and the world's names.
        observed: What the episode showed.
    """
    return next(_unsupported(document, effects, observed), "")


def _unsupported(document: ParsedText, effects: Effects, observed: Observations) -> Iterator[str]:
    for phrase, at in unknown_names(document, effects):
        if _is_asserted(document, at) and not observed.has_phrase(phrase) and observed.complete:
            yield f"it names what the episode did not show: {' '.join(phrase)[:80]}"
    for at, token in enumerate(document.tokens):
        days, amounts = token.values.get("date"), token.values.get("money_cents")
        if not (days or amounts) or not _is_asserted(document, at):
            continue
        if days:
            if not _is_a_known_day(days, document, at, effects, observed) and observed.complete:
                yield "it tells a day that the episode did not show"
            continue
        is_known = not (amounts and is_amount(token)) or _is_an_amount(amounts, effects, observed)
        if not is_known and observed.complete:
            yield "it tells an amount that the episode did not show"
    yield from observed.mismatched(document)
    # Rows are read only for an answer that names one: an episode's results are long.
    names_a_row = any(token.kind == "code" for token in document.tokens)
    if names_a_row and observed.complete:
        yield from filter(None, [observed.rows.swapped(document, observed.instructed)])
    if states := observed.states(effects):
        yield from filter(None, [states.untrue(document), untrue_share(document, states)])
    yield from filter(None, [observed.rule_numbers.untrue(document)])


def _sentence(document: ParsedText, at: int) -> Sentence | None:
    number = document.chunk_of[at]
    return document.sentences[document.chunks[number].sentence] if number >= 0 else None


def _is_asserted(document: ParsedText, at: int) -> bool:
    """Whether a place is within a sentence that asks nothing."""
    sentence = _sentence(document, at)
    return sentence is not None and not sentence.question


def _tells_the_past(document: ParsedText, at: int) -> bool:
    """Whether a clause tells what was, which follows from no rule."""
    chunk = document.chunks[document.chunk_of[at]]
    words = document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]
    is_open = any(token.text in _OPEN for token in words)
    return not is_open and any(is_past(token.text) for token in words)


def _is_a_known_day(
    days: frozenset[Value], document: ParsedText, at: int, effects: Effects, observed: Observations
) -> bool:
    """Whether a day is one that was shown, or follows from such where that may be meant."""
    if is_denied_day(document, at):
        return True
    is_bound = is_bound_day(document, at)
    if is_bound and observed.today:
        days = with_year(days, observed.today.year)
    follows = is_bound or not _tells_the_past(document, at)
    if effects.has("date", days) or _is_a_day(days, effects, observed, follows):
        return True
    return is_reckoned_day(document, at, observed.counts, observed.today)


def _is_a_day(days: Iterable[Value], effects: Effects, observed: Observations, follows: bool) -> bool:
    """Whether a day is known, or some known number of days before or after one that is."""
    known: set[str] = set()
    for shown in chain((effects.dates,), observed.dates()):
        known.update(map(str, shown))
        if any(_is_same_day(str(day), other) for day in days for other in known):
            return True
    stated = [day for value in days if (day := _day(str(value))) is not None]
    others = [day for value in known if (day := _day(value)) is not None]
    return follows and any(abs((day - other).days) in observed.counts for day in stated for other in others)


def _is_same_day(one: str, other: str) -> bool:
    """Whether two ISO texts may be one day; a day of no year is of any."""
    is_any_year = _NO_YEAR in (one[:4], other[:4])
    return one == other or (is_any_year and one[4:] == other[4:])


def _day(text: str) -> date | None:
    if not text[:4].isdigit():  # nearly always; to learn that from an error takes ten times as long
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _is_an_amount(amounts: Iterable[Value], effects: Effects, observed: Observations) -> bool:
    """Whether an amount is known or follows from known ones: a sum, a difference, a multiple, a share."""
    if not observed.shown_amounts.isdisjoint(map(int, amounts)):
        return True
    terms = [int(a) for a in (*effects.amounts, *observed.amounts) if isinstance(a, int | float)]
    known = frozenset(terms)
    return any(_follows(int(amount), known, observed.counts) for amount in amounts)


def _follows(amount: int, known: frozenset[int], counts: frozenset[int]) -> bool:
    if amount in known or any(n and amount % n == 0 and amount // n in known for n in counts):
        return True
    if any(round(term * share / 100) == amount for term in known for share in counts):
        return True
    terms = known if len(known) <= _MOST_TERMS else ()
    return any(amount - term in known or amount + term in known for term in terms)


@lru_cache(maxsize=_MOST_TASK_TEXTS)
def _task_texts(instruction: str, right: str, rules: str, today: date | None) -> TaskTexts:
    return TaskTexts(parsed(instruction), parsed(right), parsed(rules), today)


def _is_key(name: str) -> bool:
    return not name or name.rpartition("_")[2] in _KEY_NAMES


def _sums(values: JsonValues) -> Iterator[int]:
    """The sum of each column of each list of objects."""
    for rows in values.lists_of_objects:
        for name in [name for name in rows[0] if str(name).endswith(_MONEY)]:
            yield sum(int(row[name]) for row in rows if _is_whole(row.get(name)))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_small(value: Any) -> bool:
    return is_number(value) and value == int(value) and 0 < value <= 400
