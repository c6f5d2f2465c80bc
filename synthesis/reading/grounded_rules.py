"""Grounded rules: what an answer says that the rules are or that follows from them, held against their words.

That an amount is within the limit, which role something is given to, and which of two is voided or counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.document import ParsedText
from synthesis.reading.grounded_limits import GroundedLimits
from synthesis.reading.owned_counts import OwnedCounts
from synthesis.reading.phrases import CONDITIONS, NEGATIONS
from synthesis.reading.shown_row import ID, Ident, noun_of, nouns_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.structure import Chunk
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import key, keys, word_set
from synthesis.reading.world_rows import WorldRows

_UNREAL = NEGATIONS | CONDITIONS | word_set("would could should might instead")
_LIMIT = "limit"
_WITHIN, _ABOVE = (
    word_set("within below under inside"),
    word_set("above over exceeds exceed exceeding beyond"),
)
_AT = (("at", "the", _LIMIT), ("reached", "the", _LIMIT))
_GIVING = word_set("go goes given assigned assign for get gets give")
_OTHERWISE = word_set(
    "above over limit close closing closed hand handed higher larger more up decide decides"
)
_ROLE, _TO = "role", "to"
_EARLY, _LATE = word_set("earlier first older earliest"), word_set("later second newer latest")
_VOIDING, _COUNTING = keys("void cancel remove reverse"), keys("keep count stand stay remain")
_PRONOUNS = word_set("she he")
_NEAR, _MOST = 4, 60
_MOST_RULES = 64
"""Texts of rules of which is remembered what they say: the worlds that a process judges answers of."""


class RuledRole(NamedTuple):
    """A rule by which a kind of thing is given to people of one role."""

    kind: frozenset[str]
    """Keys of what the kind is called."""
    role: tuple[str, ...]


class GroundedRules:
    """What an answer may tell of the rules.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
        world: The world's rows, for its roles.
        limits: The limits of the rules.
        counts: How many rows somebody has.
    """

    def __init__(
        self,
        shown: ShownRows,
        texts: TaskTexts,
        world: WorldRows,
        limits: GroundedLimits,
        counts: OwnedCounts,
    ) -> None:
        self._shown, self._texts, self._world = shown, texts, world
        self._limits, self._counts = limits, counts

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """What a clause says of the rules that they say otherwise, in words."""
        if clause.texts & _UNREAL:
            return
        if _LIMIT in clause.texts and self._is_on_the_other_side(clause):
            yield "on which side of the limit it is"
        if _LIMIT in clause.texts and self._is_at_no_limit(clause):
            yield "that somebody is at the limit"
        if clause.texts & _GIVING and not clause.texts & _OTHERWISE and self._is_for_another_role(clause):
            yield "for which role something is"
        if clause.texts & (_EARLY | _LATE) and self._is_the_other_one(clause):
            yield "which of two counts"

    def _is_on_the_other_side(self, clause: AnswerClause) -> bool:
        """Whether an amount is told to be within a limit of the rules which it exceeds, or above one that it
        is within."""
        texts = [token.text for token in clause.words]
        limit = texts.index(_LIMIT)
        side = next((at for at in range(max(0, limit - _NEAR), limit) if texts[at] in _WITHIN | _ABOVE), -1)
        amounts = [cents for at in range(side - 1) for cents in _cents(clause.words[at])]
        known = [cents for cents in self._limits.amounts(clause) if isinstance(cents, int)]
        if side < 0 or len(amounts) != 1 or not known or _cents(clause.words[side - 1]):
            return False
        return amounts[0] > max(known) if texts[side] in _WITHIN else amounts[0] <= min(known)

    def _is_at_no_limit(self, clause: AnswerClause) -> bool:
        """Whether somebody is told to be at a limit, none of whose numbers of rows the rules have."""
        texts = [token.text for token in clause.words]
        if not any(tuple(texts[at : at + 3]) in _AT for at in range(len(texts))):
            return False
        rows = frozenset().union(*(each.rows for each in clause.named)) or (
            clause.subject if not _PRONOUNS.isdisjoint(texts) else frozenset()
        )
        owners = [row for row in rows if row in self._counts.counts]
        if len(set(owners)) != 1:
            return False
        return any(self._is_off_limit(owners[0], kind) for kind in self._counts.counts[owners[0]])

    def _is_off_limit(self, owner: Ident, kind: str) -> bool:
        noun = nouns_of(kind)
        numbers = [numbers for words, _, numbers in self._texts.rule_lines if noun <= words and numbers]
        known = frozenset().union(*numbers)
        return bool(known) and known.isdisjoint(self._counts.numbers(owner, (kind,)))

    def _is_for_another_role(self, clause: AnswerClause) -> bool:
        """Whether a kind of thing is told to go to people of another role than the rules give it to."""
        words = [token.key for token in clause.words]
        spoken = frozenset(words)
        roles = [role for role in self._roles if _has(words, role)]
        ruled = [rule for rule in self._ruled_roles if rule.kind <= spoken]
        if len(roles) != 1 or not ruled or any(each.rows for each in clause.named):
            return False
        return all(rule.role != roles[0] for rule in ruled)

    @cached_property
    def _roles(self) -> list[tuple[str, ...]]:
        """What roles are called, as keys."""
        return [
            tuple(map(key, phrase))
            for phrase, columns in self._world.states.items()
            if any(column == _ROLE for _, column in columns)
        ]

    @cached_property
    def _ruled_roles(self) -> list[RuledRole]:
        """The rules that say to whom kinds of things are given: "Assign repairs to technicians on duty"."""
        kinds = dict.fromkeys(kind for kind, _ in self._shown.rows if kind.endswith(ID))
        nouns = [nouns_of(kind) for kind in kinds]
        ruled = []
        for before, words in _grants(self._texts.rules) if self._roles else ():
            roles = [role for role in self._roles if _has(words, role)]
            if len(roles) == 1:
                ruled += [RuledRole(noun, roles[0]) for noun in nouns if noun <= before]
        return ruled

    def _is_the_other_one(self, clause: AnswerClause) -> bool:
        """Whether the earlier of two is told to be what the rules say of the later one."""
        stated = _outcome(clause.words)
        if stated is None or not self._outcomes:
            return False
        spoken = frozenset(token.key for token in clause.sentence_words)
        ruled = {outcome for nouns, outcome in self._outcomes if nouns & spoken}
        return stated not in ruled and (not stated[0], stated[1]) in ruled

    @cached_property
    def _outcomes(self) -> list[tuple[frozenset[str], tuple[bool, bool]]]:
        """By the nouns of a rule's sentence, which of two the rules void or let count."""
        nouns = {noun_of(kind) for kind, _ in self._shown.rows}
        return [(words & nouns, outcome) for words, outcome in _rule_outcomes(self._texts.rules)]


@lru_cache(maxsize=_MOST_RULES)
def _grants(rules: ParsedText) -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """The keys of the words before "to" and from there on, of each clause of rules that gives something."""
    granting = []
    for chunk in rules.chunks:
        tokens = _words(rules, chunk)
        at = next((place for place, token in enumerate(tokens) if token.text == _TO), 0)
        verbs = {token.text for token in tokens[:at]}
        if not verbs.isdisjoint(_GIVING) and verbs.isdisjoint(_OTHERWISE):
            words = tuple(token.key for token in tokens)
            granting.append((frozenset(words[:at]), words[at:]))
    return tuple(granting)


@lru_cache(maxsize=_MOST_RULES)
def _rule_outcomes(rules: ParsedText) -> tuple[tuple[frozenset[str], tuple[bool, bool]], ...]:
    """By the words of a rule's sentence, which of two the rules void or let count."""
    outcomes = []
    for chunk in rules.chunks:
        if (outcome := _outcome(_words(rules, chunk))) is not None:
            sentence = rules.sentences[chunk.sentence]
            words = rules.tokens[sentence.first : sentence.last]
            outcomes.append((frozenset(token.key for token in words), outcome))
    return tuple(outcomes)


def _words(rules: ParsedText, chunk: Chunk) -> Sequence[TextToken]:
    return rules.tokens[chunk.first : min(chunk.last, chunk.first + _MOST)]


def _cents(token: TextToken) -> list[int]:
    """The amount that a word tells, in cents."""
    cents = token.values.get("money_cents", ()) if is_amount(token) else ()
    return [each for each in cents if isinstance(each, int)]


def _outcome(words: Sequence[TextToken]) -> tuple[bool, bool] | None:
    """Whether it is the earlier of two, and whether that is voided; None where words tell no one outcome."""
    places = [at for at in range(1, len(words)) if words[at - 1].text == "the"]
    orders = {words[at].text in _EARLY for at in places if words[at].text in _EARLY | _LATE}
    spoken = frozenset(token.key for token in words)
    voided, counted = not spoken.isdisjoint(_VOIDING), not spoken.isdisjoint(_COUNTING)
    return (orders.pop(), voided) if len(orders) == 1 and voided is not counted else None


def _has(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether words stand side by side among others."""
    size = len(phrase)
    return any(tuple(words[at : at + size]) == tuple(phrase) for at in range(len(words) - size + 1))
