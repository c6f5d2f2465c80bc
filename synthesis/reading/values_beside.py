"""Values beside: other values of an answer that contradict nothing, by what they are told of."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.reading.attribution import NUMBERED
from synthesis.reading.document import ParsedText
from synthesis.reading.fact_values import is_whole
from synthesis.reading.mentions import Fact, Mention, label_keys
from synthesis.reading.words import key, word_set

_NEAR = 12
_IN_ALL = word_set("altogether total all sum together overall combined")
_SUMMED = frozenset(map(key, ("total", "sum", "altogether")))
_AT, _EACH = word_set("at @ x \u00d7 *"), word_set("per each apiece a an")
_RATES = frozenset(map(key, word_set("price rate cost fee fare each charge")))
_EXCLUDED = word_set("excluded omitted skipped excluding omitting ignored")


class ValuesBeside:
    """The values of a text beside that of a fact.

    Args:
        document: The text.
        fact: The fact.
        facts: All facts of its type.
        mentions: The values of its type that the text has.
    """

    def __init__(
        self, document: ParsedText, fact: Fact, facts: Sequence[Fact], mentions: Sequence[Mention]
    ) -> None:
        self.document, self.fact, self.facts, self.mentions = document, fact, facts, mentions
        self.label = label_keys(fact.name)

    def is_beside(self, mention: Mention) -> bool:
        """Whether a value is plainly none that could be the fact's."""
        return (
            self._is_whole(mention)
            or self._counts_another_noun(mention)
            or self._was_already(mention)
            or self._is_of_a_numbered_one(mention)
            or self._is_sum_of_all(mention)
            or self._is_rate(mention)
            or self._is_left_out(mention)
        )

    def _counts_another_noun(self, mention: Mention) -> bool:
        """Whether it counts other things than were asked for, which are counted too: "two teachers: Ida Bell
        (3 lessons), Max Orr (4)"."""
        if self.fact.type != "number" or not self._noun_of(mention) or self._noun_of(mention) in self.label:
            return False
        return any(self._noun_of(other) in self.label for other in self.mentions)

    def _noun_of(self, mention: Mention) -> str:
        """The key of the noun in the plural that stands right behind a number; empty without one."""
        follows = self.document.tokens[mention.last : mention.last + 1]
        is_noun = bool(follows) and follows[0].kind == "word" and follows[0].text.endswith("s")
        return follows[0].key if is_noun and not follows[0].text.endswith("ss") else ""

    def _was_already(self, mention: Mention) -> bool:
        """Whether a value is of what had been so before: "with 20.00 already paid"."""
        after = self.document.tokens[mention.last : mention.last + 2]
        return any(token.text == "already" for token in after) and "already" not in self.fact.name

    def _is_of_a_numbered_one(self, mention: Mention) -> bool:
        """Whether a value is of "the second one", which was not asked for."""
        chunk = self.document.chunks[mention.chunk]
        first = max(chunk.first, mention.first - _NEAR)
        return any(
            token.text in NUMBERED and token.key not in self.label
            for token in self.document.tokens[first : mention.first]
        )

    def _words_around(self, mention: Mention) -> frozenset[str]:
        """The words of a value's clause, as they are written."""
        chunk = self.document.chunks[mention.chunk]
        first, last = max(chunk.first, mention.first - _NEAR), min(chunk.last, mention.last + _NEAR)
        return frozenset(token.text for token in self.document.tokens[first:last])

    def _is_sum_of_all(self, mention: Mention) -> bool:
        """Whether a value is told as what all that is asked for comes to: "sixteen altogether"."""
        values = [each.value for each in self.facts if isinstance(each.value, int | float)]
        is_sum = len(values) > 1 and sum(values) in mention.values and not self.label & _SUMMED
        return is_sum and not _IN_ALL.isdisjoint(self._words_around(mention))

    def _is_rate(self, mention: Mention) -> bool:
        """Whether an amount is for one of something, where no rate is asked for: "54 kg at 0.32 each"."""
        if self.fact.type != "money_cents" or self.label & _RATES:
            return False
        before = [token.text for token in self.document.tokens[max(0, mention.first - 1) : mention.first]]
        after = [token.text for token in self.document.tokens[mention.last : mention.last + 1]]
        return bool(_AT.intersection(before)) or bool(_EACH.intersection(after))

    def _is_left_out(self, mention: Mention) -> bool:
        """Whether a value is told as none of those asked for: "Lift 2 was left out"."""
        return self.fact.type in ("name", "text") and bool(
            ("out" in (words := self._words_around(mention)) and words & {"left", "leaving"})
            or words & _EXCLUDED
        )

    def _is_whole(self, mention: Mention) -> bool:
        """Whether it is what another value is a part of: "2 of 6 visits"."""
        return is_whole(self.document.tokens, mention.first)
