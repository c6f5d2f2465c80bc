"""Facts: whether a text states a fact, contradicts it, leaves it out, or cannot be told to do either.

The right value alone is not enough: it must be asserted (not denied, doubted or one of several), and no other
value may be said to answer the same question. A value that has a question of its own (another label, another
row) contradicts nothing; nor does one that stands in the instruction or adds up to the right one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from synthesis.reading.assertion import (
    goes_the_other_way,
    is_alternative,
    is_doubted,
    is_joined,
    is_negated,
    is_past,
)
from synthesis.reading.attribution import (
    is_of_another,
    is_over,
    is_taken_back_at_once,
    is_unreal,
    other_complement,
    was_before,
)
from synthesis.reading.booleans import boolean_status
from synthesis.reading.document import ParsedText, parsed
from synthesis.reading.fact_values import shown, values_of
from synthesis.reading.mentions import MOST_MENTIONS, Fact, Mention, label_keys, mentions_of
from synthesis.reading.peers import FactPeers
from synthesis.reading.pronoun_counts import is_pronoun
from synthesis.reading.values_beside import ValuesBeside
from synthesis.reading.words import key, word_set

Status = Literal["stated", "contradicted", "missing", "unclear"]
_MOST_SUMMANDS = 12
_MOST_WORDS = 200
_LABEL = 8
"""Words of a line's label that are read."""
_ONE_OF_THEM = frozenset(("for", "to", "of", "by", "with", "was", "is"))
_PREDICATING = word_set(
    "is are was : = as 's | be isn't say says said show shows read reads list lists or to"
)
_AT_SIGN = "@"
_POINTING = frozenset(("that", "this", "it", "which"))
_ENDS = frozenset(map(key, word_set("until end last finish latest expiry return to")))
_GENERAL = frozenset(
    key(word)
    for word in word_set(
        "answer result value figure total number amount else possible possibly maybe perhaps "
        "another rather instead actually either well again think believe say said reality fact "
        "alternatively otherwise hmm wait"
    )
)


@dataclass(frozen=True, slots=True)
class FactReading:
    """What a text says of one fact."""

    name: str
    status: Status
    problem: str = ""
    """Why it is not stated, in words; empty where it is."""

    @property
    def stated(self) -> bool:
        """Whether the text states it."""
        return self.status == "stated"

    @property
    def is_wrong(self) -> bool:
        """Whether nobody need look at it to see that the text does not state it."""
        return self.status in ("missing", "contradicted")


def read_facts(
    document: ParsedText,
    facts: Sequence[Fact],
    *,
    commits: bool,
    instruction: str,
    others: Mapping[str, Collection[str]],
    alone: bool = False,
) -> tuple[FactReading, ...]:
    """What a text says of each fact, in order.

    Args:
        document: The text.
        facts: What it must state.
        commits: Whether a value without a label of its own contradicts the right one (read tasks).
        instruction: What was asked; its values contradict nothing.
        others: By name of a fact: other values of its column.
        alone: Whether what else was asked is not known: another value is a contradiction only where it is
            said of the whole label.
    """
    asked = parsed(instruction)
    return tuple(
        _FactReader(document, fact, facts, commits, asked, others).read(alone=alone) for fact in facts
    )


class _FactReader:
    def __init__(
        self,
        document: ParsedText,
        fact: Fact,
        facts: Sequence[Fact],
        commits: bool,
        asked: ParsedText,
        others: Mapping[str, Collection[str]],
    ) -> None:
        self.document, self.fact, self.commits, self.asked = document, fact, commits, asked
        self.peers = FactPeers(document, fact, facts, asked)
        self.others = tuple(others.get(fact.name, ()))
        if fact.type in ("name", "text"):
            self.others += tuple(str(peer.value) for peer in self.peers.others)
        self.label = label_keys(fact.name)
        self.mentions: list[Mention] = []

    def read(self, *, alone: bool) -> FactReading:
        fact = self.fact
        if fact.type == "boolean" and not self.document.cut:
            status = boolean_status(fact.name, self.document, self.asked)
            if status is None:
                return FactReading(fact.name, "missing", "it is neither affirmed nor denied")
            right = status is fact.value
            return FactReading(
                fact.name, "stated" if right else "contradicted", "" if right else "it says the opposite"
            )
        if self.document.cut:
            return FactReading(fact.name, "unclear", "the answer is longer than what is read")
        mentions = mentions_of(fact, self.document, self.others)
        if len(mentions) > MOST_MENTIONS:
            return FactReading(fact.name, "unclear", "it lists too many values")
        self.mentions = mentions
        return self._decide(alone=alone)

    def _decide(self, *, alone: bool) -> FactReading:
        name = self.fact.name
        rights = [mention for mention in self.mentions if mention.right and not self._is_pronoun(mention)]
        plain = [mention for mention in rights if self.document.tokens[mention.first].text != "both"]
        rights = plain or rights
        rights = [mention for mention in rights if not self._is_of_the_rest(mention)] or rights
        if not rights:
            wrong = [m for m in self._distractors([]) if self._affinity(m) or self._is_bare(m)]
            if wrong:
                return FactReading(name, "contradicted", f"says {shown(wrong)} instead")
            return FactReading(name, "missing", "missing")
        taken_back = [at for at in self.document.retractions if at > rights[-1].first]
        if taken_back:
            return FactReading(name, "contradicted", "it is taken back")
        firm: list[Mention] = []
        problem = ""
        for mention in rights:
            flaw = self._flaw(mention)
            problem = problem or flaw
            if not flaw:
                firm.append(mention)
        strength = max((self._affinity(mention) for mention in firm), default=-1)
        outdone = bool(firm) and any(self._affinity(m) > strength and self._flaw(m) for m in rights)
        if not firm or outdone or (problem == "it is denied" and not self._is_repeated(firm, rights)):
            status: Status = (
                "contradicted" if problem in ("it is denied", "it answers another question") else "missing"
            )
            return FactReading(name, status, problem)
        if self.fact.type in ("name", "text") and (
            other := other_complement(self.label, self.mentions, self.document)
        ):
            return FactReading(name, "contradicted", f"also says {other}")
        distractors = self._distractors(firm)
        return self._against(
            firm, list(filter(self._is_same_question, distractors)) if alone else distractors
        )

    def _is_of_the_rest(self, mention: Mention) -> bool:
        """Whether a value stands in a line of its own for what was not done: "Not extended: 1"."""
        chunk = self.document.chunks[mention.chunk]
        first = max(self.document.sentences[chunk.sentence].first, 0)
        words = [token.text for token in self.document.tokens[first : min(mention.first, first + _LABEL)]]
        return words[:1] == ["not"] and words[-1:] == [":"]

    def _is_same_question(self, mention: Mention) -> bool:
        """Whether a value stands under this fact's whole label and nothing more: no other question has it."""
        wanted = self.label - _GENERAL or self.label
        return bool(wanted) and wanted <= mention.scope <= self.label | _GENERAL

    def _is_bare(self, mention: Mention) -> bool:
        """Whether a value without a label can only answer this question: "It is 180.00."."""
        return self.commits and not self.peers.others and not mention.scope - self.label - _GENERAL

    def _is_repeated(self, firm: list[Mention], rights: list[Mention]) -> bool:
        return len(firm) * 2 > len(rights)

    def _is_pronoun(self, mention: Mention) -> bool:
        return is_pronoun(
            self.document,
            mention,
            is_labelled=bool(self._affinity(mention)),
            is_shared=lambda: self.peers.is_shared(mention, self.label),
        )

    def _flaw(self, mention: Mention) -> str:
        """Why a right value is not asserted; empty where it is."""
        if mention.chunk < 0:
            return "missing"
        flaws = (
            (is_negated(mention, self.fact, self.document), "it is denied"),
            (self.peers.is_set_apart(mention), "it is denied"),
            (is_doubted(mention, self.fact, self.document, self.asked), "it is said with a doubt"),
            (is_past(mention, self.fact, self.document), "it is said of the past"),
            (is_over(mention, self.document), "it is said of the past"),
            (is_unreal(mention, self.document), "it is said under a condition"),
            (self._is_imagined(mention), "it is said under a condition"),
            (is_taken_back_at_once(mention, self.document), "it is taken back"),
            (is_of_another(mention, self.fact, self.document, self.asked), "it is said of another"),
            (self._is_one_of_several(mention), "it is one of several"),
            (goes_the_other_way(mention, self.fact, self.document), "it goes the other way"),
            (self.peers.answers_another(mention, self.mentions), "it answers another question"),
        )
        return next((flaw for applies, flaw in flaws if applies), "")

    def _is_imagined(self, mention: Mention) -> bool:
        """Whether a value of something that was done is told as what would be."""
        first = max(self.document.chunks[mention.chunk].first, mention.first - 8)
        before = [token.text for token in self.document.tokens[first : mention.first]]
        after = [token.text for token in self.document.tokens[mention.last : mention.last + 2]]
        if after == ["would", "have"]:
            return True
        subjects = [text for text, follows in pairwise(before) if follows == "would"]
        if "would" not in before or (subjects and subjects[-1] in _POINTING):
            return False
        if "have to" in " ".join(before):
            return not self.commits  # "would have to pay 580.00" tells what is owed
        return "have" in before or (not self.commits and bool(self.asked.tokens))

    def _is_one_of_several(self, mention: Mention) -> bool:
        if self.fact.type in ("name", "text"):
            return is_alternative(mention, self.document) and not self._is_only_address(mention)
        place = next(at for at, other in enumerate(self.mentions) if other is mention)
        for other in self.mentions[max(0, place - 1) : place] + self.mentions[place + 1 : place + 2]:
            if other.values == mention.values:
                continue
            joined = is_joined(mention, other, self.document, self.label)
            if joined == "or":
                return True
            if joined and self.fact.type in ("number", "money_cents") and self._is_range(mention, other):
                return True
            if joined and self.fact.type in ("date", "time") and self._ends_a_range(other, mention):
                return True
        return False

    def _is_only_address(self, mention: Mention) -> bool:
        """Whether an address stands beside an "or" with no other address: "write to a@b.org or call 555"."""
        sentence = self.document.sentences[self.document.chunks[mention.chunk].sentence]
        words = self.document.tokens[sentence.first : sentence.last][:_MOST_WORDS]
        return _AT_SIGN in str(self.fact.value) and sum(_AT_SIGN in token.text for token in words) == 1

    def _is_range(self, one: Mention, other: Mention) -> bool:
        first, second = (one, other) if one.first < other.first else (other, one)
        if second.right and self.document.tokens[first.first - 1].text == "from":
            return False  # "changed from 4 to 12"
        between = [token.text for token in self.document.tokens[first.last : second.first]]
        before = {token.text for token in self.document.tokens[max(0, first.first - 2) : first.first]}
        return between in (["-"], ["to"]) or (between == ["and"] and "between" in before)

    def _ends_a_range(self, start: Mention, end: Mention) -> bool:
        """Whether a right day or time is the end of a range and asked for as something else."""
        if start.first > end.first or self.label & _ENDS:
            return False
        between = {token.text for token in self.document.tokens[start.last : end.first]}
        if not between & {"to", "-", "until"}:
            return False
        return not (self.peers.is_known(start) or self.peers.is_of_peer(start))

    def _affinity(self, mention: Mention) -> int:
        return len(mention.scope & self.label)

    def _distractors(self, firm: list[Mention]) -> list[Mention]:
        """Other values that are said and that nothing explains."""
        best = max((self._affinity(mention) for mention in firm), default=0)
        aside = ValuesBeside(self.document, self.fact, self.peers.facts, self.mentions)
        distractors = []
        for mention in self.mentions:
            if mention.right or mention.weak or mention.chunk < 0:
                continue
            affinity = self._affinity(mention)
            if self.peers.is_known(mention) and (
                self.fact.type in ("name", "text") or affinity <= max(best, 1)
            ):
                continue
            if self.peers.is_of_peer(mention) and not self.peers.is_mine(mention):
                continue
            if aside.is_beside(mention) or self._is_listed_elsewhere(mention, firm):
                continue
            if is_negated(mention, self.fact, self.document) or was_before(mention, self.document):
                continue
            distractors.append(mention)
        distractors = [mention for mention in distractors if not self._is_end_of(mention, firm)]
        if firm and self._explains(distractors):
            return []
        distractors = [mention for mention in distractors if not aside.is_worked(mention)]
        return [] if firm and self._explains(distractors) else distractors

    def _is_listed_elsewhere(self, mention: Mention, firm: Sequence[Mention]) -> bool:
        """Whether a code stands in a list beside which the right one is told in the words asked for."""
        if self._is_option_in_a_table(mention, firm):
            return True
        if self.fact.type not in ("name", "text") or self.document.tokens[mention.first].kind != "code":
            return False
        text, start = self.document.text, self.document.tokens[mention.first].start
        line = text[text.rfind("\n", 0, start) + 1 : start].lstrip()
        return (
            line[:1] in ("-", "*")
            and not self._affinity(mention)
            and any(self._affinity(right) > 0 for right in firm if right.chunk != mention.chunk)
        )

    def _is_option_in_a_table(self, mention: Mention, firm: Sequence[Mention]) -> bool:
        """Whether a name is a row of a table that has the right one, too, which is told beside the table."""
        cells = self.document.chunks
        if self.fact.type != "name" or cells[mention.chunk].begins_with != "|":
            return False
        within = {cells[right.chunk].begins_with == "|" for right in self.mentions if right.right}
        return len(within) > 1 and any(cells[right.chunk].begins_with != "|" for right in firm)

    def _is_end_of(self, mention: Mention, firm: list[Mention]) -> bool:
        """Whether it is the other end of a range of days or times that begins with the right one."""
        if self.fact.type not in ("date", "time"):
            return False
        for right in firm:
            if 0 < mention.first - right.last <= 3 and {
                token.text for token in self.document.tokens[right.last : mention.first]
            } & {"to", "-", "until", "till"}:
                return True
        return False

    def _explains(self, distractors: list[Mention]) -> bool:
        """Whether other amounts add up to the right one, or lead to it by a subtraction."""
        if self.fact.type not in ("number", "money_cents"):
            return False
        summed = [mention for mention in distractors if not self._is_summand(mention)]
        distractors = (
            summed if 1 < len(summed) < len(distractors) else distractors
        )  # "8 (2 + 2 + 3 + 1) of 10"
        parts = [
            value for mention in distractors for value in mention.values if isinstance(value, int | float)
        ]
        right = {self.fact.value}
        ones = self._ones(distractors)
        known = {value for value in values_of(self.asked, self.fact.type) if isinstance(value, int | float)}
        if not 2 <= len(parts) + ones <= _MOST_SUMMANDS or not parts:
            return False
        if any(
            is_joined(one, other, self.document, self.label) == "or" for one, other in pairwise(distractors)
        ):
            return False
        biggest = max(parts)
        return (
            bool({sum(parts), sum(parts) + ones} & right)
            or 2 * biggest - sum(parts) in right
            or bool({sum(parts) + more for more in known} & right)
        )

    def _is_summand(self, mention: Mention) -> bool:
        """Whether a value stands beside a plus."""
        tokens = self.document.tokens
        beside = (
            *tokens[max(0, mention.first - 1) : mention.first],
            *tokens[mention.last : mention.last + 1],
        )
        return any(token.text == "+" for token in beside)

    def _ones(self, parts: list[Mention]) -> int:
        """How often "one" stands for one of what is counted: "two for her and one for him"."""
        if self.fact.type != "number":
            return 0
        sentences = {self.document.chunks[part.chunk].sentence for part in parts}
        spans = [self.document.sentences[number] for number in sentences]
        return sum(
            token.text == "one" and following.text in _ONE_OF_THEM
            for span in spans
            for token, following in pairwise(self.document.tokens[span.first : span.last][:_MOST_WORDS])
        )

    def _against(self, firm: list[Mention], distractors: list[Mention]) -> FactReading:
        """What stands against the right value that is said."""
        name = self.fact.name
        best = max(firm, key=self._affinity)
        affinity = self._affinity(best)
        doubtful: list[Mention] = []
        for distractor in distractors:
            joined = [is_joined(mention, distractor, self.document, self.label) for mention in firm]
            if "or" in joined or all(joined):
                return FactReading(name, "contradicted", f"also says {shown([distractor])}")
            if self.fact.type == "text" and not self._is_predicate(distractor):
                continue
            if any(joined) or self._is_of_a_row(distractor, firm) or self._is_of_a_column(distractor, firm):
                continue
            theirs = self._affinity(distractor)
            own = distractor.scope - self.label - _GENERAL
            if theirs > affinity or (theirs == affinity > 0 and not own):
                return FactReading(name, "contradicted", f"also says {shown([distractor])}")
            if theirs == affinity > 0 and not (best.scope - self.label - _GENERAL):
                continue
            if theirs == affinity > 0 and self.commits:
                doubtful.append(distractor)
            elif not own and not theirs and self.commits:
                return FactReading(name, "contradicted", f"also says {shown([distractor])}")
        if doubtful:
            return FactReading(name, "unclear", f"says {shown(doubtful)} in the same place")
        return FactReading(name, "stated")

    def _is_of_a_row(self, mention: Mention, firm: Sequence[Mention]) -> bool:
        """Whether a value is in a table's row that begins with a code, where the right one is in no table."""
        chunk = self.document.chunks[mention.chunk]
        first = self.document.sentences[chunk.sentence].first
        label = [token.kind == "code" for token in self.document.tokens[first : first + 2]]
        is_outside = all(self.document.chunks[each.chunk].begins_with != "|" for each in firm)
        return chunk.begins_with == "|" and is_outside and any(label)

    def _is_of_a_column(self, mention: Mention, firm: Sequence[Mention]) -> bool:
        """Whether a value is in another column of a table than the right one, whose header was asked for."""
        chunk = self.document.chunks[mention.chunk]
        cells = [self.document.chunks[each.chunk] for each in firm]
        return chunk.begins_with == "|" and any(
            cell.begins_with == "|"
            and (cell.given & self.label) - chunk.given
            and not chunk.given & self.label - cell.given
            for cell in cells
        )

    def _is_predicate(self, mention: Mention) -> bool:
        """Whether a word is said to be so ("is now open"), not used of something else ("the open one")."""
        if any(sign.isdigit() for sign in str(self.fact.value)):
            return True
        for at in range(mention.first - 1, max(-1, mention.first - 4), -1):
            text = self.document.tokens[at].text
            if text in _PREDICATING:
                return True
            if text not in ("now", "currently", "still", "also", "actually", "really", "to"):
                return False
        return False
