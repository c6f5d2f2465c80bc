"""Clauses: what the grammar made of a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from synthesis.procedural.sentence.lexicon import NEUTRAL, verbs
from synthesis.procedural.sentence.phrases import NounPhrase
from synthesis.procedural.sentence.tokens import SentenceToken

OBJECT = ""
"""The role of what a verb is done to; other roles are named by their preposition or conjunction."""
TELLING = "telling"
"""The pattern of verbs that tell people something, which is no process of its own."""
OFFERED = "offered"
"""The role of what a business lists as what it does."""
OFTEN = "every"
"""The role of an adverb that says how often: "ships shiitake weekly"."""


@dataclass
class Clause:
    """A verb with what belongs to it."""

    verb: str
    roles: dict[str, list[NounPhrase]] = field(default_factory=dict)
    agent: NounPhrase | None = None
    tokens: list[SentenceToken] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    """In what state its nouns are: "found", "left behind"."""
    commands: bool = False
    """Whether people are told by it to do something: "orders bars to close"."""
    denied: bool = False
    """Whether a verb before says that it is not done: "won't let players play"."""

    @property
    def pattern(self) -> str:
        """The process pattern the verb calls for."""
        if self.commands:
            return TELLING
        known = verbs()
        first = self.verb.partition(" ")[0]
        forms = (self.verb, first, first.removeprefix("re-"), first.removeprefix("re"))
        return next((known[form] for form in forms if form in known), NEUTRAL)


@dataclass
class Parse:
    """What the grammar made of a sentence."""

    business: NounPhrase | None = None
    clauses: list[Clause] = field(default_factory=list)
    extras: list[NounPhrase] = field(default_factory=list)
    """Noun phrases that describe the business: "in the old town"."""
    offers: list[NounPhrase] = field(default_factory=list)
    """What the business lists behind its name: "dog groomer: baths, nail clipping"."""
    others: list[NounPhrase] = field(default_factory=list)
    """Further businesses with clauses of their own."""
    names: list[SentenceToken] = field(default_factory=list)
    """Proper names: of brands, people and places, which are never used."""
    silent: list[SentenceToken] = field(default_factory=list)
    """Verbs that only say that something is brought about: of "keeps runways cleared" the first."""
    statements: list[tuple[SentenceToken, ...]] = field(default_factory=list)
    """Words that say how something is and nothing that is done, which no record keeps."""
    tokens: list[SentenceToken] = field(default_factory=list)
    called: dict[str, str] = field(default_factory=dict)
    """By the usual word for people, in the singular: what the business calls them, "agents"."""

    def note_statement(self, tokens: Iterable[SentenceToken]) -> None:
        """Keep words as a statement, which is reported and not represented."""
        if words := tuple(tokens):
            self.statements.append(words)
            self.silent.extend(words)

    @property
    def content(self) -> list[SentenceToken]:
        """Tokens that carry content, without proper names and the frame "build a system that ..."."""
        named = {token.place for token in [*self.names, *self.silent]}
        return [token for token in self.tokens if token.is_content and token.place not in named]
