"""Problems: sentences of which no business can be made, each with what to do about it."""

from __future__ import annotations

import re

from synthesis.procedural.business.plan import is_abstract
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.clauses import Parse
from synthesis.procedural.sentence.inflection import is_word
from synthesis.procedural.sentence.lexicon import verbs
from synthesis.procedural.sentence.tokens import CLOSED, tokens_of

MOST_WORDS = 400
"""Words of a scenario that are read; longer ones describe more than one world."""
_EXAMPLE = 'for example "A boatyard stores yachts over winter and services engines"'
_QUESTION = (
    "what",
    "who",
    "how",
    "why",
    "where",
    "which",
    "when",
    "do",
    "does",
    "can",
    "could",
    "is",
    "are",
    "should",
    "would",
    "will",
)
_ORDERS = frozenset(word_list("orders"))
_MARKUP = ("<", ">", "{", "}", "`")
_ADDRESSED = ("are", "must", "should", "will", "shall", "have", "can")


def _is_order(sentence: str) -> bool:
    """Whether some sentence tells the author to do something: "Ignore ...", "please write", "you are"."""
    for part in re.split(r"[.!?;:]+", sentence):
        words = [token.word for token in tokens_of(part) if token.is_word]
        words = words[1:] if words[:1] == ["please"] else words
        if words and (words[0] in _ORDERS or (words[0] == "you" and words[1:2] and words[1] in _ADDRESSED)):
            return True
    return False


def problem_of(sentence: str, parse: Parse) -> str:  # noqa: PLR0911 - one answer per problem
    """Why no business can be made of a sentence and what to write instead; "" where one can."""
    words = [token.word for token in tokens_of(sentence) if token.is_word]
    if not words:
        return f"The scenario has no words; say what the business does, {_EXAMPLE}."
    if len(words) > MOST_WORDS:
        return (
            f"The scenario has {len(words)} words; at most {MOST_WORDS} are read. Say in a sentence or two"
            " what one business does, or let a model write the world."
        )
    if sentence.strip().endswith("?") and words[0] in _QUESTION:
        return f"This is a question. Say instead what a business does, {_EXAMPLE}."
    if any(sign in sentence for sign in _MARKUP):
        return f"The scenario holds markup or code. Say in plain words what a business does, {_EXAMPLE}."
    known = sum(word in CLOSED or word.isdecimal() or is_word(word) or word in verbs() for word in words)
    if known < 0.6 * len(words) and (len(words) > 2 or not sentence.isascii()):
        return (
            "Most of these words are not English, and only English is read without a model. Write the"
            " sentence in English, or let a model write the world."
        )
    if _is_order(sentence):
        return (
            "This tells the author to do something; it names no business. Say what a business does,"
            f" {_EXAMPLE}."
        )
    if parse.others:
        named = ", ".join(
            dict.fromkeys(
                [*([parse.business.text] if parse.business else []), *(p.text for p in parse.others)]
            )
        )
        return (
            f"Several businesses were read: {named}. Describe one of them; each becomes a world of its own."
        )
    if parse.business is None:
        return f"No business was read in this sentence. Begin with it, {_EXAMPLE}."
    if is_abstract(parse.business.text):
        return (
            f"What was read is about {parse.business.text}, which no records can keep. Name a business with"
            f" people, things and what happens to them, {_EXAMPLE}."
        )
    return ""
