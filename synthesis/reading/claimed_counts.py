"""Claimed counts: how many things an answer says that something was done to, held against the calls."""

from __future__ import annotations

from synthesis.reading.counts import small_number
from synthesis.reading.deeds import alike_deeds
from synthesis.reading.document import ParsedText
from synthesis.reading.effects import Deed, Effects
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.words import word_set

WHY = word_set("because since as who which although though whereas while")
"""Words with which a clause begins that tells why, or more of somebody."""
SOME = word_set(
    "that which who eligible qualifying qualified allowed possible recent due time still right "
    "requested asked"
)
"""Words by which only some of the things of a kind are meant."""
_BEING, _PASSIVE = word_set("is are 's was were has have gets got"), word_set("was were been is are")
_OTHERWISE = NEGATIONS | ELSEWHERE | EARLIER | WHY
_MOST = 60


class ClaimedCounts:
    """Numbers of things that acts of a text are told of.

    Args:
        document: The answer.
        effects: What the right end consists of.
        asked: Keys of the instruction.
    """

    def __init__(self, document: ParsedText, effects: Effects, asked: frozenset[str]) -> None:
        self._document, self._effects, self._asked = document, effects, asked

    def is_miscounted(self, act: ReportedAct) -> bool:
        """Whether an act is told of another number of things than had to be done: "2 were cancelled"."""
        alike = alike_deeds(self._document, act, self._effects.deeds)
        most = max((len(deed.nouns & act.about) for deed in alike), default=0)
        alike = [deed for deed in alike if len(deed.nouns & act.about) == most]
        counts = {deed.calls for deed in alike}
        if not alike or len(counts) > 1 or counts & {0, None}:
            return False
        counted = self._counted(act, alike[0])
        return counted is not None and counted not in counts

    def _counted(self, act: ReportedAct, deed: Deed) -> int | None:
        """How many things an act is told of: the number right before its noun, or beside its verb."""
        chunk = self._document.chunks[self._document.chunk_of[act.at]]
        for at in range(max(chunk.first, act.at - 8), min(chunk.last, act.at + 8)):
            count = small_number(self._document.tokens, at)
            if count is None:
                continue
            follows = self._document.tokens[at + 1 : min(at + 4, chunk.last)]
            beside_noun = any(token.key in deed.nouns for token in follows)
            after_verb = at == act.at + 1 and not follows
            before_verb = at == chunk.first and bool(follows) and follows[0].text in _BEING
            if beside_noun or after_verb or before_verb:
                return count
        return None

    def miscounts_passively(self) -> bool:
        """Whether a clause begins with another number of what all called tools were called for, and tells
        an act of it by whatever verb: "Two jobs were passed on"."""
        return any(
            self._counts_otherwise(chunk.first, min(chunk.last, chunk.first + _MOST))
            for chunk in self._document.chunks
            if chunk.begins_with not in WHY
        )

    def _counts_otherwise(self, first: int, last: int) -> bool:
        count = small_number(self._document.tokens, first) if first < last else None
        being = next(
            (at for at in range(first, min(first + 6, last)) if self._document.tokens[at].text in _PASSIVE), 0
        )
        if count is None or not being or being + 1 >= last:
            return False
        nouns = {token.key for token in self._document.tokens[first + 1 : being]}
        counts = {deed.calls for deed in self._effects.needed if deed.nouns & nouns}
        texts = {token.text for token in self._document.tokens[first:last]}
        verb = self._document.tokens[being + 1]
        is_reported = is_past(verb.text) and verb.key in self._asked and verb.key not in self._effects.kinds
        return (
            is_reported
            and len(counts) == 1
            and not counts & {0, None, count}
            and not texts & (_OTHERWISE | SOME)
        )
