"""Rule clauses: whole clauses that state a rule and no process: "dogs must be vaccinated"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.lexicon import verbs
from synthesis.procedural.sentence.modifiers import NEGATIONS, NOT_BEING
from synthesis.procedural.sentence.phrases import noun_phrase
from synthesis.procedural.sentence.stated_prices import LATE, says_what_costs
from synthesis.procedural.sentence.tokens import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    PRONOUNS,
    RELATIVE,
    SentenceToken,
)

_SIGNS = frozenset((",", ".", ";", ":", "!", "?"))
_ENDING = frozenset((".", ";", ":", "!", "?"))
_JOINING = frozenset(("and", "but"))
_NOBODY = frozenset(("no", "nobody", "no-one", "nothing", "none", "anything", "whoever", "whatever"))
_BEING = frozenset(("is", "are", "be", "being", "been", "was", "were", "get", "gets"))
_HAVE_TO = frozenset(("has", "have"))
_NEED = frozenset(("need", "needs"))
_DEMANDED = frozenset(("compulsory", "mandatory", "obligatory", "required", "essential"))
_AT_COST = frozenset(("full", "half", "extra", "double"))
_PREFERRED = frozenset(("priority", "precedence"))
_REFUSED = frozenset(("refused", "excluded", "barred", "banned", "rejected"))
_EXCEEDING = frozenset(("exceeds", "exceed"))
_QUEUEING = ("first", "come", "first", "served")
_ASKING = frozenset(
    (
        "booking",
        "enrolment",
        "appointment",
        "registration",
        "sale",
        "permit",
        "claim",
        "billing",
        "disruption",
    )
)
"""Patterns of what those who are served do: "groups must book a week ahead"."""
_FORBIDDING = NEGATIONS | NOT_BEING | frozenset(("can't", "mustn't", "cannot"))
_FEWEST_WORDS = 3
_NEAR = 3
"""Words between a subject and what must be so of it."""


def rule_clauses(tokens: Sequence[SentenceToken]) -> Iterator[range]:
    """The places of each clause that only states a rule, in order; the first clause of a text is none.

    Args:
        tokens: The text.
    """
    clauses = list(_clauses(tokens))
    for number, clause in enumerate(clauses):
        if number and len(clause) >= _FEWEST_WORDS and _is_rule(tokens, clause):
            yield clause


def states_only_rules(tokens: Sequence[SentenceToken]) -> bool:
    """Whether a text says nothing but rules: "Helmets are compulsory and no dogs are allowed"."""
    clauses = [clause for clause in _clauses(tokens) if any(tokens[at].is_word for at in clause)]
    return bool(clauses) and all(
        tokens[clause[0]].word == "no" or (len(clause) >= _FEWEST_WORDS and _is_rule(tokens, clause))
        for clause in clauses
    )


def without_rules(tokens: Sequence[SentenceToken]) -> tuple[list[SentenceToken], list[SentenceToken]]:
    """The tokens outside of rule clauses, with what joins them left out, and those within."""
    ruled = {at for clause in rule_clauses(tokens) for at in clause}
    left: list[SentenceToken] = []
    for at, token in enumerate(tokens):
        if at in ruled or (at + 1 in ruled and token.word in _JOINING):
            continue
        begins = not left or left[-1].text in _ENDING
        if not (begins and (token.text == "," or token.word in _JOINING)):
            left.append(token)
    return left, [tokens[at] for at in sorted(ruled)]


def _clauses(tokens: Sequence[SentenceToken]) -> Iterator[range]:
    """The places of what stands between signs, and between "and" or "but" where a clause begins behind it."""
    first = 0
    for at, token in enumerate(tokens):
        joins = token.word in _JOINING and _has_verb(tokens[first:at]) and _begins_clause(tokens, at + 1)
        if token.text in _SIGNS or joins:
            yield range(first, at)
            first = at + 1
        elif at == first and token.word in _JOINING:
            first = at + 1
    yield range(first, len(tokens))


def _has_verb(tokens: Sequence[SentenceToken]) -> bool:
    return any(token.word in AUXILIARIES or (token.is_content and token.verb in verbs()) for token in tokens)


def _begins_clause(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether a subject of its own begins at a place, or nobody is one."""
    if place < len(tokens) and (tokens[place].word in _NOBODY or tokens[place].word in AUXILIARIES):
        return True
    subject = noun_phrase(list(tokens), place) if place < len(tokens) else None
    return subject is not None and subject.end < len(tokens) and _is_finite(tokens, place, subject.end)


def _is_finite(tokens: Sequence[SentenceToken], place: int, end: int) -> bool:
    """Whether a verb stands in or right behind a noun phrase: "deeds must", "adopter needs"."""
    near = tokens[place + 1 : end + 1]
    return any(token.word in AUXILIARIES | RELATIVE | _NEED or token.word in ("with", "of") for token in near)


def _is_rule(tokens: Sequence[SentenceToken], clause: range) -> bool:
    words = [tokens[at].word for at in clause]
    if tuple(words[: len(_QUEUEING)]) == _QUEUEING:
        return True
    if words[0] in _NOBODY:
        return words[0] != "no" or _has_verb(tokens[clause[1] : clause[-1] + 1])
    if _is_predicate(tokens, clause):
        return False
    relative = words[0] in ("who", "which") or words[:2] == ["each", "of"]
    subject = None if relative else noun_phrase(list(tokens), clause[0])
    if not relative and subject is None:
        return False
    return any(_demands(tokens, at, clause, subject.text if subject else "") for at in clause[1:])


def _is_predicate(tokens: Sequence[SentenceToken], clause: range) -> bool:
    """Whether a clause begins with its verb, "lends helmets that parents have to sign for"."""
    first, behind = tokens[clause[0]], tokens[clause[1]]
    named = noun_phrase(list(tokens), clause[0])
    is_subject = named is not None and named.end < clause.stop and tokens[named.end].word in AUXILIARIES
    if is_subject or any(tokens[at].word in _NEED and tokens[at - 1].is_content for at in clause[1:]):
        return False
    acts = first.verb in verbs() and (first.is_third_person or first.is_base or first.is_gerund)
    if first.is_third_person and behind.word in PRONOUNS | DETERMINERS:
        return True
    return first.word in AUXILIARIES or (
        acts and behind.word not in AUXILIARIES | RELATIVE and not behind.is_base
    )


def _demands(tokens: Sequence[SentenceToken], place: int, clause: range, subject: str) -> bool:
    """Whether what stands at a place makes a rule of its clause."""
    word = tokens[place].word
    behind = [tokens[at].word for at in range(place + 1, min(place + 1 + _NEAR, clause.stop))]
    if word == "must" or (word in _HAVE_TO and behind[:1] == ["to"]):
        return not _does(tokens, place + 1, clause, subject)
    if (word in _NEED and tokens[place - 1].is_content) or word in _EXCEEDING:
        return True
    if word in _BEING | _HAVE_TO and not _PREFERRED.isdisjoint(behind):
        return True
    in_full = "charged" in behind and not _AT_COST.isdisjoint(behind)
    if word in _BEING and (in_full or not (_DEMANDED | _REFUSED).isdisjoint(behind)):
        return True
    if says_what_costs(tokens, place):
        return _is_of_known(tokens, range(clause[0], place))
    described = word == "not" and tokens[place - 1].word not in AUXILIARIES  # "any cask not returned"
    return word in _FORBIDDING and not described and _is_of_main(tokens, place, clause)


def _is_of_known(tokens: Sequence[SentenceToken], subject: range) -> bool:
    """Whether a subject speaks of what the text has named before, or of lateness: "late returns cost"."""
    words = {singular(tokens[at].word) for at in subject if tokens[at].is_content}
    named = {singular(token.word) for token in tokens[: subject.start] if token.is_content}
    return not words.isdisjoint(named | LATE)


def _does(tokens: Sequence[SentenceToken], place: int, clause: range, subject: str) -> bool:
    """Whether people must do what a business keeps records of: "groups must book a week ahead"."""
    while place < clause.stop and tokens[place].word in ADVERBS | {"to"}:
        place += 1
    does = place < clause.stop and tokens[place].is_base and bool(subject)
    return does and verbs().get(tokens[place].verb) in _ASKING


def _is_of_main(tokens: Sequence[SentenceToken], place: int, clause: range) -> bool:
    """Whether what is not done is said of the subject, and in no relative clause that is not over."""
    relative = [
        at for at in range(clause[0], place) if tokens[at].word in RELATIVE | {"whose", "what", "if", "when"}
    ]
    if not relative:
        return True
    between = tokens[relative[-1] + 1 : place]
    return any(token.verb and token.word not in AUXILIARIES for token in between)
