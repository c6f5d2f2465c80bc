"""Worded rules: what a sentence rules without a number, "alcohol is not sold", "only members may book"."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.procedural.sentence.limits import end_of_permission, number_at
from synthesis.procedural.sentence.modifiers import NOT_BEING, is_past
from synthesis.procedural.sentence.tokens import ADVERBS, DETERMINERS, MODALS, SentenceToken

_AUXILIARIES = frozenset(("do", "does", "did", "may", "can", "must", "should", "will"))
_BEING = frozenset(("is", "are", "be", "being", "been", "was", "were", "get", "gets", "got"))
_NEVER = NOT_BEING | frozenset(
    ("never", "don't", "doesn't", "didn't", "cannot", "can't", "won't", "mustn't", "shouldn't")
)
_REFUSING = frozenset(("refuse", "reject", "decline"))
CLAUSE_ENDS = frozenset((",", ".", ";", ":", "and", "but", "or", "which", "that", "unless", "until"))
_OF_SEVERAL = frozenset(("don't", "aren't", "weren't", "not"))
_JOINED = frozenset(("and", "but", ","))
_JOINING = frozenset(("and", "but"))
_LONGEST_DENIAL = 6
_LONGEST_OF_SOMEBODY = 10
"""Words of what is denied, and of that with those to whom, or when, it is."""
_CONDITIONS = frozenset(("who", "if", "when"))
_ONLY = frozenset(("if", "when", "once", "after", "to", "for", "with", "by", "on", "in", "between", "at"))
_NOTHING = frozenset(("nobody", "no-one", "nothing"))
_PROVIDING = frozenset(("provided", "providing"))
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


def worded_rule(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """The words of a rule without a number that begins at a place; () where none does."""
    if tokens[place].word == "only" and (end := end_of_permission(tokens, place, described=True)):
        return tuple(tokens[place:end])
    return (
        _only_at_end(tokens, place)
        or _denial_at(tokens, place)
        or _refusal_at(tokens, place)
        or _condition_at(tokens, place)
        or _nobody_at(tokens, place)
        or _none_at(tokens, place)
    )


def _only_at_end(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """ "to residents only": for whom alone something is; () where the word begins something else."""
    ends = place + 1 >= len(tokens) or not tokens[place + 1].is_word or tokens[place + 1].word in _JOINING
    if tokens[place].word != "only" or not ends or place < 2 or not tokens[place - 1].is_content:
        return ()
    first = place - 1
    while first > 0 and place - first <= _MOST_WORDS and tokens[first].is_content:
        first -= 1
    return tuple(tokens[first : place + 1]) if tokens[first].word in _ONLY else ()


def _none_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """ "refunds no tickets": what is done to nothing; () where nothing says so, or a number is near."""
    behind = [token.word for token in tokens[place + 1 : place + 3]]
    done = tokens[place].is_third_person or tokens[place].is_base
    if not done or behind[:1] != ["no"] or len(behind) < 2 or not tokens[place + 2].is_content:
        return ()
    rule = _to_clause_end(tokens, place)
    return () if any(number_at(tokens, place + at) for at in range(len(rule))) else rule


def _nobody_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """ "nobody starts before the parish agrees"; () where nobody is said to do something, or a number is."""
    behind = tokens[place + 1 : place + 2]
    if tokens[place].word not in _NOTHING or not behind:
        return ()
    if not (behind[0].word in MODALS | _BEING | {"gets"} or behind[0].is_third_person):
        return ()
    rule = _to_clause_end(tokens, place)
    return () if any(number_at(tokens, place + at) for at in range(len(rule))) else rule


def _to_clause_end(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """The words from a place on to where their clause ends."""
    last = place + 2
    while (
        last < len(tokens) and last - place <= _LONGEST_OF_SOMEBODY and tokens[last].word not in CLAUSE_ENDS
    ):
        last += 1
    return tuple(tokens[place:last])


def _condition_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """ "only when parents have signed", "provided they have passed a course"; () where none begins."""
    behind = tokens[place + 1].word if place + 1 < len(tokens) else ""
    only = tokens[place].word == "only" and (behind in _ONLY or _only_done(tokens, place))
    if not only and not (
        tokens[place].word in _PROVIDING and behind in ("that", "they", "he", "she", "it", "you")
    ):
        return ()
    return _to_clause_end(tokens, place)


def _only_done(tokens: Sequence[SentenceToken], place: int) -> bool:
    """ "are only hired to productions with an armourer": whether something is done for these alone."""
    before, behind = tokens[place - 1 : place], tokens[place + 1 : place + 3]
    done = len(behind) == 2 and is_past(behind[0]) and behind[1].word in _ONLY
    return done and bool(before) and before[0].word in _BEING


def is_denied(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether a verb is denied: "never bills anyone", "does not take walk-ins".

    Args:
        tokens: The text.
        place: Where the verb stands.
    """
    for before in range(place - 1, -1, -1):
        word = tokens[before].word
        after_auxiliary = before > 0 and tokens[before - 1].word in _AUXILIARIES | _BEING
        apart = before > 0 and tokens[before - 1].word in _JOINING  # "but not copy them"
        if word in _NEVER or (word == "not" and (after_auxiliary or apart)):
            return True
        if word not in ADVERBS | _AUXILIARIES | _BEING:
            break
    return False


def is_of_nobody(tokens: Sequence[SentenceToken], place: int) -> bool:
    """Whether the subject of a verb is nobody: "nobody may keep one"."""
    at = place - 1
    while at >= 0 and tokens[at].word in ADVERBS | MODALS:
        at -= 1
    return at >= 0 and tokens[at].word in _NOTHING | {"none"}


def _denial_at(tokens: Sequence[SentenceToken], place: int) -> tuple[SentenceToken, ...]:
    """The words from a place on that say what is not done; () where they do not, or bound a number."""
    before = tokens[place - 1].word if place else ""
    apart = before in _JOINING and place + 1 < len(tokens) and tokens[place + 1].is_base
    after = apart or before in _AUXILIARIES | _BEING
    denies = tokens[place].word in _NEVER or (tokens[place].word == "not" and after)
    passive = {tokens[place].word, before} & (_BEING | NOT_BEING)
    if not denies or (passive and not _is_done(tokens, place + 1)):
        return ()
    first, last = place - int(tokens[place].word == "not"), place + 1
    # "Members who do not pay", "what each dog does not tolerate": that describes, it rules nothing.
    near = range(max(0, first - _NEAR), first)
    frame = {"that", "which"} if tokens[0].word in _ARTICLES else set()
    relative = [at for at in near if tokens[at].word in _RELATIVE - (frame if at < _FRAME else set())]
    if relative and any(tokens[at].text in _JOINED for at in range(relative[-1], first)):
        if tokens[place].word in _OF_SEVERAL:  # "people who pay late and don't call"
            return ()
        relative = []  # "records who bought them and doesn't admit traders"
    if relative and not _is_whole(tokens, relative[-1], first):
        return ()
    if relative or passive:
        first = _start_of_subject(tokens, relative[-1] if relative else first)
    longest, within = _LONGEST_DENIAL, False
    while last < len(tokens) and last - place < longest and tokens[last].word not in CLAUSE_ENDS:
        within = within or tokens[last].word in _CONDITIONS
        longest = _LONGEST_OF_SOMEBODY if within else longest
        last += 1
    numbers = range(place + 1, min(last + 1, len(tokens)))
    if not within and any(number_at(tokens, at) for at in numbers):
        return ()
    denial = tuple(tokens[first:last])
    return denial if any(each.is_content for each in denial[place - first + 1 :]) else ()


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
