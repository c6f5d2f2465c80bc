"""Bare answers: those that say what was asked and nothing else, of which nothing else need be borne out."""

from __future__ import annotations

from collections.abc import Sequence

from synthesis.reading.document import ParsedText
from synthesis.reading.mentions import Fact, label_keys
from synthesis.reading.text_token import TextToken
from synthesis.reading.words import atoms, word_set

_NEUTRAL = word_set("done the a an is are was were of for and it its")
_IN_WORDS = frozenset(("name", "text"))
_MOST_TOKENS = 60


def says_only(document: ParsedText, facts: Sequence[Fact]) -> bool:
    """Whether a text has nothing but words of some facts' names, their values, and words that tell nothing.

    Facts of one type are not told apart here: which value is of which of them is for others to say.

    Args:
        document: The text.
        facts: What it states, as was read before.
    """
    types = [fact.type for fact in facts]
    if not facts or len({*types}) < len(types) or "boolean" in types or len(document.tokens) > _MOST_TOKENS:
        return False
    if document.cut or any(fact.direction for fact in facts):
        return False
    labels = frozenset().union(*(label_keys(fact.name) for fact in facts))
    phrases = frozenset(atom for fact in facts if fact.type in _IN_WORDS for atom in atoms(str(fact.value)))
    return all(
        token.text in _NEUTRAL
        or (token.kind in ("sign", "line") and token.text != "?")
        or _is_of_a_value(token, facts, phrases)
        or (token.kind == "word" and not token.values and token.key in labels)
        for token in document.tokens
    )


def _is_of_a_value(token: TextToken, facts: Sequence[Fact], phrases: frozenset[str]) -> bool:
    if any(fact.value in token.values.get(fact.type, ()) for fact in facts if fact.type not in _IN_WORDS):
        return True
    words = atoms(token.text)
    return bool(words) and phrases.issuperset(words)
