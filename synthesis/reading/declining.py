"""Declining: short forms in which an answer declines: a clause, a result, a question who of two is meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from synthesis.reading.document import ParsedText
from synthesis.reading.fact_values import phrase_of
from synthesis.reading.outcome_cells import REFUSING
from synthesis.reading.phrases import CONDITIONS, EARLIER, NEGATIONS
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import word_set

_SHORT_CLAUSE = 4
"""Words of a clause that is one phrase."""
_NOTHING = word_set("nothing none no nobody")
_TELLING = word_set("know tell say confirm clarify specify need")
"""Words before "which" where somebody is asked for it without a question mark."""
_NEAR = 5
_SEVERAL = 2
_PASSIVE = word_set("was were is are been therefore")
_REFUSING_STEMS = ("refus", "declin", "reject", "deni")
_NOT_NOW = NEGATIONS | EARLIER | CONDITIONS | word_set("would could should might had other others who which")
_ASIDE = word_set("who which whose as since because although")


def refusing_end(tokens: Sequence[TextToken], first: int, last: int) -> int | None:
    """Where a short clause is that something was declined: "Declined", "Assignment declined"."""
    words = [at for at in range(first, last) if tokens[at].kind != "sign"]
    is_so = 0 < len(words) <= _SHORT_CLAUSE and tokens[words[-1]].key in REFUSING
    is_begin = bool(words) and words[0] == first and tokens[first].key in REFUSING
    return first if is_begin else words[-1] if is_so else None


def refusing_result(tokens: Sequence[TextToken], last: int) -> int | None:
    """Where a clause ends with that it came to a refusal: "JLR-6628 for Anna Berg: refused"."""
    at = last - 2 if tokens[last - 1].kind == "sign" else last - 1
    return at if at > 0 and tokens[at - 1].text == ":" and tokens[at].key in REFUSING else None


def is_addressed(tokens: Sequence[TextToken], first: int) -> bool:
    """Whether a clause stands behind the name of whom it is for: "Lena, declined: ..."."""
    if first < 2 or tokens[first - 1].text != "," or not tokens[first - 2].capital:
        return False
    return (
        first == 2
        or tokens[first - 3].kind == "line"
        or tokens[first - 3].text in (".", "hi", "hello", "dear")
    )


def is_refused(document: ParsedText, asked: Collection[str]) -> bool:
    """Whether something is told to have been refused, which is not what was asked for: "CH-5422 was refused".

    Args:
        document: The text.
        asked: Keys of the instruction.
    """
    if not any(stem in document.folded for stem in _REFUSING_STEMS):  # nearly always
        return False
    for at, token in enumerate(document.tokens):
        if at < 1 or token.key not in REFUSING or token.key in asked or document.chunk_of[at] < 0:
            continue
        chunk = document.chunks[document.chunk_of[at]]
        before = {each.text for each in document.tokens[max(chunk.first, at - _NEAR) : at]}
        is_so = document.tokens[at - 1].text in _PASSIVE and before.isdisjoint(_NOT_NOW)
        if is_so and chunk.begins_with not in _ASIDE and not document.sentences[chunk.sentence].question:
            return True
    return False


def declines_nothing(tokens: Sequence[TextToken], at: int) -> bool:
    """Whether what a phrase at a place says was declined is nothing: "I have declined nothing"."""
    near = tokens[at : at + _NEAR]
    return any(token.key in REFUSING and follows.text in _NOTHING for token, follows in pairwise(near))


def asks_which(document: ParsedText, names: Collection[str]) -> bool:
    """Whether a text asks which of several is meant and names them: of two people of one name, their towns.

    Args:
        document: The text.
        names: What tells them apart.
    """
    several = [name for name in names if any(True for _ in document.phrases(phrase_of(name)))]
    if len(several) < _SEVERAL:
        return False
    for sentence in document.sentences:
        texts = [token.text for token in document.tokens[sentence.first : sentence.last]]
        if sentence.question and ("which" in texts or "or" in texts):
            return True
        at = texts.index("which") if "which" in texts else 0
        if _TELLING & set(texts[max(0, at - _NEAR) : at]):
            return True
    return False
