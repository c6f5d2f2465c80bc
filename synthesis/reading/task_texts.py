"""TaskTexts: what an agent was told before its calls, and a right answer to that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.document import ParsedText, Phrase
from synthesis.reading.fact_values import values_of
from synthesis.reading.lexicon import STOP_WORDS
from synthesis.reading.mentions import Value
from synthesis.reading.rule_numbers import quantities
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import keys, word_set

_RULING = word_set(
    "may can could must limit limits most least maximum minimum within up allow allowed permitted rule rules "
    "policy only per than cap capped capping need needs require requires required until longer over above "
    "below under exceed exceeds counted charged each every after before at"
)
"""Words of a clause that tells a rule."""

_BESIDE, _ALIKE, _MOST_ALIKE = 9, 2, 4
_BETWEEN = "between"
_INTERVAL = word_set("between apart")
_UNTELLING = keys("rule rules policy day days week weeks last within between apart must need want ask two")
_MOST_ALLOWED, _LARGEST_SHARE = keys("nobody open limit most"), 20
_LIMIT = "limit"
"""The key of "at most", "limit" and the like."""

HALF = "half"
"""Among the units of rules: a share that is told in a word."""


class RuledNumber(NamedTuple):
    """A number of a rule, with the keys of the words of its sentence, and of those beside it."""

    number: int
    keys: frozenset[str]
    near: frozenset[str] = frozenset()


@dataclass
class TaskTexts:
    """What an agent was told."""

    instruction: ParsedText
    right: ParsedText
    """A right answer with what stands in the way of the task."""
    rules: ParsedText
    today: date | None

    def values(self, type: str, *, rules: bool) -> frozenset[Value]:
        """The values of a type; those of the rules where a clause tells one."""
        return self._values[type] | (self._ruled[type] if rules else frozenset())

    @cached_property
    def _values(self) -> dict[str, frozenset[Value]]:
        return {
            type: values_of(self.instruction, type) | values_of(self.right, type)
            for type in ("date", "time", "money_cents", "number")
        }

    @cached_property
    def relative_days(self) -> frozenset[str]:
        """The days of which the instruction says "yesterday" or "tomorrow"."""
        return relative_days(self.instruction, self.today)

    @cached_property
    def _ruled(self) -> dict[str, frozenset[Value]]:
        ruled = {type: values_of(self.rules, type) for type in ("date", "time", "number")}
        amounts = (
            token.values.get("money_cents", frozenset()) for token in self.rules.tokens if is_amount(token)
        )
        return {**ruled, "money_cents": frozenset().union(*amounts)}

    @cached_property
    def quantities(self) -> frozenset[tuple[str, int]]:
        """The numbers of rules, with their units."""
        return frozenset(
            (unit, number)
            for text in (self.rules, self.instruction, self.right)
            for unit, number, _ in quantities(text.tokens, 0, len(text.tokens))
        )

    @cached_property
    def ruled(self) -> dict[str, list[RuledNumber]]:
        """The numbers of rules by their units, each with the words of its sentence."""
        matches: dict[str, list[RuledNumber]] = {}
        for text in (self.rules, self.instruction, self.right):
            for unit, number, at in quantities(text.tokens, 0, len(text.tokens)):
                sentence = text.sentences[text.chunks[text.chunk_of[at]].sentence]
                words = frozenset(token.key for token in text.tokens[sentence.first : sentence.last])
                near = text.tokens[max(sentence.first, at - _BESIDE) : min(at + _BESIDE, sentence.last)]
                matches.setdefault(unit, []).append(RuledNumber(number, words, telling_keys(near)))
            for at, token in enumerate(text.tokens):
                if token.text == "half" and text.text[token.end : token.end + 1] != "-":
                    chunk = text.chunk_of[at]
                    sentence = text.sentences[text.chunks[chunk].sentence]
                    words = frozenset(each.key for each in text.tokens[sentence.first : sentence.last])
                    matches.setdefault(HALF, []).append(RuledNumber(50, words))
        return matches

    def is_ruled(
        self, unit: str, count: int, words: Sequence[TextToken], nouns: Sequence[frozenset[str]]
    ) -> bool:
        """Whether a rule has a number with its unit: the one that is alike where a sentence tells one, or one
        for what is spoken of where there are any.

        Args:
            unit: The key of the unit.
            count: The number.
            words: The sentence.
            nouns: What the things it speaks of are called, as keys.
        """
        rules, telling = self.ruled.get(unit, ()), telling_keys(words)
        alike = [len(telling & rule.near) for rule in rules]
        best = max(alike, default=0)
        if best >= (_ALIKE if _BETWEEN in telling else _MOST_ALIKE):
            return any(rule.number == count and n == best for rule, n in zip(rules, alike, strict=True))
        own = [rule for rule in rules if any(noun and noun <= rule.keys for noun in nouns)]
        return any(rule.number == count for rule in own or rules)

    @cached_property
    def rule_lines(self) -> list[tuple[frozenset[str], frozenset[Value], frozenset[Value]]]:
        """By line of the rules: the keys of its words, its amounts in cents, and its other numbers.

        What a request asks for ("with freight 230.00") is no rule, unless it states a limit of its own.
        """
        lines: list[tuple[frozenset[str], frozenset[Value], frozenset[Value]]] = []
        asked = {tuple(token.text for token in line) for line in _lines(self.instruction)}
        for line in _lines(self.rules):
            money = [token.values["money_cents"] for token in line if is_amount(token)]
            numbers = [token.values.get("number", ()) for token in line if not is_amount(token)]
            words = frozenset(token.key for token in line)
            if _LIMIT in words or tuple(token.text for token in line) not in asked:
                lines.append((words, frozenset().union(*money), frozenset().union(*numbers)))
        return lines

    @cached_property
    def most_allowed(self) -> frozenset[int]:
        """The small numbers of rules on how many of something anybody may have."""
        return frozenset(
            number
            for words, _, numbers in self.rule_lines
            if not words.isdisjoint(_MOST_ALLOWED)
            for number in numbers
            if isinstance(number, int) and 1 < number <= _LARGEST_SHARE
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the instruction and of a right answer."""
        return frozenset(token.text for text in (self.instruction, self.right) for token in text.tokens)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Their keys."""
        return frozenset(token.key for text in (self.instruction, self.right) for token in text.tokens)

    @cached_property
    def all_keys(self) -> frozenset[str]:
        """The keys of the words of all that the agent was told, and of a right answer."""
        return self.keys | frozenset(token.key for token in self.rules.tokens)

    def has_phrase(self, phrase: Phrase) -> bool:
        """Whether the instruction or a right answer has a name or a state."""
        return f" {' '.join(phrase)} " in self._folded

    @cached_property
    def _folded(self) -> str:
        return (
            "".join(f" {atom}" for text in (self.instruction, self.right) for atom, _, _ in text.atoms) + " "
        )


def telling_keys(words: Sequence[TextToken]) -> frozenset[str]:
    """The keys of words that tell what a number of a rule is of; "within the last" tells an interval."""
    texts = [token.text for token in words]
    is_interval = not _INTERVAL.isdisjoint(texts) or (
        "last" in texts and not {"within", "in"}.isdisjoint(texts)
    )
    telling = frozenset(token.key for token in words if token.kind == "word" and token.text not in STOP_WORDS)
    return telling - _UNTELLING | (frozenset((_BETWEEN,)) if is_interval else frozenset())


def relative_days(document: ParsedText, today: date | None) -> frozenset[str]:
    """The days of which a text says "yesterday" or "tomorrow", as ISO texts."""
    words = {token.text for token in document.tokens} if today else set()
    steps = [step for word, step in (("yesterday", -1), ("tomorrow", 1)) if word in words]
    return frozenset((today + timedelta(step)).isoformat() for step in steps if today)


def _lines(document: ParsedText) -> Iterator[list[TextToken]]:
    """The lines of a text, without empty ones."""
    for is_end, group in groupby(document.tokens, lambda token: token.kind == "line"):
        if not is_end:
            yield list(group)


def tells_a_rule(texts: frozenset[str]) -> bool:
    """Whether a clause has words of a rule."""
    return not texts.isdisjoint(_RULING)
