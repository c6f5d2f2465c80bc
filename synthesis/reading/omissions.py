"""Omissions: what an answer says to have been left undone, or not done for one of several, that calls did."""

from __future__ import annotations

from synthesis.reading.acts import LEAVING
from synthesis.reading.deeds import is_of_a_row_left
from synthesis.reading.document import ParsedText
from synthesis.reading.effects import Effects
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import EARLIER
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.structure import Chunk
from synthesis.reading.words import key, word_set

_SPEAKERS = word_set("i we")
_NONE = word_set("none nothing not")
_FOR = word_set("to for")
_BUT = word_set("but and , though")
_NEAR, _MOST, _PAIR = 8, 30, 2


def leaves_undone(document: ParsedText, act: ReportedAct, effects: Effects) -> bool:
    """Whether the speaker left something undone that was done: "I left it unassigned for now".

    Args:
        document: The answer.
        act: One of its acts, denied.
        effects: What a right end consists of.
    """
    text = document.tokens[act.at].text
    if not text.startswith("un") or not is_past(text[2:]) or key(text[2:]) not in effects.called:
        return False
    chunk = document.chunks[document.chunk_of[act.at]]
    before = {token.text for token in document.tokens[max(chunk.first, act.at - _NEAR) : act.at]}
    is_own = not before.isdisjoint(_SPEAKERS) and not before.isdisjoint(LEAVING)
    return is_own and before.isdisjoint(EARLIER) and not is_of_a_row_left(document, act.at, effects)


def omits_one(document: ParsedText, effects: Effects) -> bool:
    """Whether a clause denies for one of several what its sentence tells and calls did for it, too: "I sent a
    letter to Greta, but none to Yara".

    Args:
        document: The answer.
        effects: What a right end consists of.
    """
    return effects.pairings is not None and any(
        _omits(document, number, chunk, effects) for number, chunk in enumerate(document.chunks)
    )


def _omits(document: ParsedText, number: int, chunk: Chunk, effects: Effects) -> bool:
    words = [token.text for token in document.tokens[chunk.first : min(chunk.last, chunk.first + _PAIR)]]
    if not number or chunk.begins_with not in _BUT or len(words) < _PAIR:
        return False
    earlier = document.chunks[number - 1]
    if words[0] not in _NONE or words[1] not in _FOR or earlier.sentence != chunk.sentence:
        return False
    before = document.tokens[earlier.first : min(earlier.last, earlier.first + _MOST)]
    verbs = {token.key for token in before if is_past(token.text)}
    marks = effects.pairings.marks(document) if effects.pairings else ()
    called = {
        tool
        for mark in marks
        if chunk.first <= mark.at < chunk.last and effects.pairings
        for tool in effects.pairings.tools_of(mark)
    }
    return any(deed.name in called and deed.key in verbs for deed in effects.needed)
