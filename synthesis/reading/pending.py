"""Pending: what a text tells as still to come, still as it was, or failed, where it was done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from synthesis.reading.document import ParsedText, phrase_pattern
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import ELSEWHERE
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.text_token import Plain
from synthesis.reading.words import key, keys, stem, word_set

_OFFERS = phrase_pattern(
    (
        "shall i",
        "should i",
        "do you want me to",
        "would you like me to",
        "as soon as you",
        "once you confirm",
        "once you approve",
        "i'll",
        "i will",
        "i would",
        "i'd",
        "i am going to",
        "i'm going to",
        "i plan to",
        "i can",
        "please",
        "you need to",
        "you have to",
        "you would have to",
    )
)
_ASKING_LEAVE = phrase_pattern(("shall i", "should i", "do you want me to", "would you like me to"))
_MORE = word_set("also anything else another more other further additionally too again")
_OFFERING = word_set(
    "shall should do you want me to would like as soon once confirm approve i 'll will 'd am 'm going plan "
    "can could please need have still needs has be yet must now then gladly happily be"
)
_ANY = frozenset(("do", "proceed", "start", "go"))
_LASTING = word_set("still remains remain stays stay")
_AS_BEFORE = word_set(
    "open unpaid outstanding booked unassigned pending there active valid due points assigned "
    "reserved held waiting unsettled uncancelled registered listed missing unconfirmed"
)
_OPEN = "open"
_UNDONE = phrase_pattern(
    (
        "still needs to be",
        "still has to be",
        "still have to be",
        "still need to be",
        "yet to be",
        "all but",
        "all except",
        "everything but",
        "everything except",
    )
)
_PAYING = keys("pay settle check decide confirm")
_FAILURES = phrase_pattern(
    (
        "was refused",
        "was rejected",
        "was declined",
        "has been refused",
        "has been rejected",
        "bounced",
        "refused it",
        "refused to",
        "rejected it",
        "rejected the",
        "declined it",
        "declined to",
        "wouldn't let",
        "would not let",
        "won't let",
        "did not let",
        "didn't let",
        "failed",
        "went wrong",
        "did not work",
        "didn't work",
        "gave an error",
        "threw an error",
        "timed out",
    )
)
_CHECKING = word_set("checked verified confirmed ensured")
_NEAR = 8


def is_pending(
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    asked: Collection[str],
    owed: Collection[str],
    explains: Callable[[str], bool] = lambda _: False,
    is_of_others: Callable[[int], bool] = lambda _: False,
    amounts: Collection[Plain] = (),
) -> bool:
    """Whether a text tells what was asked as not done, without denying it.

    Args:
        document: The answer.
        every_act: Its acts.
        asked: Keys of what was asked and had to be done.
        owed: Keys of what a right answer may tell as remaining.
        explains: Whether the stem of a verb is another word for what had to be done.
        is_of_others: Whether a place is about a row to which nothing had to be done.
        amounts: Amounts in cents that a right answer tells.
    """
    done = {act.verb for act in every_act if not act.denied and not act.state}
    return (
        any(_is_offered(document, at, asked, done, explains) for at in document.places(_OFFERS))
        or (not done and any(_asks_leave(document, at) for at in document.places(_ASKING_LEAVE)))
        or any(_fails(document, at) for at in document.places(_FAILURES))
        or any(_is_left(document, at) for at in document.places(_UNDONE))
        or any(
            token.text in _LASTING
            and _is_as_before(document, at, owed, asked)
            and not is_of_others(at)
            and not _is_of_amount(document, at, amounts)
            for at, token in enumerate(document.tokens)
        )
    )


def _is_offered(
    document: ParsedText,
    at: int,
    asked: Collection[str],
    done: Collection[str],
    explains: Callable[[str], bool],
) -> bool:
    """Whether an act that was asked for is offered or announced, and not told as done elsewhere."""
    number = document.chunk_of[at]
    if number < 0 or _is_elsewhere(document, number):
        return False
    last = document.chunks[number].last
    while at < last and document.tokens[at].text in _OFFERING:
        at += 1
    verb, follows = document.tokens[at : at + 1], document.tokens[at + 1 : at + 2]
    if at >= last or verb[0].kind != "word" or is_past(verb[0].text):
        return False
    if verb[0].text in _ANY:
        return not done
    is_asked = verb[0].key in asked or explains(stem(verb[0].text))
    return is_asked and verb[0].key not in done and not any(t.text == "that" for t in follows)


def _asks_leave(document: ParsedText, at: int) -> bool:
    """Whether leave is asked for an act, and not for one more."""
    number = document.chunk_of[at]
    if number < 0 or _is_elsewhere(document, number):
        return False
    sentence = document.sentences[document.chunks[number].sentence]
    words = document.tokens[sentence.first : min(sentence.last, sentence.first + 10 * _NEAR)]
    return sentence.question and not any(token.text in _MORE for token in words)


def _fails(document: ParsedText, at: int) -> bool:
    number = document.chunk_of[at]
    return number >= 0 and not _is_elsewhere(document, number)


def _is_left(document: ParsedText, at: int) -> bool:
    """Whether something is still to be done that is no payment or decision of others."""
    following = document.tokens[at : at + _NEAR]
    return _fails(document, at) and not any(token.key in _PAYING for token in following)


def _is_as_before(document: ParsedText, at: int, owed: Collection[str], asked: Collection[str]) -> bool:
    """Whether "still" or "remains" tells a state that was to be changed: not "open" of what was handed over,
    for which something else was opened."""
    number = document.chunk_of[at]
    if number < 0 or _is_elsewhere(document, number):
        return False
    chunk = document.chunks[number]
    following = document.tokens[at + 1 : min(at + 5, chunk.last)]
    if {token.text for token in document.tokens[chunk.first : at]} & _CHECKING and document.tokens[
        at - 1
    ].text in ("was", "were"):
        return False  # "I checked that it was still unassigned"
    if any(token.key in owed for token in document.tokens[max(chunk.first, at - _NEAR) : chunk.last]):
        return False
    texts = [token.text for token in following]
    left = _AS_BEFORE.intersection(texts) - ({_OPEN} if key(_OPEN) in asked else set())
    return bool(left) or ("in", "place") in pairwise(texts)


def _is_of_amount(document: ParsedText, at: int, amounts: Collection[Plain]) -> bool:
    """Whether what remains is an amount that was asked for: "so 135.90 is still open"."""
    first = max(document.chunks[document.chunk_of[at]].first, at - 2)
    values = (document.tokens[place].values.get("money_cents", frozenset()) for place in range(first, at))
    return any(not each.isdisjoint(amounts) for each in values)


def _is_elsewhere(document: ParsedText, number: int) -> bool:
    """Whether a clause is of something else than what was asked for, or under a condition."""
    chunk = document.chunks[number]
    sentence = document.sentences[chunk.sentence]
    first = document.chunks[number - 1].first if number > sentence.chunks[0] else chunk.first
    last = min(chunk.last, chunk.first + 10 * _NEAR)
    texts = {document.tokens[place].text for place in range(first, last)}
    return bool(texts & ELSEWHERE) or any(at in document.conditions for at in range(first, last))
