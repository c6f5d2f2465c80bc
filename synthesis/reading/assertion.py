"""Assertion: whether a text really says a value it mentions: not denied, doubted, or one of several."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from synthesis.reading.document import ParsedText
from synthesis.reading.lexicon import NOTHING
from synthesis.reading.mentions import Fact, Mention
from synthesis.reading.past_tense import is_past as is_past_tense
from synthesis.reading.phrases import DENYING, NEAR_HEDGES, NEGATIONS, OPPOSITES
from synthesis.reading.words import atoms, keys

_WRONG_AFTER = frozenset(
    ["the", "correct", "right", "true", "what", "it", "her", "his", "their", "accurate", "valid", "so"]
)
_BEING = frozenset(("is", "are", "be", "was", "were", "else", "maybe", "perhaps", "possibly"))
_FORMERLY = frozenset(("formerly", "previously", "originally", "erstwhile"))
_COPULAS = frozenset(["is", "was", "are", "were", "isn't", "wasn't", "aren't", "weren't"])
_INVERTING = frozenset(("is", "are", "was", "were", "does", "do", "did", "has", "have"))
"""Verbs that stand before their subject after "by no means"."""
_NO_DENIAL = frozenset(
    [
        "doubt",
        "enough",
        "sufficient",
        "problem",
        "question",
        "worries",
        "need",
        "issue",
        "only",
        "just",
        "surprise",
        "until",
        "before",
        "matter",
        "less",
        "more",
        "fewer",
        "later",
        "earlier",
        "exceptions",
        "wait",
        "hesitation",
        "further",
        "other",
        "error",
    ]
)
_OPEN_ENDS = frozenset(("less", "more", "fewer"))
_DASHES = frozenset(("-", "\u2013", "\u2014"))
_FAR, _NEAR = 60, 4
"""Words before a value that are looked at; a longer clause is no clause."""
_NOUN_NEGATIONS = frozenset(("no", "none", "nothing", "without", "nobody"))
_UNPAID = frozenset(("pay", "settl", "cover", "clear"))


def is_negated(mention: Mention, fact: Fact, document: ParsedText) -> bool:
    """Whether the text denies a mention: "not 180.00", "is no longer draft", "170.00 is wrong"."""
    if mention.weak and document.tokens[mention.first].text in NOTHING:
        return False
    return (
        _denied_before(mention, fact, document)
        or _denied_by_frame(mention, document)
        or _denied_after(mention, document)
    )


def _denied_before(mention: Mention, fact: Fact, document: ParsedText) -> bool:
    own, chunk = atoms(fact.name), document.chunks[mention.chunk]
    begin = document.sentences[chunk.sentence].first
    if any(at in document.frames for at in range(max(begin, mention.first - _NEAR), mention.first)):
        return True
    for at in range(max(chunk.first, mention.first - _FAR), mention.first):
        text = document.tokens[at].text
        if text in own:
            continue
        is_far = mention.first - at > 1 + (fact.type == "number")
        if text in _NOUN_NEGATIONS and is_far and document.tokens[at + 1].text != "of":
            continue
        if (
            text in NEGATIONS
            and not _is_idle(at, mention, fact, document)
            and not _ends(at, mention, document)
        ):
            return True
    return False


def _ends(at: int, mention: Mention, document: ParsedText) -> bool:
    """Whether what is denied ends at a dash before a value: "Not waived - referred to Ada Lund"."""
    tokens = document.tokens
    is_act = at + 1 < mention.first and is_past_tense(tokens[at + 1].text)
    return is_act and any(
        tokens[place].text in _DASHES and is_past_tense(tokens[place + 1].text)
        for place in range(at + 2, mention.first - 1)
    )


def _denied_by_frame(mention: Mention, document: ParsedText) -> bool:
    """Whether the sentence begins with "it is not true that"."""
    tokens, chunk = document.tokens, document.chunks[mention.chunk]
    for at in range(max(document.sentences[chunk.sentence].first, mention.first - _FAR), mention.first):
        if at in document.frames:
            following = range(at, min(at + 5, mention.first))
            if any(tokens[place].text in ("that", "say", "claim") for place in following):
                return True
            if at == chunk.first and any(tokens[place].text in _INVERTING for place in following):
                return True
    return False


def _denied_after(mention: Mention, document: ParsedText) -> bool:
    tokens, chunk = document.tokens, document.chunks[mention.chunk]
    for at in range(mention.last, min(mention.last + 5, chunk.last)):
        if tokens[at].text in DENYING:
            return True
        follows = tokens[at + 1].text if at + 1 < chunk.last else ""
        if tokens[at].text in NEGATIONS and at - mention.last <= 2 and follows in _WRONG_AFTER:
            return tokens[at].text in _COPULAS or tokens[at - 1].text in _COPULAS
    return False


def _is_idle(at: int, mention: Mention, fact: Fact, document: ParsedText) -> bool:
    """Whether a negation before a value leaves it as it is: "no doubt", "has not yet paid 170.00"."""
    tokens = document.tokens
    following = [tokens[place] for place in range(at + 1, min(at + 4, mention.first + 1))]
    if any(token.text in _NO_DENIAL for token in following):
        return True
    if tokens[at].text == "no" and at + 1 < mention.first and tokens[at + 1].text in (".", ":"):
        return True
    return fact.type == "money_cents" and any(token.key in _UNPAID for token in following)


_ASKED_SO = frozenset(("could", "might", "can"))


def is_doubted(mention: Mention, fact: Fact, document: ParsedText, asked: ParsedText) -> bool:
    """Whether a value is vague in other words than those of the question: "how many could be moved?"."""
    if not is_vague(mention, fact, document):
        return False
    chunk = document.chunks[mention.chunk]
    doubts = {at for at in document.hedges if chunk.first <= at < chunk.last}
    words = {token.text for token in asked.tokens} & _ASKED_SO
    return not doubts or any(document.tokens[at].text not in words for at in doubts)


def is_vague(mention: Mention, fact: Fact, document: ParsedText) -> bool:
    """Whether a mention is made vague or conditional: "about 170", "perhaps", "if it is"."""
    chunk = document.chunks[mention.chunk]
    sentence = document.sentences[chunk.sentence]
    if sentence.question:
        return True
    own = {token.text for token in document.tokens[mention.first : mention.last]} | set(atoms(fact.name))
    if fact.type not in ("name", "text") and _is_approximate(mention, own, document):
        return True
    end, following = chunk.last, mention.chunk + 1
    if following <= sentence.chunks[-1]:
        beside = document.chunks[following]
        end = beside.last if beside.last - beside.first <= 7 else end
    first = max(sentence.first, mention.first - _FAR)
    if any(at in document.hedges and _leaves_open(mention, document, at, own) for at in range(first, end)):
        return True
    if _is_followed_by_another(chunk.sentence, document) or _is_one_opinion(mention, document):
        return True
    conditional = any(
        at in document.conditions for at in range(max(chunk.first, mention.first - _FAR), mention.first)
    )
    return conditional or sentence.first in document.conditions


def _leaves_open(mention: Mention, document: ParsedText, at: int, own: Collection[str]) -> bool:
    """Whether a hedge is no word of the fact, nor "or less" behind another value: "agents may waive 25.00 or
    less"."""
    if document.tokens[at].text in own:
        return False
    texts = [token.text for token in document.tokens[at : at + 2]]
    before = document.tokens[at - 1] if at else None
    is_bound = texts[:1] == ["or"] and texts[1:] != [] and texts[1] in _OPEN_ENDS
    return not (is_bound and before is not None and before.kind == "value" and mention.last != at)


def _is_one_opinion(mention: Mention, document: ParsedText) -> bool:
    """Whether a value holds for some and others say something else, or unless something else holds."""
    tokens, sentence = document.tokens, document.sentences[document.chunks[mention.chunk].sentence]
    if any(token.text == "unless" for token in tokens[mention.last : mention.last + 3]):
        return True
    first = max(sentence.first, mention.first - _FAR)
    before = {tokens[at].text for at in range(first, mention.first)}
    after = {tokens[at].text for at in range(mention.last, min(sentence.last, mention.last + _FAR))}
    return "some" in before and "others" in after


def _is_followed_by_another(number: int, document: ParsedText) -> bool:
    """Whether the next sentence offers something else: "Or else it is 171.00"."""
    if number + 1 >= len(document.sentences):
        return False
    following = document.sentences[number + 1]
    texts = [
        token.text for token in document.tokens[following.first : min(following.last, following.first + 8)]
    ]
    return texts[:1] in (["or"], ["alternatively"], ["otherwise"]) and any(text in _BEING for text in texts)


def _is_approximate(mention: Mention, own: Collection[str], document: ParsedText) -> bool:
    """Whether "about", "at least" or the like stands right before a value."""
    first = max(document.chunks[mention.chunk].first, mention.first - 2)
    before = [token.text for token in document.tokens[first : mention.first]]
    near = before[-1:] if before[-1:] not in (["a"], ["the"]) else before
    if near == ["over"] and _is_made_out(mention.first - 2, document):
        return False
    if any(text in NEAR_HEDGES and text not in own for text in near):
        return True
    return any(place in document.near_hedges for place in range(first, mention.first))


def _is_made_out(at: int, document: ParsedText) -> bool:
    """Whether a word is what amounts are made out on: "FE-2521 over 130.00", "an invoice over 130.00"."""
    token = document.tokens[max(at, 0)]
    return at >= 0 and (token.kind == "code" or token.key in _PAPERS)


_PAPERS = keys("invoice bill fee cheque check receipt voucher quote payment transfer debit credit")
_LIST_SIGNS = frozenset((",", "and", "or", "/", "&", "-", "to", "either", "nor", "|", ";", "then", "+"))


def is_joined(one: Mention, other: Mention, document: ParsedText, label: frozenset[str]) -> str:
    """How two mentions are joined: "or", "and", or "" where more than a sign stands between them."""
    first, second = (one, other) if one.first < other.first else (other, one)
    if second.first - first.last > 7:
        return ""
    if first.chunk != second.chunk and document.chunks[second.chunk].begins_with == "|":
        return ""  # cells of two columns
    between = document.tokens[first.last : second.first]
    texts = {token.text for token in between}
    for token in between:
        free = token.text in _LIST_SIGNS or token.text in _FILLING or token.key in label
        free = free or (token.text in "([" and "or" in texts)
        if not free:
            return ""
    if texts & {"or", "/", "either"}:
        return "or"
    return "and" if texts or second.first == first.last else ""


_FILLING = frozenset(
    [
        "the",
        "a",
        "an",
        "else",
        "also",
        "alternatively",
        "possibly",
        "even",
        "rather",
        "eur",
        "usd",
        "euro",
        "euros",
        "dr",
        "mr",
        "mrs",
        "ms",
        "visits",
        "another",
    ]
)


def is_alternative(mention: Mention, document: ParsedText) -> bool:
    """Whether a word or name stands beside an "or": "placed, fulfilled or draft"."""
    tokens, chunk = document.tokens, document.chunks[mention.chunk]
    if chunk.begins_with == "or" or any(
        tokens[at].text in ("or", "either", "between")
        for at in range(max(0, mention.first - 2), mention.first)
    ):
        return True
    slashes = [
        (at, beside)
        for at, beside in ((mention.first - 1, mention.first - 2), (mention.last, mention.last + 1))
        if 0 <= at < len(tokens) and tokens[at].text == "/"
    ]
    if any(not 0 <= beside < len(tokens) or tokens[beside].kind != "value" for _, beside in slashes):
        return True
    sentence, since = document.sentences[chunk.sentence], 0
    for at in range(mention.last, min(sentence.last, mention.last + 4 * _FAR)):
        text = tokens[at].text
        if text == "or":
            return tokens[at - 1].text in (",", tokens[mention.last - 1].text) or since <= 3
        since = 0 if text == "," else since + 1
        if since > 3:
            return False
    return False


def is_past(mention: Mention, fact: Fact, document: ParsedText) -> bool:
    """Whether a value is said to have been so before: "used to be 5 and is now 6"."""
    chunk, own = document.chunks[mention.chunk], atoms(fact.name)
    before = [token.text for token in document.tokens[max(chunk.first, mention.first - 6) : mention.first]]
    if any(text in _FORMERLY and text not in own for text in before):
        return True
    return any(pair == ("used", "to") for pair in pairwise(before)) and "used" not in own


def goes_the_other_way(mention: Mention, fact: Fact, document: ParsedText) -> bool:
    """Whether a fact has a direction and the text says the opposite one."""
    if not fact.direction:
        return False
    wanted = set(atoms(fact.direction))
    chunk = document.chunks[mention.chunk]
    words = {document.tokens[at].text for at in range(chunk.first, chunk.last)}
    for pair in OPPOSITES:
        for right, wrong in (pair, pair[::-1]):
            if right in wanted and wrong not in wanted and wrong in words and right not in words:
                return True
    return False
