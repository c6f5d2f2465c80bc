"""Values beside: other values of an answer that contradict nothing, by what they are told of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from synthesis.reading.attribution import NUMBERED
from synthesis.reading.document import ParsedText
from synthesis.reading.fact_values import is_whole
from synthesis.reading.mentions import Fact, Mention, label_keys
from synthesis.reading.past_tense import is_past
from synthesis.reading.structure import Sentence
from synthesis.reading.words import key, keys, word_set

_NEAR = 12
_IN_ALL = word_set("altogether total all sum together overall combined")
_SUMMED = frozenset(map(key, ("total", "sum", "altogether")))
_AT, _EACH = word_set("at @ x \u00d7 *"), word_set("per each apiece a an")
_RATES = frozenset(map(key, word_set("price rate cost fee fare each charge")))
_EXCLUDED = word_set("excluded omitted skipped excluding omitting ignored")
_SHORT = 4
_EXPRESSION = 40
"""Characters within which what a number is worked with comes to something."""
_SIGNS = frozenset("+*×x/")
_REMAINING = frozenset(map(key, ("left", "remaining", "free")))
_TAKEN = word_set("taken confirmed occupied booked sold reserved")
_RUNNERS_UP = word_set("other others next runner-up runner runners behind")
_HAVING, _TOPPING = (
    word_set("has have had each with"),
    word_set("most busiest top leads more instead actually"),
)
_MOST_KEYS = frozenset((key("most"), key("busiest"), key("fewest")))
_FIRST = keys("first earliest oldest soonest next")
_NO_YEAR, _MONTH = "0000", len("0000-")
_REST = word_set("other others rest remaining")
_SPANS = keys("day week month year hour minute")
_ADDING = word_set("stock add adds come comes came total together altogether sum")
_OF, _STARTING = frozenset(("of", "with")), word_set("stock started began starting beginning")
"""Words by which a number is told of what there was at first: "our stock of 34", "started with 62"."""


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
        self._rights = [mention for mention in mentions if mention.right]

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
            or self._is_runner_up(mention)
            or self._is_stock(mention)
            or self._is_after_that(mention)
            or self._was_changed(mention)
            or self._is_span(mention)
            or self._counts_another_act(mention)
            or self._is_of_the_others(mention)
            or self._is_behind_the_first(mention)
            or self._is_of_another_row(mention)
            or self._would_have_been(mention)
        )

    def is_worked(self, mention: Mention) -> bool:
        """Whether a number is only what the right one was worked out from."""
        return self._is_operand(mention) or self._is_taken(mention) or self._is_lessened(mention)

    def _is_lessened(self, mention: Mention) -> bool:
        """Whether the right number is what is left of a sum when another of its sentence is taken off: "they
        come to 6 and 2 were in stock"."""
        if self.fact.type != "number" or not isinstance(self.fact.value, int) or not self.fact.value:
            return False
        sentence = self.document.sentences[self.document.chunks[mention.chunk].sentence]
        first, last = max(sentence.first, mention.first - 2 * _NEAR), mention.last + 2 * _NEAR
        words = self.document.tokens[first : min(sentence.last, last)]
        after = self.document.tokens[mention.last : min(sentence.last, mention.last + _SHORT)]
        if _ADDING.isdisjoint(word.text for word in words) or any(
            is_past(word.text) and word.key in self.label for word in after
        ):
            return False  # "six units were added"
        own = [value for value in mention.values if isinstance(value, int)]
        near = [value for word in words for value in word.values.get("number", ()) if isinstance(value, int)]
        return any(abs(value - each) == self.fact.value for value in own for each in near)

    def _is_operand(self, mention: Mention) -> bool:
        """Whether a number is worked with and not what comes out: "12 - (3 + 3 + 1 + 2) = 3"."""
        if self.fact.type not in ("number", "money_cents") or not self._rights:
            return False
        text, tokens = self.document.text, self.document.tokens
        first, last = tokens[mention.first].start, tokens[mention.last - 1].end
        before, after = text[max(0, first - 3) : first].strip(" ("), text[last : last + 3].strip(" )")
        signs = _SIGNS | {"-"} if "=" in text[first : first + _EXPRESSION] else _SIGNS
        is_whole = after[:1] == "=" and not self._is_result(mention)
        return before[-1:] in signs or after[:1] in signs or is_whole

    def _is_result(self, mention: Mention) -> bool:
        """Whether the right value stands before it in its sentence."""
        number = self.document.chunks[mention.chunk].sentence
        first = self.document.sentences[number].first
        return any(first <= each.first < mention.first for each in self._rights)

    def _is_taken(self, mention: Mention) -> bool:
        """Whether a number is of what is taken, where it was asked what is left: "10 of 10 places taken"."""
        tokens, chunk = self.document.tokens, self.document.chunks[mention.chunk]
        after = tokens[mention.last : min(chunk.last, mention.last + _NEAR)]
        is_asked = not self.label.isdisjoint(_REMAINING)
        return (
            self.fact.type == "number"
            and is_asked
            and any(token.text in _TAKEN for token in after)
            and any(each.chunk != mention.chunk for each in self._rights)
        )

    def _was_changed(self, mention: Mention) -> bool:
        """Whether a value is what the right one was before: "from 4 to 12 units"."""
        tokens = self.document.tokens
        rights = [each.first for each in self._rights]
        if self.fact.type not in ("number", "money_cents"):
            return False  # a range of days
        follows = [token.text for token in tokens[mention.last : mention.last + 1]]
        return tokens[mention.first - 1].text == "from" and follows == ["to"] and mention.last + 1 in rights

    def _is_span(self, mention: Mention) -> bool:
        """Whether a number is of days or the like, where no such span is asked for: "3 days overdue"."""
        follows = self.document.tokens[mention.last : mention.last + 1]
        return self.fact.type == "number" and any(
            word.key in _SPANS and word.text not in self.fact.name.split() for word in follows
        )

    def _counts_another_act(self, mention: Mention) -> bool:
        """Whether it tells how often something else was done than was asked for: "2 moved, 0 cancelled"."""
        if self.fact.type != "number" or not (act := self._act_of(mention)) or act in self.label:
            return False
        return any(self._act_of(right) in self.label for right in self._rights)

    def _act_of(self, mention: Mention) -> str:
        """The key of the participle that stands right behind a number; empty without one."""
        follows = self.document.tokens[mention.last : mention.last + 1]
        return follows[0].key if follows and is_past(follows[0].text) else ""

    def _is_of_the_others(self, mention: Mention) -> bool:
        """Whether a day is told of the others, behind the right one: "the others follow on 4 and 5 May"."""
        if self.fact.type not in ("date", "time"):
            return False
        sentence = self.document.sentences[self.document.chunks[mention.chunk].sentence]
        first = max(sentence.first, mention.first - 2 * _NEAR)
        before = self.document.tokens[first : mention.first]
        place = next((first + at for at, word in enumerate(before) if word.text in _REST), -1)
        return place >= 0 and any(right.last <= place for right in self._rights)

    def _is_behind_the_first(self, mention: Mention) -> bool:
        """Whether a day comes after the right one, where the first is asked for and another is not called
        so: "RE-1, due on 2 May, and RE-2, due on 4 May"."""
        if self.fact.type != "date" or self.label.isdisjoint(_FIRST):
            return False
        chunk = self.document.chunks[mention.chunk]
        words = self.document.tokens[max(chunk.first, mention.first - _NEAR) : mention.first]
        right = str(self.fact.value)
        is_later = all(
            str(value) > right or (str(value).startswith(_NO_YEAR) and str(value)[_MONTH:] > right[_MONTH:])
            for value in mention.values
        )
        is_called_first = any(word.key in _FIRST for word in words)
        return is_later and not is_called_first and any(map(self._is_called_first, self._rights))

    def _is_called_first(self, mention: Mention) -> bool:
        """Whether the sentence of a value tells that it is the first."""
        sentence = self.document.sentences[self.document.chunks[mention.chunk].sentence]
        words = self.document.tokens[sentence.first : min(sentence.last, sentence.first + 3 * _NEAR)]
        return mention.chunk >= 0 and any(word.key in _FIRST for word in words)

    def _is_of_another_row(self, mention: Mention) -> bool:
        """Whether a day is told behind another code than the right one: "PU-2, due on 4 May, was left"."""
        if self.fact.type not in ("date", "time") or not self.label.isdisjoint(_FIRST):
            return False
        own = self._code_before(mention)
        theirs = [self._code_before(right) for right in self._rights]
        return bool(own) and any(theirs) and own not in theirs

    def _code_before(self, mention: Mention) -> str:
        """The last code of its sentence before a value; empty without one."""
        first = self.document.sentences[self.document.chunks[mention.chunk].sentence].first
        words = self.document.tokens[max(first, mention.first - 2 * _NEAR) : mention.first]
        return next((word.text for word in reversed(words) if word.kind == "code"), "")

    def _would_have_been(self, mention: Mention) -> bool:
        """Whether a value is told as what another choice would have come to."""
        chunk = self.document.chunks[mention.chunk]
        words = self.document.tokens[max(chunk.first, mention.first - _NEAR) : mention.first]
        texts = {word.text for word in words}
        return {"would", "have"} <= texts and all(right.chunk != mention.chunk for right in self._rights)

    def _is_runner_up(self, mention: Mention) -> bool:
        """Whether a name is told as one of the others beside the right one: "next come Bo and Cleo with 2
        each", "the other two, Bo and Cleo, have three"."""
        if self.fact.type != "name":
            return False
        sentence = self.document.sentences[self.document.chunks[mention.chunk].sentence]
        first = max(sentence.first, mention.first - _NEAR)
        before = {token.text for token in self.document.tokens[first : mention.first]}
        is_aside = not any(first <= right.first < mention.last for right in self._rights)
        after = self.document.tokens[mention.last : min(sentence.last, mention.last + _NEAR)]
        counts = any("number" in token.values for token in after)
        is_next = bool(before & _RUNNERS_UP) or self._comes_after(sentence)
        return is_next and is_aside and counts

    def _comes_after(self, sentence: Sentence) -> bool:
        """Whether the right name of whoever has most was told in a sentence before, and of this one only how
        many it has: "Ada Lund has most. Bo Orr and Cleo Day each have 2"."""
        words = self.document.tokens[sentence.first : min(sentence.last, sentence.first + 3 * _NEAR)]
        texts = {token.text for token in words}
        return (
            not self.label.isdisjoint(_MOST_KEYS)
            and bool(self._rights)
            and all(right.last <= sentence.first for right in self._rights)
            and bool(texts & _HAVING)
            and not texts & _TOPPING
        )

    def _is_stock(self, mention: Mention) -> bool:
        """Whether a number is of what there was at first, which was not asked for."""
        before = self.document.tokens[max(0, mention.first - 2) : mention.first]
        return (
            self.fact.type == "number"
            and len(before) > 1
            and before[1].text in _OF
            and before[0].text in _STARTING
            and before[0].key not in self.label
        )

    def _is_after_that(self, mention: Mention) -> bool:
        """Whether a value is told of what comes after the right one: "the lesson after that is ..."."""
        chunk = self.document.chunks[mention.chunk]
        first = max(chunk.first, mention.first - _NEAR)
        before = [token.text for token in self.document.tokens[first : mention.first]]
        return any(pair == ("after", "that") for pair in pairwise(before)) and any(
            right.first < first for right in self._rights
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
