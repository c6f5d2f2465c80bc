"""Stated rules: the words by which a sentence states a rule of its own, "may give again after 56 days"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthesis.procedural.sentence.inflection import singular
from synthesis.procedural.sentence.limits import RATES, TIMES, end_of_permission, named_bound, number_at
from synthesis.procedural.sentence.modifiers import is_past
from synthesis.procedural.sentence.tokens import ADVERBS, DETERMINERS, MODALS, SentenceToken

_HAVING = frozenset(("have", "has", "had", "given", "get", "gets"))
"""Words behind which a time is a rule where it is said for what: "are given 14 days to leave"."""
_BOUNDS = (
    *(("at", "most"), ("at", "least"), ("up", "to"), ("no", "more", "than"), ("not", "more", "than")),
    *(("no", "less", "than"), ("no", "fewer", "than"), ("maximum", "of"), ("minimum", "of")),
    *(("a", "maximum", "of"), ("a", "minimum", "of")),
    *(("more", "than"), ("less", "than"), ("fewer", "than"), ("within",), ("under",), ("over",), ("after",)),
    *(("again", "after"), ("every",), ("wait",), ("limited", "to"), ("above",), ("below",)),
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
_TAIL = frozenset(("ahead", "notice", "earlier", "between", "before", "apart"))
_OFTEN = frozenset(("once", "twice"))
_AUXILIARIES = frozenset(("do", "does", "did", "may", "can", "must", "should", "will"))
_BEING = frozenset(("is", "are", "be", "being", "been", "was", "were"))
_NOT_BEING = frozenset(("isn't", "aren't", "wasn't", "weren't"))
_NEVER = _NOT_BEING | {
    "never",
    "don't",
    "doesn't",
    "didn't",
    "cannot",
    "can't",
    "won't",
    "mustn't",
    "shouldn't",
}
_REFUSING = frozenset(("refuse", "reject", "decline"))
_CLAUSE_ENDS = frozenset((",", ".", ";", ":", "and", "but", "or", "which", "that", "unless", "until"))
_JOINING = frozenset(("and", "but"))
_LONGEST_DENIAL = 6
_LONGEST_OF_SOMEBODY = 10
"""Words of what is denied, and with "who" and a clause about those to whom it is."""
_RELATIVE = frozenset(
    (
        *("what", "who", "which", "that", "whose", "whom", "if", "when", "where", "because"),
        *("unless", "whether"),
    )
)
_FRAME, _NEAR = 4, 4
_ARTICLES = frozenset(("a", "an", "the", "our", "my"))
"""Words with which a text names its business: "a clinic that"; how near a word begins a clause."""
_MOST_WORDS = 3


def rules_of(tokens: Sequence[SentenceToken]) -> Iterator[tuple[SentenceToken, ...]]:
    """The words of each rule that a text states, in order.

    Args:
        tokens: The text; a number is a rule's where it bounds something ("at most", "within") or tells how
            much there may be in a time ("two repairs a month"); "only members may book" is one, too, and what
            is not done ("never bills anyone").
    """
    for place, token in enumerate(tokens):
        if token.word == "only" and (end := end_of_permission(tokens, place, described=True)):
            yield tuple(tokens[place:end])
        if denial := _denial_at(tokens, place) or _refusal_at(tokens, place):
            yield denial
        is_often = token.word in _OFTEN
        if not (is_often or number_at(tokens, place)):
            continue
        end = place + 1 if is_often else _end_of_noun(tokens, place + 1)
        rated = _end_of_rate(tokens, end)
        behind = rated or end
        bound = _bound_before(tokens, place)
        counts_time = any(singular(each.word) in TIMES for each in tokens[place + 1 : end])
        if bound in _ONLY_OF_TIME and not counts_time:
            bound = ()
        if bound and bound[-1] in _HAVING:
            purpose = _purpose_end(tokens, end)
            bound, end, behind = (bound, purpose, purpose) if purpose else ((), end, behind)
        if bound in _OF_AGE and not counts_time:  # "children under 12 need an adult"
            end = behind = place + 1
        closing = [each.word for each in tokens[behind : behind + 2]] == ["at", "most"]
        is_notice = counts_time and any(each.word in _TAIL for each in tokens[end : end + 1])
        if bound or closing or is_notice or (rated and not is_often) or (is_often and rated):
            last = behind + (2 if closing else 0)
            last += int(last < len(tokens) and tokens[last].word in _TAIL)
            yield tuple(tokens[place - len(bound) : last])


def is_denied(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether a verb is denied: "never bills anyone", "does not take walk-ins".

    Args:
        tokens: The text.
        place: Where the verb stands.
    """
    for before in range(place - 1, -1, -1):
        word = tokens[before].word
        after_auxiliary = before > 0 and tokens[before - 1].word in _AUXILIARIES | _BEING
        if word in _NEVER or (word == "not" and after_auxiliary):
            return True
        if word not in ADVERBS | _AUXILIARIES | _BEING:
            break
    return False


def is_of_nobody(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether the subject of a verb is nobody: "nobody may keep one"."""
    at = place - 1
    while at >= 0 and tokens[at].word in ADVERBS | MODALS:
        at -= 1
    return at >= 0 and tokens[at].word in ("nobody", "no-one", "none")


def _denial_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """The words from a place on that say what is not done; () where they do not, or bound a number."""
    before = tokens[place - 1].word if place else ""
    denies = tokens[place].word in _NEVER or (tokens[place].word == "not" and before in _AUXILIARIES | _BEING)
    passive = {tokens[place].word, before} & (_BEING | _NOT_BEING)
    if not denies or (passive and not _is_done(tokens, place + 1)):
        return ()
    first, last = place - int(tokens[place].word == "not"), place + 1
    # "Members who do not pay", "what each dog does not tolerate": that describes, it rules nothing.
    near = range(max(0, first - _NEAR), first)
    frame = {"that", "which"} if tokens[0].word in _ARTICLES else set()
    relative = [at for at in near if tokens[at].word in _RELATIVE - (frame if at < _FRAME else set())]
    if relative and not _is_whole(tokens, relative[-1], first):
        return ()
    if relative or passive:
        first = _start_of_subject(tokens, relative[-1] if relative else first)
    longest = _LONGEST_DENIAL
    while last < len(tokens) and last - place < longest and tokens[last].word not in _CLAUSE_ENDS:
        longest = _LONGEST_OF_SOMEBODY if tokens[last].word == "who" else longest
        last += 1
    if any(number_at(tokens, at) for at in range(place + 1, min(last + 1, len(tokens)))):
        return ()
    denial = tuple(tokens[first:last])
    return denial if any(each.is_content for each in denial[place - first + 1 :]) else ()


def _purpose_end(tokens: Sequence[SentenceToken], place: int) -> int:
    """Where "to leave" ends, with what is to be left; 0 where it does not begin at a place."""
    if [token.word for token in tokens[place : place + 1]] != ["to"] or place + 1 >= len(tokens):
        return 0
    last = place + 1
    while last < len(tokens) and last - place <= _MOST_WORDS and tokens[last].word not in _CLAUSE_ENDS:
        last += 1
    return last if tokens[place + 1].is_base else 0


def _refusal_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """ "refuses hazardous waste": who or what is not taken; () where nothing says so."""
    if tokens[place].verb not in _REFUSING or tokens[place].is_participle:
        return ()
    last = place + 1
    while last < len(tokens) and last - place < 2 * _LONGEST_DENIAL and tokens[last].text not in ",.;:":
        if tokens[last].word in _JOINING:
            break
        last += 1
    return tuple(tokens[place:last]) if last > place + 1 else ()


def _is_done(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether something is done, "are not sold", and nothing is only so, "are not free"."""
    while place < len(tokens) and tokens[place].word in ADVERBS | {"being"}:
        place += 1
    return place < len(tokens) and is_past(tokens[place])


def _is_whole(tokens: Sequence[SentenceToken], relative: int, end: int) -> bool:
    """Whether "who haven't paid" ends before another verb is denied: "who haven't paid can't borrow"."""
    if tokens[relative].word != "who":
        return False
    behind = [token for token in tokens[relative + 1 : end] if token.is_content]
    return bool(behind) and bool(behind[0].verb)


def _start_of_subject(tokens: Sequence[SentenceToken], end: int) -> int:
    """Where the noun begins that ends before a place, with its determiner."""
    first = end
    while first > 0 and end - first < _MOST_WORDS and tokens[first - 1].is_content:
        first -= 1
    return first - int(first > 0 and tokens[first - 1].word in DETERMINERS)


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
    return end if end > place else 0


def _bound_before(tokens: Sequence[SentenceToken], place: int) -> tuple[str, ...]:
    """The words that make a bound of the number at a place; () where none do."""
    before = tuple(each.word for each in tokens[max(0, place - _LONGEST) : place])
    fit = [words for words in _BOUNDS if before[-len(words) :] == words]
    if before[-1:] == ("than",) and before[-2:-1] and before[-2].endswith("er"):
        fit.append(before[-2:])  # "louder than 55 decibels"
    named = named_bound(before, "minimum") or named_bound(before, "maximum")
    return named or max(fit, key=len, default=())
