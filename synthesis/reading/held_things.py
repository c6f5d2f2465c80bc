"""Held things: what an answer says is held, taken or reserved by somebody as the world had it before."""

from __future__ import annotations

from synthesis.reading.document import ParsedText
from synthesis.reading.past_tense import is_past
from synthesis.reading.world_rows import WorldRows


def held_before(document: ParsedText, rows: WorldRows) -> set[int]:
    """Where somebody is named by whom something is held that a row of the world gives them, and where that
    is named: "Berth 5 is held by Ada Lund"."""
    if not any(token.text == "by" for token in document.tokens):
        return set()
    held: set[int] = set()
    named = list(document.phrases(rows.name_index))
    for phrase, first, _ in named:
        before = [token.text for token in document.tokens[max(0, first - 2) : first]]
        number = document.chunk_of[first]
        if before[1:] != ["by"] or not is_past(before[0]) or number < 0:
            continue
        sentence = document.sentences[document.chunks[number].sentence]
        beside = [each for each in named if sentence.first <= each[1] < first]
        if beside and rows.are_linked(beside[-1][0], phrase):
            held |= {beside[-1][1], first}
    return held
