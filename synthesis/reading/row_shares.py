"""Row shares: how many of the changed rows are whose, and who has what now, as an answer tells it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from synthesis.reading.counts import is_amount, small_number
from synthesis.reading.document import ParsedText
from synthesis.reading.phrases import EARLIER, ELSEWHERE, NEGATIONS
from synthesis.reading.row_states import RowsMeant, RowStates
from synthesis.reading.structure import Chunk
from synthesis.reading.words import word_set
from synthesis.reading.world_rows import Place, Row

_SHARING = word_set("of for from to by")
_LISTING = frozenset((",", "and", "as", "well"))
_GETTING = word_set("got gets get took takes take has have received")
_ALL = word_set("both all")
_MOST_WORDS = 60
_HAVING = word_set("has have got gets")
_NOT_PLAIN = NEGATIONS | EARLIER | ELSEWHERE | word_set("if would could before after had")
_AUXILIARIES = word_set("was were did does do is are has have")
_COULD = word_set("did does could can")
_COULD_NOT = word_set("didn't doesn't couldn't cannot can't")
_NOT = word_set("not n't")
_AGAINST = word_set("against versus compared fewest load loads")
_NEGATED = word_set("wasn't weren't didn't doesn't don't isn't aren't hasn't haven't")


def untrue_share(document: ParsedText, states: RowStates) -> str:
    """What a text tells of whose the changed rows are that is not so, in words; empty where nothing is.

    Args:
        document: The answer.
        states: The rows as the episode left them.
    """
    if not states.changed:
        return ""
    return next(_untrue(document, states, states.meant(document)), "")


def _untrue(document: ParsedText, states: RowStates, meant: Sequence[RowsMeant]) -> Iterator[str]:
    if any(_has_another_total(document, states, chunk) for chunk in document.chunks):
        yield "it tells another total"
    if any(_is_another_size(document, states, at) for at in range(1, len(document.tokens) - 1)):
        yield "it tells a size that nothing has"
    for one in meant:
        number = document.chunk_of[one.at]
        if number >= 0 and len(one.places) == 1:
            yield from _untrue_of(document, states, one, document.chunks[number], meant)


def _untrue_of(
    document: ParsedText, states: RowStates, one: RowsMeant, chunk: Chunk, meant: Sequence[RowsMeant]
) -> Iterator[str]:
    """What is untrue of one row that is named."""
    texts = {
        token.text for token in document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]
    }
    (place,) = one.places
    is_left = _is_left_out(document, one, chunk.last) and _is_served(states, place)
    if is_left or (place in states.changed and _is_not_fit(document, one, chunk)):
        yield "it denies what was done"
    if document.sentences[chunk.sentence].question or texts & _NOT_PLAIN:
        return
    within = [each for each in meant if chunk.first <= each.at < chunk.last]
    if place in states.others and _is_now_otherwise(document, one, chunk):
        yield "it tells a change of a row that was not changed"
    if _has_all(document, one, chunk) and _has_some(states, place):
        yield "it gives somebody all of what others have a part of"
    share = None if _tells_loads(document, chunk) else _share(document, one, chunk.first)
    if share is not None and _is_another_share(states, place, share):
        yield "it tells another number of rows of somebody"
    other = next((each for each in within if one.last <= each.at), None)
    if other and _has_between(document, one.last, other.at) and _are_apart(states, place, other.places):
        yield "it tells that somebody has what is another's"


def _is_now_otherwise(document: ParsedText, one: RowsMeant, chunk: Chunk) -> bool:
    """Whether a code stands in a list before "now": "SO-1 and SO-2 now run longer"."""
    tokens, at = document.tokens, one.last
    sentence = document.sentences[chunk.sentence]
    while at < sentence.last and (tokens[at].kind == "code" or tokens[at].text in _LISTING):
        at += 1
    is_code = tokens[one.at].kind == "code" and at < sentence.last
    return is_code and tokens[at].text == "now" and tokens[at - 1].kind == "code"


def _has_all(document: ParsedText, one: RowsMeant, chunk: Chunk) -> bool:
    """Whether a clause goes on with "got both": somebody has all that was given away."""
    after = [token.text for token in document.tokens[one.last : min(one.last + 3, chunk.last)]]
    return any(have in _GETTING and each in _ALL for have, each in pairwise(after))


def _has_some(states: RowStates, place: Place) -> bool:
    """Whether some, and not all, of the changed rows of a table refer to a row."""
    kinds = [changed[0] for changed in states.changed]
    return any(0 < count < kinds.count(table) for table, count in _counts(states, place).items())


def _has_another_total(document: ParsedText, states: RowStates, chunk: Chunk) -> bool:
    """Whether a clause tells a total that is no amount of the one changed row which has a total."""
    words = document.tokens[chunk.first : min(chunk.last, chunk.first + _MOST_WORDS)]
    if not any(token.text == "total" for token in words):
        return False
    amounts = [token.values["money_cents"] for token in words if is_amount(token)]
    if len(amounts) != 1:
        return False
    totals = [states.cells(place) for place in states.changed if _has_total(states.cells(place))]
    known = {cell for row in totals[0] for cell in row.values() if isinstance(cell, int)} if totals else set()
    return len(totals) == 1 and amounts[0].isdisjoint(known)


def _is_another_size(document: ParsedText, states: RowStates, at: int) -> bool:
    """Whether "packs of 6" is no size that something has."""
    if document.tokens[at].text != "of":
        return False
    numbers = document.tokens[at + 1].values.get("number", frozenset())
    if not numbers:
        return False
    known = states.sizes.get(document.tokens[at - 1].key)
    return known is not None and numbers.isdisjoint(known)


def _has_total(cells: Iterable[Row]) -> bool:
    return any("total" in name.split("_") for row in cells for name in row)


def _share(document: ParsedText, one: RowsMeant, first: int) -> int | None:
    """The number of "two for Ada Hale"."""
    if one.at - 2 < first or document.tokens[one.at - 1].text not in _SHARING:
        return None
    if document.tokens[one.last : one.last + 1] and document.tokens[one.last].text == "'s":
        return None  # of what belongs to them: whoever has it now
    before = document.tokens[one.at - 2]
    if [token.text for token in document.tokens[max(first, one.at - 4) : one.at - 2]] == ["of", "the"]:
        return None  # "the later of the two for CH-1"
    return 1 if before.text == "one" else small_number(document.tokens, one.at - 2)


def _tells_loads(document: ParsedText, chunk: Chunk) -> bool:
    """Whether a sentence tells what people had, and not what they were given: "against 1 for Ada Hale"."""
    sentence = document.sentences[chunk.sentence]
    words = document.tokens[sentence.first : min(sentence.last, sentence.first + _MOST_WORDS)]
    return any(token.text in _AGAINST for token in words)


def _counts(states: RowStates, place: Place) -> dict[str, int]:
    """By table, how many changed rows refer to a row, where changed rows of the table refer to such."""
    counts: dict[str, int] = {}
    for changed in states.changed:
        referred = states.referred(changed)
        if any(table == place[0] for table, _ in referred):
            counts[changed[0]] = counts.get(changed[0], 0) + (place in referred)
    return counts


def _is_another_share(states: RowStates, place: Place, share: int) -> bool:
    counts = _counts(states, place)
    return bool(counts) and share not in counts.values()


def _is_served(states: RowStates, place: Place) -> bool:
    """Whether a row was changed, or each table of changed rows that refer to such rows has one of it."""
    counts = _counts(states, place)
    return place in states.changed or (bool(counts) and all(counts.values()))


def _has_between(document: ParsedText, first: int, last: int) -> bool:
    words = [token.text for token in document.tokens[first:last]]
    return bool(_HAVING.intersection(words)) and len(words) <= 3


def _are_apart(states: RowStates, owner: Place, places: Collection[Place]) -> bool:
    """Whether changed rows refer to both kinds, some to the first of two, and no row to both."""
    if len(places) != 1:
        return False
    (owned,) = places
    both = [states.referred(changed) for changed in states.changed]
    tables = [referred for referred in both if {owner[0], owned[0]} <= {table for table, _ in referred}]
    concerned = any(owner in referred for referred in tables)
    return (
        owner[0] != owned[0]
        and concerned
        and not any(owner in referred and owned in referred for referred in tables)
        and not states.belong_together(owner, owned)
    )


def _is_not_fit(document: ParsedText, one: RowsMeant, chunk: Chunk) -> bool:
    """Whether a clause begins with "SO-1 did not fit", of a code."""
    after = [token.text for token in document.tokens[one.last : min(one.last + 2, chunk.last)]]
    is_code = document.tokens[one.at].kind == "code" and one.at <= chunk.first + 1
    is_denied = after[:1] and (after[0] in _COULD_NOT or (after[0] in _COULD and after[-1] in _NOT))
    return is_code and bool(is_denied)


def _is_left_out(document: ParsedText, one: RowsMeant, last: int) -> bool:
    """Whether a clause ends in "Ada Hale was not"."""
    words = [token.text for token in document.tokens[one.last : last] if token.kind != "sign"]
    return words[:1] != [] and (
        (len(words) == 1 and words[0] in _NEGATED)
        or (len(words) == 2 and words[0] in _AUXILIARIES and words[1] in _NOT)
    )
