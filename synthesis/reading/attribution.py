"""Attribution: of whom and when a value is said: of what was asked about, or of something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from synthesis.reading.document import ParsedText
from synthesis.reading.mentions import Fact, Mention
from synthesis.reading.phrases import NEGATIONS
from synthesis.reading.words import atoms, keys

_ANOTHER = frozenset(
    ("another", "different", "else", "else's", "someone", "somebody", "anybody", "unrelated")
)
UNNAMED = "the answer"
"""Name of a fact of which nobody said what it is of: one of a list, it may be told as "the second"."""
NUMBERED = frozenset(("second", "third", "fourth", "fifth"))
"""Words of one of several that a question for the first does not ask for."""
_WITH_NOUN = frozenset(("last", "previous", "former", "earlier", "older", "outdated", "prior"))
_PERIODS = keys("year month week quarter season file version report record statement period list")
_LINKS = frozenset(("for", "in", "of", "at", "on", "about", "from", "with"))
_ONCE = frozenset(("was", "were", "had"))
_TODAY = frozenset(("is", "are", "'s", "has", "have", "it's", "shows", "says"))
_MOVING = frozenset(("changed", "went", "moved", "switched", "turned", "updated", "corrected", "set"))
_UNREAL = frozenset(("would", "could", "might"))
_EARLIER = frozenset(("previously", "formerly", "originally", "used", "was", "were", "before"))
_COPULAS = frozenset(("is", "are", "=", ":", "'s"))
_CODE = re.compile(r"#?([a-z]{1,6})[-/#]?\d", re.IGNORECASE)
_FAR = 40


def is_of_another(mention: Mention, fact: Fact, document: ParsedText, asked: ParsedText) -> bool:
    """Whether a value is said of something else than was asked about: "another customer's total"."""
    own = set(atoms(fact.name)) | {token.text for token in asked.tokens}
    places = list(_before(mention, document))
    for at in places:
        text = document.tokens[at].text
        if text in own:
            continue
        if text in NUMBERED and (asked.tokens or fact.name != UNNAMED):
            return True
        if text in _ANOTHER and not _is_none_of_them(at, document):
            return True
        if text in _WITH_NOUN and any(
            document.tokens[place].key in _PERIODS
            for place in range(at + 1, min(at + 3, len(document.tokens)))
        ):
            return True
    return _has_another_code(places, document, asked)


def _before(mention: Mention, document: ParsedText) -> Iterator[int]:
    """The places of a chunk before its value, and of a chunk that leads to it: "for another customer"."""
    chunk = document.chunks[mention.chunk]
    sentence = document.sentences[chunk.sentence]
    if mention.chunk > sentence.chunks[0]:
        leading = document.chunks[mention.chunk - 1]
        if document.tokens[leading.first].text in _LINKS:
            yield from range(max(leading.first, leading.last - _FAR), leading.last)
    yield from range(max(chunk.first, mention.first - _FAR), mention.first)


def _is_none_of_them(at: int, document: ParsedText) -> bool:
    """Whether a word for others is denied: "nobody else", "not another one"."""
    before = document.tokens[at - 1].text if at else ""
    return before in ("no", "not", "nobody", "nothing", "none", "without")


def _has_another_code(places: list[int], document: ParsedText, asked: ParsedText) -> bool:
    """Whether a value stands with the code of another record of the kind that was asked about."""
    codes = {token.text.lower() for token in asked.tokens if token.kind == "code"}
    kinds = {match[1].lower() for code in codes if (match := _CODE.match(code))}
    named = [document.tokens[at].text.lower() for at in places if document.tokens[at].kind == "code"]
    if not kinds or any(code in codes for code in named):
        return False
    alike = [code for code in named if (match := _CODE.match(code)) and match[1].lower() in kinds]
    return bool(alike)


def is_unreal(mention: Mention, document: ParsedText) -> bool:
    """Whether a value would hold under a condition that does not: "would be 5 if it were another one"."""
    chunk = document.chunks[mention.chunk]
    before = {document.tokens[at].text for at in range(chunk.first, mention.first)}
    sentence = document.sentences[chunk.sentence]
    after = range(mention.last, min(sentence.last, mention.last + _FAR))
    return bool(before & _UNREAL) and any(at in document.conditions for at in after)


def is_over(mention: Mention, document: ParsedText) -> bool:
    """Whether a value is said of the past and another one of now: "was 5 once but is 6 today"."""
    chunk = document.chunks[mention.chunk]
    tokens = document.tokens
    before = [tokens[at].text for at in range(max(chunk.first, mention.first - _FAR), mention.first)]
    if before[-1:] == ["from"] and set(before) & _MOVING:
        return "to" in [token.text for token in tokens[mention.last : mention.last + 3]]
    if not set(before[-3:]) & _ONCE:
        return False
    following = mention.chunk + 1
    if following >= len(document.chunks) or document.chunks[following].sentence != chunk.sentence:
        return False
    beside = document.chunks[following]
    now = {tokens[at].text for at in range(beside.first, min(beside.last, beside.first + 6))}
    return beside.begins_with == "but" and bool(now & _TODAY)


def was_before(mention: Mention, document: ParsedText) -> bool:
    """Whether a value is told as how it was before, in a text that also tells how it is now."""
    chunk = document.chunks[mention.chunk]
    texts = {document.tokens[at].text for at in range(chunk.first, chunk.last)}
    if not texts & _EARLIER:
        return False
    return any(token.kind == "word" and token.text in ("now", "currently") for token in document.tokens)


def other_complement(label: frozenset[str], mentions: Sequence[Mention], document: ParsedText) -> str:
    """What a clause says to be what a fact is called, where that is no right value; "" where none does.

    Only what looks like a value counts: one to four words, one of them a code or written with a capital.
    """
    rights = {mention.chunk for mention in mentions if mention.right}
    for number, chunk in enumerate(document.chunks):
        if number in rights or document.sentences[chunk.sentence].question:
            continue
        last = min(chunk.last, chunk.first + _FAR)
        at = next((at for at in range(chunk.first, last) if document.tokens[at].text in _COPULAS), last)
        subject = {key for _, key in document.content(chunk.first, at)}
        if not label or not label <= subject or len(subject) > len(label) + 1:
            continue
        content = [document.tokens[place] for place, _ in document.content(at + 1, chunk.last)]
        negated = any(document.tokens[place].text in NEGATIONS for place in range(at, chunk.last))
        if 1 <= len(content) <= 4 and not negated and any(t.kind == "code" or t.capital for t in content):
            return " ".join(token.text for token in content)
    return ""


def is_taken_back_at_once(mention: Mention, document: ParsedText) -> bool:
    """Whether the sentence of a value, or the next one, takes it back."""
    number = document.chunks[mention.chunk].sentence
    last = document.sentences[min(number + 1, len(document.sentences) - 1)].last
    return any(mention.last <= at < last for at in document.retractions)
