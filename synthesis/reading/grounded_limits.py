"""Grounded limits: what an answer calls the limit of something, held against the rules on just that."""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.reading.answer_clauses import AnswerClause
from synthesis.reading.computed import cached_property
from synthesis.reading.counts import is_amount
from synthesis.reading.mentions import Value
from synthesis.reading.shown_row import ID, nouns_of
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.task_texts import TaskTexts
from synthesis.reading.words import word_set

_LIMITS = word_set("limit maximum cap ceiling")
_BOUNDS = (("more", "than"), ("at", "most"), ("up", "to"))
_MAY = word_set("may can allowed nobody must")
_BETWEEN = word_set("of is was at the our a for to")
_OPEN = word_set("open ones")
_ARTICLES = word_set("a an the")
_LARGEST = 400
_WITHIN_THE, _ALLOWING = ("within", "the"), 4


class GroundedLimits:
    """Limits that an answer may tell.

    Args:
        shown: The rows that results show.
        texts: What the agent was told.
    """

    def __init__(self, shown: ShownRows, texts: TaskTexts) -> None:
        self._shown, self._texts = shown, texts

    def ungrounded(self, clause: AnswerClause) -> Iterator[str]:
        """The limits of a clause that no rule on what it speaks of has, in words."""
        is_rule = bool(clause.texts & _MAY)
        if clause.texts.isdisjoint(_LIMITS) and not is_rule:
            return
        for at in clause.valued:
            token = clause.document.tokens[at]
            values = self._values_of(clause, at)
            if values and self._is_limit(clause, at, is_rule=is_rule):
                known = self._known(clause, is_amount(token))
                if known and known.isdisjoint(values) and not self._is_of_another_thing(clause, values):
                    yield f"the limit {token.text}"

    def amounts(self, clause: AnswerClause) -> frozenset[Value]:
        """The amounts of the rules on what a clause speaks of."""
        return self._known(clause, of_money=True)

    @staticmethod
    def _values_of(clause: AnswerClause, at: int) -> frozenset[Value]:
        """The amount at a place, or the number of open ones; none of anything else."""
        token = clause.document.tokens[at]
        if is_amount(token):
            return token.values.get("money_cents", frozenset())
        if not token.text.isdecimal() and set(token.values) - {"number", "whole", "time", "money_cents"}:
            return frozenset()
        if not any(isinstance(n, int) and n <= _LARGEST for n in token.values.get("number", ())):
            return frozenset()
        follows = clause.document.tokens[at + 1 : at + 2]
        is_open = not follows or follows[0].kind != "word" or follows[0].text in _OPEN
        return token.values.get("number", frozenset()) if is_open and not token.unit else frozenset()

    @staticmethod
    def _is_limit(clause: AnswerClause, at: int, *, is_rule: bool) -> bool:
        """Whether a value is told as a limit: "the limit of 4", "nobody may have more than 4"."""
        tokens = clause.document.tokens
        place = at - 1
        while place > clause.chunk.first and (
            tokens[place].text in _BETWEEN
            or (tokens[place - 1].text == "for" and tokens[place].text.endswith("ing"))  # "for waiving"
        ):
            place -= 1
        before = tuple(token.text for token in tokens[max(clause.chunk.first, at - 2) : at])
        follows = {token.text for token in tokens[at + 1 : at + 1 + _ALLOWING]}
        is_allowed = before == _WITHIN_THE and not follows.isdisjoint(_MAY)
        return tokens[place].text in _LIMITS or (is_rule and (before in _BOUNDS or is_allowed))

    def _known(self, clause: AnswerClause, of_money: bool) -> frozenset[Value]:
        """The amounts, or the plain numbers, of the rules on the kind of thing that a clause speaks of."""
        spoken = {token.key for token in clause.words}
        if of_money and (ruled := self._of_verb(clause)):
            return ruled
        nouns = [noun for noun in self._nouns.values() if noun <= spoken]
        if not nouns:
            rows = clause.sentence_rows or clause.default
            nouns = [self._nouns[kind] for kind in {kind for kind, _ in rows} if kind in self._nouns]
        longest = max(map(len, nouns), default=0)
        nouns = [noun for noun in nouns if len(noun) == longest]
        rules = [
            (amounts, numbers) for words, amounts, numbers in self._rules if any(n <= words for n in nouns)
        ]
        return frozenset().union(*(amounts if of_money else numbers for amounts, numbers in rules))

    def _is_of_another_thing(self, clause: AnswerClause, values: frozenset[Value]) -> bool:
        """Whether a clause names a thing that no row was shown of, and a rule on it has the value: "a car may
        be at most 30.00"."""
        article, noun, verb = ([*clause.words[:3], None, None, None])[:3]
        if not (article and noun and verb) or article.text not in _ARTICLES or verb.text not in _MAY:
            return False
        shown = frozenset().union(*self._nouns.values())
        return noun.key not in shown and any(
            noun.key in words and values & (amounts | numbers) for words, amounts, numbers in self._rules
        )

    def _of_verb(self, clause: AnswerClause) -> frozenset[Value]:
        """The amounts of the rules on what a clause calls a limit for: "our limit for waiving"."""
        verbs = (
            token.key
            for limit, link, token in zip(clause.words, clause.words[1:], clause.words[2:], strict=False)
            if limit.text in _LIMITS and link.text == "for" and token.text.endswith("ing")
        )
        verb = next(verbs, "")
        return frozenset().union(*(amounts for words, amounts, _ in self._rules if verb and verb in words))

    @cached_property
    def _nouns(self) -> dict[str, frozenset[str]]:
        """What the kinds of rows that rules give a limit for are called."""
        kinds = dict.fromkeys(kind for kind, _ in self._shown.rows)
        nouns = {kind: nouns_of(kind) for kind in kinds if kind.endswith(ID)}
        return {
            kind: noun for kind, noun in nouns.items() if any(noun <= words for words, _, _ in self._rules)
        }

    @cached_property
    def _rules(self) -> list[tuple[frozenset[str], frozenset[Value], frozenset[Value]]]:
        """By line of the rules that has a limit: the keys of its words, its amounts and its plain numbers."""
        return [rule for rule in self._texts.rule_lines if rule[1] or rule[2]]
