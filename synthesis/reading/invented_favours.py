"""Invented favours: that somebody was granted something, or something was noted, which no tool does.

"A refund has been arranged", "the manager agreed to an exception", "I added a note to the file": what such
words name is in no tool of the world, in no request and in no right answer, so nobody can have done it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from synthesis.reading.document import ParsedText
from synthesis.reading.effects import Deed
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import NEGATIONS
from synthesis.reading.words import keys, word_set

_FAVOURS = keys("refund discount exception voucher goodwill upgrade rebate surcharge override")
"""What is granted to somebody, or decided about them."""
_NOTES = keys("note comment remark memo file diary")
"""What is written down for later."""
_GRANTING = keys(
    "arrange grant give agreed approve make issue offer apply allow authorise authorize promise process"
)
_NOTING = keys("add put leave write make log record")
_DENYING = word_set("no not never without nothing none neither nobody cannot can't")
_UNREAL = word_set("would could should can may might must will if unless whether need needs ask")
_AGREED = frozenset(("agreed",))
"""A past tense that elsewhere is mostly none: "as agreed"."""
_FAR = 6


def invents_a_favour(document: ParsedText, deeds: Sequence[Deed], known: Collection[str]) -> bool:
    """Whether a text tells that something was granted or noted for which the world has no tool.

    Args:
        document: The answer.
        deeds: What the world's writing tools do.
        known: Keys of what a right answer may speak of.
    """
    tools = frozenset().union(*(deed.nouns | deed.with_verb | {deed.key} for deed in deeds))
    open_to_all = frozenset(known) | tools
    pairs = (
        (_FAVOURS - open_to_all, _GRANTING),
        (_NOTES - open_to_all if _NOTES.isdisjoint(tools) else frozenset(), _NOTING),
    )
    return any(_claims_one(document, nouns, acts) for nouns, acts in pairs if nouns)


def _claims_one(document: ParsedText, nouns: frozenset[str], acts: frozenset[str]) -> bool:
    """Whether a past act stands near one of some nouns in a sentence that neither denies nor supposes it."""
    for at, token in enumerate(document.tokens):
        if token.key not in nouns or document.chunk_of[at] < 0:
            continue
        sentence = document.sentences[document.chunks[document.chunk_of[at]].sentence]
        words = document.tokens[sentence.first : sentence.last]
        texts = {word.text for word in words}
        if sentence.question or sentence.row or texts & (_DENYING | _UNREAL | NEGATIONS):
            continue
        near = document.tokens[max(sentence.first, at - _FAR) : min(sentence.last, at + 1 + _FAR)]
        if any(word.key in acts and (is_past(word.text) or word.text in _AGREED) for word in near):
            return True
    return False
