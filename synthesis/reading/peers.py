"""Peers: the other facts of a fact's type, and which of them a value answers."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.reading.computed import cached_property
from synthesis.reading.document import ParsedText
from synthesis.reading.fact_values import phrase_of, value_of, values_of
from synthesis.reading.mentions import Fact, Mention, label_keys, marks, mentions_of
from synthesis.reading.words import keys, word_set

_NEAR = 4
_OF_ALL = frozenset(("both", "each", "all", "same", "either", "respectively", "likewise", "equally"))
_SO = word_set("is are was were has have does do did can will")
_NOT_SO = word_set("isn't aren't wasn't weren't hasn't haven't doesn't don't didn't can't cannot won't")
_SIGNS = word_set(". , ; ! :")
_PLACES = word_set("first second third fourth fifth sixth last other next one two three four five six the")
"""Words that only number facts which are asked for alike."""


def _unnumbered(name: str) -> frozenset[str]:
    return frozenset(name.lower().split()) - _PLACES


class FactPeers:
    """A fact among those of its type.

    Args:
        document: The text.
        fact: The fact.
        facts: All facts the text must state.
        asked: The instruction.
    """

    def __init__(self, document: ParsedText, fact: Fact, facts: Sequence[Fact], asked: ParsedText) -> None:
        self.document, self.fact, self.asked = document, fact, asked
        self.facts = [other for other in facts if other.type == fact.type]
        self.others = [other for other in self.facts if other is not fact]
        self.label = label_keys(fact.name)

    def answers_another(self, mention: Mention, mentions: Sequence[Mention]) -> bool:
        """Whether a right value is said of another fact of its type: two counts swapped.

        Args:
            mention: The value.
            mentions: All values of the type that the text has.
        """
        bound = False
        for peer in self.others:
            theirs = label_keys(peer.name)
            scope = self._scope_of(mention)
            own, other = len(scope & (self.label - theirs)), len(scope & (theirs - self.label))
            if other > own and not self._is_served(peer, theirs - self.label, other, mention, mentions):
                return not self._fits(peer, mention) or not self.is_shared(mention, self.label - theirs)
            bound = bound or own > 0
        if bound:
            return False
        return bool(self.others) and self._out_of_order(mention, mentions)

    def _is_served(
        self, peer: Fact, keys: frozenset[str], affinity: int, mention: Mention, mentions: Sequence[Mention]
    ) -> bool:
        """Whether another mention answers a peer at least as well."""
        return any(
            other is not mention and self._fits(peer, other) and len(other.scope & keys) >= affinity
            for other in mentions
        )

    def _out_of_order(self, mention: Mention, mentions: Sequence[Mention]) -> bool:
        """Whether values without labels stand in another order than they were asked for."""
        bare = [
            m
            for m in mentions
            if not any(m.scope & self._distinct(fact) for fact in self.facts) and not self.is_known(m)
        ]
        bound = {
            fact.name
            for fact in self.facts
            for m in mentions
            if m.scope & self._distinct(fact) and self._fits(fact, m)
        }
        free = [fact for fact in self.facts if fact.name not in bound]
        if not any(other is mention for other in bare):
            return False
        if len(bare) < len(free) and not self._is_of_all(mention):
            return sum(self._fits(fact, mention) for fact in free) > sum(
                m.values == mention.values for m in bare
            )
        # "The lift and the building of each": what is asked for of several is told in the order of each kind.
        alike = [fact for fact in free if _unnumbered(fact.name) == _unnumbered(self.fact.name)]
        if 1 < len(alike) < len(free):
            free, bare = alike, [m for m in bare if any(self._fits(fact, m) for fact in alike)]
        if len(bare) != len(free) or len(free) < 2:
            return False
        place = next(at for at, other in enumerate(bare) if other is mention)
        return free[place] is not self.fact and not self._fits(self.fact, mention, strictly=free[place])

    def _is_of_all(self, mention: Mention) -> bool:
        """Whether a value is said of several things at once: "both", "one each"."""
        sentence = self.document.sentences[self.document.chunks[mention.chunk].sentence]
        texts = {self.document.tokens[at].text for at in range(sentence.first, sentence.last)}
        return bool(texts & _OF_ALL)

    def is_shared(self, mention: Mention, keys: frozenset[str]) -> bool:
        """Whether the sentence of a value that two facts have speaks of this fact too."""
        sentence = self.document.sentences[self.document.chunks[mention.chunk].sentence]
        if self._is_of_all(mention):
            return True
        own = {key for _, key in self.document.content(sentence.first, sentence.last)}
        for at in range(sentence.first, sentence.last):
            own |= marks(self.document.tokens[at].values)
        return bool(own & keys)

    def _fits(self, fact: Fact, mention: Mention, strictly: Fact | None = None) -> bool:
        """Whether a mention has the value of a fact; with `strictly`, of both."""
        facts = (fact, strictly) if strictly else (fact,)
        return all(value_of(each) in mention.values for each in facts)

    def _distinct(self, fact: Fact) -> frozenset[str]:
        """The keys of a fact's name that not all of its type have."""
        shared = frozenset.intersection(*(label_keys(other.name) for other in self.facts))
        return label_keys(fact.name) - shared if len(self.facts) > 1 else label_keys(fact.name)

    def is_known(self, mention: Mention) -> bool:
        """Whether the instruction says the value."""
        if self.fact.type in ("name", "text"):
            return any(True for _ in self.asked.phrases(phrase_of(next(iter(mention.values)))))
        values = values_of(self.asked, self.fact.type)
        return any(value in values or f"0000{str(value)[4:]}" in values for value in mention.values)

    def is_set_apart(self, mention: Mention) -> bool:
        """Whether one of several things that are asked for alike is told apart: "Ada is free, Bo is not"."""
        tokens, chunk = self.document.tokens, self.document.chunks[mention.chunk]
        behind = [tokens[at].text for at in range(mention.last, min(mention.last + 3, chunk.last))]
        is_denied = bool(behind) and (behind[0] in _NOT_SO or (behind[0] in _SO and behind[1:2] == ["not"]))
        ends = len(behind) <= 1 + (behind[:1] != [] and behind[0] in _SO) or behind[-1] in _SIGNS
        if not (is_denied and ends):
            return False
        alike = [peer for peer in self.others if _unnumbered(peer.name) == _unnumbered(self.fact.name)]
        before, sentence = (
            self.document.sentences[at] for at in (max(chunk.sentence - 1, 0), chunk.sentence)
        )
        return any(
            before.first <= other.first < sentence.last
            for peer in alike
            for other in mentions_of(peer, self.document, ())
            if other.right
        )

    def is_of_peer(self, mention: Mention) -> bool:
        """Whether a value is another fact's."""
        return any(self._fits(peer, mention) for peer in self.others)

    def is_mine(self, mention: Mention) -> bool:
        """Whether another fact's value stands under this one's label."""
        fitting = [label_keys(peer.name) for peer in self.others if self._fits(peer, mention)]
        scope = self._scope_of(mention)
        return all(
            len(scope & (self.label - theirs)) > len(scope & (theirs - self.label)) for theirs in fitting
        )

    def _scope_of(self, mention: Mention) -> frozenset[str]:
        """What a value is said of: its scope, and a name right before it that facts are called after, such as
        "Ada Lund" before the value of "dog of Ada Lund": "Ada Lund with Rex"."""
        if self.fact.type not in ("name", "text") or not self._namesakes:
            return mention.scope
        chunk = self.document.chunks[mention.chunk]
        before = self.document.content(max(chunk.first, mention.first - _NEAR), mention.first)
        near = {key for _, key in before}
        return mention.scope.union(*(name for name in self._namesakes if name <= near))

    @cached_property
    def _namesakes(self) -> list[frozenset[str]]:
        """The names, as keys, that are the value of one fact and stand in the name of another."""
        names = [keys(value) for fact in self.facts if isinstance(value := fact.value, str)]
        labels = [label_keys(fact.name) for fact in self.facts]
        return [name for name in names if len(name) > 1 and any(name <= label for label in labels)]
