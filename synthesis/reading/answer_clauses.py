"""Clauses: what one clause of an answer says, with the rows that it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synthesis.reading.acts import VAGUE_OBJECTS
from synthesis.reading.computed import cached_property
from synthesis.reading.document import ParsedText, Phrase
from synthesis.reading.shown_row import Ident, Named
from synthesis.reading.structure import Chunk
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import keys

_OF_THE_USER = frozenset(("your", "this"))
_DONE = keys("done finished completed all everything set")

MOST_WORDS = 80
"""Words of a clause that are read."""


@dataclass
class AnswerClause:
    """A part of a sentence, with what it speaks of."""

    document: ParsedText
    chunk: Chunk
    named: Sequence[Named]
    """What it names itself."""
    subject: frozenset[Ident]
    """What it names, what its sentence or the one before names, or what was asked about."""
    is_named: bool
    """Whether its sentence names something."""
    states: Sequence[tuple[Phrase, int, int]]
    stated: Sequence[frozenset[Ident]]
    """By state: the rows that were shown in it."""
    sentence_rows: frozenset[Ident]
    """The rows that its sentence names."""
    default: frozenset[Ident]
    """What the whole task is about."""

    @cached_property
    def places(self) -> range:
        """Where its words stand."""
        return range(self.chunk.first, min(self.chunk.last, self.chunk.first + MOST_WORDS))

    @cached_property
    def valued(self) -> list[int]:
        """Where those of its words stand that may mean a value."""
        return [at for at in self.places if self.document.tokens[at].values]

    @cached_property
    def words(self) -> list[TextToken]:
        """Its words."""
        return [self.document.tokens[at] for at in self.places]

    @cached_property
    def texts(self) -> frozenset[str]:
        """Its words as they are written."""
        return frozenset(token.text for token in self.words)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Their keys."""
        return frozenset(token.key for token in self.words)

    @cached_property
    def sentence_words(self) -> list[TextToken]:
        """The words of its whole sentence."""
        sentence = self.document.sentences[self.chunk.sentence]
        return self.document.tokens[sentence.first : min(sentence.last, sentence.first + 2 * MOST_WORDS)]

    @cached_property
    def sentence_texts(self) -> frozenset[str]:
        """The same as they are written."""
        return frozenset(token.text for token in self.sentence_words)

    @cached_property
    def is_of_the_whole(self) -> bool:
        """Whether it tells of no thing, only that what was asked is done: "Finished.", "It is completed as
        requested."."""
        content = {key for _, key in self.document.content(self.places.start, self.places.stop)}
        is_of_a_record = "request" in self.texts and self.texts.isdisjoint(_OF_THE_USER)
        return not content.isdisjoint(_DONE) and content <= _DONE | VAGUE_OBJECTS and not is_of_a_record

    def nearest(self, at: int) -> frozenset[Ident]:
        """The rows of the name that stands last before a place, or first after it."""
        before = [each for each in self.named if each.first <= at]
        beside = before[-1:] or self.named[:1]
        return beside[0].rows if beside else frozenset()
