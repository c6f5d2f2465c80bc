"""Pronoun counts: whether "one" and "both" count what is asked for, or stand for something that was named."""

from __future__ import annotations

from collections.abc import Callable

from synthesis.reading.document import ParsedText
from synthesis.reading.lexicon import STOP_WORDS
from synthesis.reading.mentions import Mention

_ONES = frozenset(("one", "once", "single"))
_EXACTLY = frozenset(("only", "just", "exactly"))
_OF_WITHIN = 6
"""Words behind "one of" among which the number is that it is a part of."""


def is_pronoun(
    document: ParsedText, mention: Mention, *, is_labelled: bool, is_shared: Callable[[], bool]
) -> bool:
    """Whether "one" counts nothing, or "both" something else: "One moment".

    Args:
        document: The answer.
        mention: The number.
        is_labelled: Whether the words around it are of what is asked for.
        is_shared: Whether its sentence speaks of that.
    """
    text = document.tokens[mention.first].text
    if text == "both":
        return not is_labelled
    if text not in _ONES or 1 not in mention.values:
        return False
    follows = document.tokens[mention.last : mention.last + 1]
    if follows and follows[0].text == "of":
        return not _is_object(document, mention) and not _is_of_several(document, mention)
    before = [token.text for token in document.tokens[max(0, mention.first - 2) : mention.first]]
    if not mention.scope or is_labelled or (before[1:] == ["the"] and before[0] in _EXACTLY):
        return False
    return not is_shared()


def _is_of_several(document: ParsedText, mention: Mention) -> bool:
    """Whether it is told as so many of a number: "one of her two loans qualified"."""
    behind = document.tokens[mention.last + 1 : mention.last + 1 + _OF_WITHIN]
    at = next((at for at, token in enumerate(behind) if token.values), len(behind))
    if at + 1 >= len(behind) or mention.first != document.chunks[mention.chunk].first:
        return False
    is_noun = behind[at + 1].kind == "word" and behind[at + 1].text not in STOP_WORDS
    numbers = behind[at].values.get("number", ())
    return is_noun and any(isinstance(number, int) and number > 1 for number in numbers)


def _is_object(document: ParsedText, mention: Mention) -> bool:
    """Whether a number is what a verb is of: "renewed one of the two", "only one of them"."""
    if mention.first <= document.chunks[mention.chunk].first:
        return False
    before = document.tokens[mention.first - 1]
    return before.text in _EXACTLY or (before.kind == "word" and before.text not in STOP_WORDS)
