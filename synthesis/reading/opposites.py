"""Opposites: a choice told as the other end of its scale, or an extent other than the one asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from synthesis.reading.document import ParsedText, parsed
from synthesis.reading.mentions import Value
from synthesis.reading.phrases import EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.words import word_set

_End = tuple[int, int]
"""Number of a scale, and 0 for its low end or 1 for its high one."""
_SCALES = (
    (word_set("cheapest lowest"), word_set("dearest priciest costliest highest")),
    (word_set("smallest"), word_set("largest biggest")),
    (word_set("shortest"), word_set("longest")),
    (word_set("earliest soonest oldest"), word_set("latest newest")),
)
"""Superlatives by what they measure, low end and high end."""
_COSTLY = word_set("expensive costly")
_LOW_OR_HIGH = {"least": 0, "most": 1}
_END_OF = {
    word: (number, end)
    for number, scale in enumerate(_SCALES)
    for end, words in enumerate(scale)
    for word in words
}
"""The end of a scale that a superlative names."""
_COMPARING = NEGATIONS | EARLIER | ELSEWHERE | word_set("than not would could if because")
_MOST_WORDS = 60


def reversed_claim(
    document: ParsedText,
    every_act: Sequence[ReportedAct],
    instruction: str,
    reference: str,
    done: Collection[str],
) -> str:
    """What a text tells as the opposite of what was asked, in words; empty where nothing is.

    Args:
        document: The answer.
        every_act: Its acts.
        instruction: What was asked.
        reference: A right answer, whose words are no opposites.
        done: Keys of what was asked for and done.
    """
    asked = parsed(instruction)
    claims = [act for act in every_act if not act.denied and not act.limited and not act.state]
    if _chooses_otherwise(document, claims, asked, parsed(reference)):
        return "it tells the opposite of the choice that was asked for"
    if _goes_further(document, [act for act in claims if act.verb in done], asked):
        return "it tells another extent than was asked for"
    return ""


def _chooses_otherwise(
    document: ParsedText, claims: Sequence[ReportedAct], asked: ParsedText, right: ParsedText
) -> bool:
    """Whether a text names one end of a scale alone where the other one alone was asked for."""
    if not (named := _ends(document)):  # nearly always
        return False
    wanted = _ends(asked)
    allowed = wanted.keys() | _ends(right).keys()
    acting = {document.chunk_of[act.at] for act in claims}
    sentences = {document.chunks[number].sentence for number in acting if number >= 0}
    for (scale, end), places in named.items():
        other = (scale, 1 - end)
        is_reversed = other in wanted and other not in named and (scale, end) not in allowed
        if is_reversed and any(_is_plain(document, at, sentences) for at in places):
            return True
    return False


def _goes_further(document: ParsedText, claims: Sequence[ReportedAct], asked: ParsedText) -> bool:
    """Whether an act is told by another number of days or the like than the instruction has."""
    if not (extents := list(_extents(document))):  # nearly always
        return False
    wanted: dict[str, frozenset[Value]] = {}
    for unit, _, values in _extents(asked):
        wanted[unit] = wanted.get(unit, frozenset()) | values
    chunks = {document.chunk_of[act.at] for act in claims}
    return any(
        not values & wanted.get(unit, values)
        for unit, at, values in extents
        if document.chunk_of[at] in chunks
    )


def _ends(document: ParsedText) -> dict[_End, list[int]]:
    """The ends of scales that a text names, with where."""
    ends: dict[_End, list[int]] = {}
    for at, token in enumerate(document.tokens):
        before = document.tokens[at - 1].text if at else ""
        if token.text in _COSTLY and before in _LOW_OR_HIGH:
            ends.setdefault((0, _LOW_OR_HIGH[before]), []).append(at)
        if (named := _END_OF.get(token.text)) is not None:
            ends.setdefault(named, []).append(at)
    return ends


def _is_plain(document: ParsedText, at: int, sentences: Collection[int]) -> bool:
    """Whether a superlative is told in a sentence that tells an act, of that and of nothing else."""
    number = document.chunk_of[at]
    if number < 0 or document.chunks[number].sentence not in sentences:
        return False
    chunk = document.chunks[number]
    if document.sentences[chunk.sentence].question:
        return False
    words = document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]
    is_deadline = [token.text for token in document.tokens[max(0, at - 2) : at]] == ["at", "the"]
    return not is_deadline and not any(token.text in _COMPARING for token in words)


def _extents(document: ParsedText) -> Iterator[tuple[str, int, frozenset[Value]]]:
    """How far something was moved, "by 3 days": the key of its unit, its place and its values."""
    for at in range(1, len(document.tokens) - 1):
        values = document.tokens[at].values.get("number")
        unit = document.tokens[at + 1]
        if values and document.tokens[at - 1].text == "by" and unit.kind == "word":
            yield unit.key, at, frozenset(values)
