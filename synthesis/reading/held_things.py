"""Held things: what an answer says is held, taken or reserved by somebody as the world had it before."""

from __future__ import annotations

from collections.abc import Collection

from synthesis.reading.document import ParsedText
from synthesis.reading.past_tense import is_past
from synthesis.reading.world_rows import WorldRows

_LINKS = frozenset(("by", "to"))


def held_before(document: ParsedText, rows: WorldRows, given: Collection[str]) -> set[int]:
    """Where somebody is named by whom something is held that a row of the world gives them, and where that
    is named: "Berth 5 is held by Ada Lund", "Drill 6, assigned to Bo Hale".

    Args:
        document: The answer.
        rows: The world before.
        given: Participles of what tools did that were called.
    """
    if not any(token.text in _LINKS for token in document.tokens):
        return set()
    held: set[int] = set()
    named = list(document.phrases(rows.name_index))
    for phrase, first, _ in named:
        before = [token.text for token in document.tokens[max(0, first - 2) : first]]
        number = document.chunk_of[first]
        if before[1:] not in (["by"], ["to"]) or not is_past(before[0]) or number < 0:
            continue
        if before[1:] == ["to"] and before[0] in given:
            continue  # a tool gave it to somebody
        sentence = document.sentences[document.chunks[number].sentence]
        beside = [each for each in named if sentence.first <= each[1] < first]
        is_so = bool(beside) and rows.are_linked(beside[-1][0], phrase)
        if is_so:
            held |= {beside[-1][1], first}
    return held
