"""Stated rules: the words by which a sentence states a rule of its own, "may give again after 56 days"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.procedural.sentence.exemptions import exemptions_of
from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.limits import RATES, TIMES, named_bound, number_at
from synthesis.procedural.sentence.requirements import requirements_of
from synthesis.procedural.sentence.rule_clauses import rule_clauses
from synthesis.procedural.sentence.stated_prices import price_at
from synthesis.procedural.sentence.tokens import DETERMINERS, SentenceToken
from synthesis.procedural.sentence.worded_rules import CLAUSE_ENDS, worded_rule

_HAVING = frozenset(("have", "has", "had", "given", "get", "gets"))
"""Words behind which a time is a rule where it is said for what: "are given 14 days to leave"."""
_BOUNDS = (
    *(("at", "most"), ("at", "least"), ("up", "to"), ("no", "more", "than"), ("not", "more", "than")),
    *(("no", "less", "than"), ("no", "fewer", "than"), ("maximum", "of"), ("minimum", "of")),
    *(("a", "maximum", "of"), ("a", "minimum", "of")),
    *(("more", "than"), ("less", "than"), ("fewer", "than"), ("within",), ("under",), ("over",), ("after",)),
    *(("again", "after"), ("every",), ("wait",), ("limited", "to"), ("above",), ("below",)),
    *(("minimum", "is"), ("maximum", "is"), ("limit", "is")),
    *((word,) for word in ("exceed", "exceeds", "exceeding", "top", "tops", "averaging")),
    *((word,) for word in sorted(_HAVING)),
    *(("no", "longer", "than"), ("not", "longer", "than")),
    *((word, "than") for word in ("longer", "taller", "wider", "heavier", "bigger", "larger", "older")),
)
"""Words that make a bound of the number behind them; those of a time alone need one behind it."""
_ONLY_OF_TIME = frozenset(
    (
        *(("after",), ("again", "after"), ("every",), ("within",), ("wait",)),
        ("limited", "to"),
        *((word,) for word in _HAVING),
    )
)
_OF_AGE = frozenset((("under",), ("over",)))
_LONGEST = max(map(len, _BOUNDS))
_TAIL = frozenset(("ahead", "notice", "earlier", "between", "before", "apart", "overdue", "late"))
_OFTEN = frozenset(("once", "twice"))
_BEFORE_TIMES = frozenset(("for", "after", "until", "before", "by", "from"))
_LONGEST_SHARE = 5
_MOST_WORDS = 3


def rules_of(tokens: Sequence[SentenceToken]) -> Iterator[tuple[SentenceToken, ...]]:
    """The words of each rule that a text states, in order.

    Args:
        tokens: The text; a number is a rule's where it bounds something ("at most", "within") or tells how
            much there may be in a time ("two repairs a month"); "only members may book" is one, too, and what
            is not done ("never bills anyone").
    """
    covered, clauses = -1, {clause[0]: clause for clause in rule_clauses(tokens)}
    stated_apart = (*requirements_of(tokens), *exemptions_of(tokens))
    required = {limit.tokens[0].place: limit.tokens for limit in stated_apart}
    for place in range(len(tokens)):
        if place in clauses:
            yield tuple(tokens[place : clauses[place].stop])
            covered = tokens[clauses[place].stop - 1].place
        if tokens[place].place > covered and (wording := worded_rule(tokens, place)):
            yield wording
            covered = max(covered, wording[-1].place)
        if tokens[place].place > covered and (stated := required.get(tokens[place].place)):
            yield stated
            covered = max(covered, stated[-1].place)
        if tokens[place].place <= covered:
            continue
        if stated := _rule_of_number(tokens, place) or price_at(tokens, place) or _time_at(tokens, place):
            yield stated
            covered = max(covered, stated[-1].place)


def _rule_of_number(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """The words of a rule whose number is at a place; () where none is, or it bounds nothing."""
    is_often = tokens[place].word in _OFTEN
    if not (is_often or number_at(tokens, place)):
        return ()
    end = place + 1 if is_often else _end_of_noun(tokens, place + 1)
    rated = _end_of_rate(tokens, end) or _end_of_share(tokens, place)
    bound, end = _bounded(tokens, place, end)
    behind = rated or end
    counts_time = any(singular(each.word) in TIMES for each in tokens[place + 1 : end])
    closing = [each.word for each in tokens[behind : behind + 2]] == ["at", "most"]
    is_notice = counts_time and any(each.word in _TAIL for each in tokens[end : end + 1])
    if not (bound or closing or is_notice or rated):
        return ()
    last = behind + (2 if closing else 0)
    last += int(last < len(tokens) and tokens[last].word in _TAIL)
    return tuple(tokens[place - len(bound) : last])


def _time_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """ "for 60 days", "after 4 pm", "2 percent": a number that no other rule has; () of no such one."""
    behind = [singular(token.word) for token in tokens[place + 1 : place + 2]]
    before = [token for token in tokens[max(0, place - 1) : place] if token.word in _BEFORE_TIMES]
    is_hour = behind[:1] in (["am"], ["pm"])
    is_time = behind[:1] != [] and behind[0] in TIMES and bool(before)
    is_share = behind[:1] == ["percent"]
    number = number_at(tokens, place) or tokens[place].word.replace(".", "").isdecimal()
    return (*before, *tokens[place : place + 2]) if number and (is_hour or is_time or is_share) else ()


def _bounded(tokens: Sequence[SentenceToken], place: int, end: int) -> tuple[tuple[str, ...], int]:
    """The words that make a bound of a number, () where none do, and where its noun then ends."""
    bound = _bound_before(tokens, place) or _share_before(tokens, place)
    counts_time = any(singular(each.word) in TIMES for each in tokens[place + 1 : end])
    if bound in _ONLY_OF_TIME and not counts_time:
        return (), end
    if bound and bound[-1] in _HAVING:
        purpose = _purpose_end(tokens, end)
        return (bound, purpose) if purpose else ((), end)
    if bound in _OF_AGE and not counts_time:  # "children under 12 need an adult"
        return bound, place + 1
    return bound, end


def _share_before(tokens: Sequence[SentenceToken], place: int) -> tuple[str, ...]:
    """ "commission of" in front of a share; () where none is, or of a number of something else."""
    behind = [token.word for token in tokens[place + 1 : place + 2]]
    if (
        behind != ["percent"]
        or place < 2
        or tokens[place - 1].word != "of"
        or not tokens[place - 2].is_content
    ):
        return ()
    return tokens[place - 2].word, "of"


def _end_of_share(tokens: Sequence[SentenceToken], place: int) -> int:
    """Where "8 percent of every sale" ends; 0 where no share is named."""
    words = [token.word for token in tokens[place + 1 : place + 3]]
    if words != ["percent", "of"]:
        return 0
    last = place + 3
    while (
        last < len(tokens)
        and last - place <= _LONGEST_SHARE
        and (tokens[last].is_content or tokens[last].word in DETERMINERS)
    ):
        last += 1
    return last if last > place + 3 else 0


def _purpose_end(tokens: Sequence[SentenceToken], place: int) -> int:
    """Where "to leave" ends, with what is to be left; 0 where it does not begin at a place."""
    if [token.word for token in tokens[place : place + 1]] != ["to"] or place + 1 >= len(tokens):
        return 0
    last = place + 1
    while last < len(tokens) and last - place <= _MOST_WORDS and tokens[last].word not in CLAUSE_ENDS:
        last += 1
    return last if tokens[place + 1].is_base else 0


def _end_of_noun(tokens: Sequence[SentenceToken], place: int) -> int:
    """Where the noun behind a number ends."""
    end = place
    while end < len(tokens) and end - place < _MOST_WORDS and tokens[end].is_content:
        if singular(tokens[end].word) in TIMES:
            return end + 1
        end += 1
    return end


def _end_of_rate(tokens: Sequence[SentenceToken], place: int) -> int:
    """Where "a week" or "per member a month" ends; 0 where it does not stand."""
    end = place
    while (
        end + 1 < len(tokens)
        and tokens[end].word in RATES
        and (tokens[end].word == "per" or singular(tokens[end + 1].word) in TIMES)
    ):
        end += 2
    words = [token.word for token in tokens[place : place + 4]]
    if words[:2] == ["in", "any"] and any(singular(word) in TIMES for word in words[2:]):
        end = place + 3 + (singular(words[2]) not in TIMES)  # "in any six months"
    return end if end > place else 0


def _bound_before(tokens: Sequence[SentenceToken], place: int) -> tuple[str, ...]:
    """The words that make a bound of the number at a place; () where none do."""
    before = tuple(each.word for each in tokens[max(0, place - _LONGEST) : place])
    fit = [words for words in _BOUNDS if before[-len(words) :] == words]
    if before[-1:] == ("than",) and before[-2:-1] and before[-2].endswith("er"):
        fit.append(before[-2:])  # "louder than 55 decibels"
    named = named_bound(before, "minimum") or named_bound(before, "maximum")
    return named or max(fit, key=len, default=())
