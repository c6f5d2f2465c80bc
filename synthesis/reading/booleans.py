"""Booleans: whether a text affirms or denies what a fact is called."""

from __future__ import annotations

from synthesis.reading.acts import VAGUE_OBJECTS, acts, is_generic
from synthesis.reading.document import ParsedText
from synthesis.reading.mentions import label_keys
from synthesis.reading.past_tense import is_past
from synthesis.reading.phrases import NEGATIONS
from synthesis.reading.reported_act import ReportedAct
from synthesis.reading.words import word_set

_MODAL = frozenset(["can", "could", "may", "might", "would", "should", "must", "only", "will", "to"])
_PERMITS = frozenset(["can", "may"])
_YES = frozenset(["yes", "true", "yep", "correct"])
_NO = frozenset(["no", "false", "nope"])
_PAUSES = frozenset([",", ".", ";", ":", "-", "!"])
_ASKING = word_set("is are was were does do did has have can may will")
_OR = frozenset(["or"])
_JOINING = frozenset((",", "and", "but", "while", "whereas"))
_SETTING_APART = word_set("unlike except without")
"""Words that deny just what stands behind them."""
_DENYING = NEGATIONS | _SETTING_APART
_ENDING = word_set("was were has have did is are")
"""Words that end "the trailer was not added but the van was"."""
_BEING = word_set("is are 's 're")
_MOST_WORDS = 80


def boolean_status(name: str, document: ParsedText, asked: ParsedText) -> bool | None:
    """Whether a text affirms (True) or denies (False) what a name says; None when it does neither.

    A yes or a no at the beginning decides where just that is asked; else what is claimed or denied to have
    been done, then what is said of it, then a plain yes or no.

    Args:
        name: Of the fact.
        document: The text.
        asked: The instruction.
    """
    if not document.tokens:
        return None
    label = label_keys(name)
    is_plain = len(document.tokens) > 1 and document.tokens[1].text in _PAUSES
    plainly = _plainly(document) if is_plain and _is_asked(label, asked) else None
    return _of_acts(name, label, document) if plainly is None else plainly


def _of_acts(name: str, label: frozenset[str], document: ParsedText) -> bool | None:
    """Whether what is claimed or denied, and else what is said of it, affirms or denies a name."""
    every_act = acts(document)
    about = [act for act in every_act if not act.limited and act.verb in label]
    own = [act for act in about if not act.state]
    apart = _set_apart(label, {act.verb for act in about}, document)
    if own:
        return _agreed(own) if apart is None else apart
    if apart is not None:
        return apart
    denied = [act for act in every_act if act.denied and not act.limited and not _is_of_another(act, label)]
    value = _value_in_chunks(label, document, _hedges(name))
    claims = [
        act
        for act in every_act
        if not act.denied and not act.state and not act.limited and is_generic(act.verb)
    ]
    if denied and not (value and _is_predicate(label, document)):
        return None if claims else False
    if value is not None:
        return value
    if claims or about:
        return True
    return _plainly(document)


def _set_apart(label: frozenset[str], verbs: set[str], document: ParsedText) -> bool | None:
    """What is said of a name's subject by the words that stand beside it, where a text denies something of
    one and not of the other: "the van was added, the trailer was not"; None where they say nothing.

    Args:
        label: Keys of the name.
        verbs: Those of them that are acts of the text.
        document: The text.
    """
    if all(token.text not in _DENYING for token in document.tokens):
        return None
    verbs = verbs | {token.key for token in document.tokens if token.key in label and is_past(token.text)}
    subject = label - verbs
    if not subject or not verbs:
        return None
    results = set()
    for chunk in document.chunks:
        parts = _parts(document, chunk.first, min(chunk.last, chunk.first + _MOST_WORDS))
        for place, part in enumerate(parts):
            if subject.isdisjoint(document.tokens[at].key for at in part):
                continue
            following = (_is_done(each, subject, verbs, document) for each in parts[place:])
            results.add(next((each for each in following if each is not None), None))
    results.discard(None)
    return results.pop() if len(results) == 1 else None


def _is_done(part: range, subject: frozenset[str], verbs: set[str], document: ParsedText) -> bool | None:
    """What one part of a clause says of a subject: done (True), not done (False), or nothing."""
    tokens = [document.tokens[at] for at in part]
    texts = [token.text for token in tokens if token.text not in _PAUSES]
    apart = next((at for at, token in enumerate(tokens) if token.text in _SETTING_APART), len(tokens))
    if any(token.key in subject for token in tokens[apart + 1 :]):
        return False
    denied = any(
        text in _DENYING and text not in _SETTING_APART and texts[at + 1 : at + 2] != ["only"]
        for at, text in enumerate(texts)
    )
    if denied:
        return False
    is_affirmed = any(token.key in verbs for token in tokens) or (bool(texts) and texts[-1] in _ENDING)
    return True if is_affirmed else None


def _parts(document: ParsedText, first: int, last: int) -> list[range]:
    """The stretches of a clause between commas, "and" and "but" that have words."""
    breaks = [at for at in range(first, last) if document.tokens[at].text in _JOINING]
    begins, ends = [first, *(at + 1 for at in breaks)], [*breaks, last]
    return [range(begin, end) for begin, end in zip(begins, ends, strict=True) if begin < end]


def _is_of_another(act: ReportedAct, label: frozenset[str]) -> bool:
    """Whether what is denied is told of something else than a name says: "not done: hold on W1"."""
    about = act.about - VAGUE_OBJECTS
    return bool(about) and not about & label


def _is_predicate(label: frozenset[str], document: ParsedText) -> bool:
    """Whether the words of a name end what is said to be: "she is waiting: she was not moved"."""
    keys = [token.key if token.kind == "word" else "" for token in document.tokens]
    return any(
        token.text in _BEING and keys[at + 1] in label and (at + 2 == len(keys) or not keys[at + 2])
        for at, token in enumerate(document.tokens[:-1])
    )


def _is_asked(label: frozenset[str], asked: ParsedText) -> bool:
    """Whether a question that wants a yes or a no asks for what a name says: "Is he still renting it?"."""
    for sentence in asked.sentences:
        first = asked.tokens[sentence.first].text
        words = range(sentence.first, min(sentence.last, sentence.first + _MOST_WORDS))
        texts = {asked.tokens[at].text for at in words}
        if sentence.question and first in _ASKING and not texts & (NEGATIONS | _OR):
            return bool(label) and label <= {asked.tokens[at].key for at in words}
    return False


def _agreed(every_act: list[ReportedAct]) -> bool | None:
    """What acts agree on."""
    denied = [act.denied for act in every_act]
    return not denied[0] if len(set(denied)) == 1 else None


def _hedges(name: str) -> frozenset[str]:
    """Words that leave open whether it is so; where it is asked whether one may, "may" is the answer."""
    return _MODAL - _PERMITS if _PERMITS & set(name.lower().split()) else _MODAL


def _value_in_chunks(label: frozenset[str], document: ParsedText, hedges: frozenset[str]) -> bool | None:
    """What the chunks that speak of it say: affirmed, denied, or neither where they differ."""
    results = set()
    for chunk in document.chunks:
        keys = {key for _, key in document.content(chunk.first, chunk.last)} | chunk.given
        if not keys & label:
            continue
        texts = [document.tokens[at].text for at in range(chunk.first, chunk.last)]
        without = texts.index("without") if "without" in texts else len(texts)
        behind = {document.tokens[at].key for at in range(chunk.first + without, chunk.last)}
        spoken = {*texts} - {"without"}
        if spoken & (NEGATIONS | _NO) or label & behind:
            results.add(False)
        elif not spoken & hedges:
            results.add(True)
    return results.pop() if len(results) == 1 else None


def _plainly(document: ParsedText) -> bool | None:
    first = document.tokens[0].text
    if first in _YES:
        return True
    return False if first in _NO else None
