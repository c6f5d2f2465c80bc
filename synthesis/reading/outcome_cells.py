"""Outcome cells: cells of a table that say how the request ended."""

from __future__ import annotations

from collections.abc import Iterator

from synthesis.reading.document import ParsedText
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import ELSEWHERE
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.structure import Sentence
from synthesis.reading.words import key, keys

REFUSING = frozenset(key(word) for word in ("declined", "refused", "rejected", "denied"))
_OUTCOME = keys("outcome result decision verdict answer action request")
_LABEL = 8
"""Words of a row of a table among which its question stands."""


def outcome_cells(document: ParsedText, sentence: Sentence) -> Iterator[ReportedAct]:
    """Cells of a table that say how the request ended: "declined" under "outcome", "not opened", "no"."""
    label = document.tokens[sentence.first : min(sentence.last, sentence.first + _LABEL)]
    is_question = any(token.text == "?" for token in label)
    is_question = is_question and not any(token.text in ELSEWHERE for token in label)
    for number in sentence.chunks:
        chunk = document.chunks[number]
        first, follows = document.tokens[chunk.first], document.tokens[chunk.first + 1 : chunk.last]
        short = chunk.last - chunk.first <= 3
        is_end = short and bool(chunk.given & _OUTCOME)
        is_end = is_end or (bool(follows) and follows[0].text == ":")
        is_undone = short and first.text == "not" and bool(follows) and is_past(follows[0].text)
        is_end = is_end or (short and document.tokens[max(chunk.first, chunk.last - 2)].key in REFUSING)
        asked = [token.key for token in label if is_past(token.text)] if is_question else []
        is_refusal = (
            first.key in REFUSING or document.tokens[max(chunk.first, chunk.last - 2)].key in REFUSING
        )
        if (is_end and is_refusal) or is_undone:
            yield ReportedAct(True, "", chunk.first, frozenset(), own=True)
        elif first.text == "no" and not follows and asked:
            yield ReportedAct(True, asked[0], chunk.first, chunk.given - {asked[0]}, own=True)
