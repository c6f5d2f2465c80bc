"""Problems: sentences of which no business can be made, each with what to do about it."""

from __future__ import annotations

import re

from synthesis.procedural.business.plan import is_abstract
from synthesis.procedural.business.role_planner import MEASURES
from synthesis.procedural.business.word_lists import word_list
from synthesis.procedural.sentence.clauses import Parse
from synthesis.procedural.sentence.inflection import is_word, lemmas, singular
from synthesis.procedural.sentence.lexicon import is_business, verbs
from synthesis.procedural.sentence.rule_clauses import states_only_rules
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
_ASKING = frozenset(("what", "who", "how", "why", "which", "where"))
_ORDERS = frozenset(word_list("orders"))
_MARKUP = ("<", ">", "{", "}", "`")
_DOING = frozenset(("make", "do", "add", "create", "change", "use", "generate", "build", "design", "keep"))
_FOR_AUTHOR = frozenset(("me", "it", "us", "not", "sure"))
_MEASURES = frozenset(("the", "more", "fewer", "many", "some", "any", "all", "your"))
_PARTS = frozenset(word_list("parts_of_worlds"))
_LONGEST_TITLE = 40
"""Letters of what may be a name of one or two words."""
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What no keyboard types into a text; line ends and tabs are text."""
_ASKERS = ("me", "us")
_ADDRESSED = ("are", "must", "should", "will", "shall", "have", "can")


def _is_order(sentence: str) -> bool:
    """Whether some sentence tells the author to do something: "Ignore ...", "please write", "you are"."""
    for part in re.split(r"[.!?;:]+", sentence):
        words = [token.word for token in tokens_of(part) if token.is_word]
        asked = words[:1] == ["please"]
        words = words[1:] if asked else words
        done = bool(words) and words[0] in verbs()
        if done and (asked or words[1:2] in ([each] for each in _ASKERS)):  # "book me an appointment"
            return True
        if words and (words[0] in _ORDERS or (words[0] == "you" and words[1:2] and words[1] in _ADDRESSED)):
            return True
        if words and words[0] in _DOING and _is_about_the_world(words[1:]):
            return True
    return False


def _is_about_the_world(words: list[str]) -> bool:
    """Whether what is to be made is for the asker, or part of a world: "make me ...", "add more tables"."""
    if not words or words[0] in _FOR_AUTHOR:
        return bool(words)
    return words[0] in _MEASURES and bool(_PARTS & set(words[1:3]))


def _is_question(sentence: str, words: list[str]) -> bool:
    asked = words[0] in _QUESTION and sentence.strip().endswith("?")
    return asked or (words[0] in _ASKING and words[1:2] != [] and words[1] in _QUESTION)


def _is_only_a_name(sentence: str, words: list[str]) -> bool:
    """Whether a sentence is one capitalised word that no dictionary has: "Starbucks"."""
    word = words[0]
    known = is_business(word) or any(is_word(form) or form in verbs() for form in (word, singular(word)))
    return len(words) == 1 and sentence.strip()[0].isupper() and not known and len(word) < _LONGEST_TITLE


def _is_no_noun(business: str) -> bool:
    """Whether what stands where a business is named is no noun, of "we are happy", or only a measure."""
    parts = lemmas(business)
    is_noun = not parts or bool({"NOUN", "PROPN"} & set(parts))
    return not is_business(business) and (not is_noun or business in MEASURES)


def _is_english(word: str) -> bool:
    """Whether English has a word, or the last part of one with a hyphen: "e-scooters"."""
    last = word.rpartition("-")[2]
    return word in CLOSED or word.isdecimal() or is_word(word) or word in verbs() or is_word(last)


def problem_of_length(sentence: str) -> str:
    """Why a sentence is not even read: it is no text, has no words or too many; "" where it is."""
    if _HALF_A_CHARACTER.search(sentence):
        return "The scenario has half a character (a lone surrogate), which cannot be stored. Type it again."
    if _CONTROL.search(sentence):
        return "The scenario has a control character (such as NUL), which cannot be stored. Take it out."
    words = sum(token.is_word for token in tokens_of(sentence))
    if not words:
        return f"The scenario has no words; say what the business does, {_EXAMPLE}."
    if words > MOST_WORDS:
        return (
            f"The scenario has {words} words; at most {MOST_WORDS} are read. Say in a sentence or two"
            " what one business does, or let a model write the world."
        )
    return ""


def problem_of(sentence: str, parse: Parse) -> str:  # noqa: PLR0911 - one answer per problem
    """Why no business can be made of a sentence and what to write instead; "" where one can.

    Args:
        sentence: One without a `problem_of_length`.
        parse: What was read of it.
    """
    words = [token.word for token in tokens_of(sentence) if token.is_word]
    if _is_question(sentence, words):
        return f"This is a question. Say instead what a business does, {_EXAMPLE}."
    if _is_only_a_name(sentence, words):
        return (
            f"Only a name was read ({sentence.strip()}), and names of companies are never used. Say what the"
            f" business does, {_EXAMPLE}."
        )
    if any(sign in sentence for sign in _MARKUP):
        return f"The scenario holds markup or code. Say in plain words what a business does, {_EXAMPLE}."
    names = {token.word for token in parse.names}
    read = [word for word in words if word not in names] or words
    known = sum(_is_english(word) for word in read)
    if known < 0.6 * len(read) and (len(words) > 2 or not sentence.isascii()):
        return (
            "Most of these words are not English, and only English is read without a model. Write the"
            " sentence in English, or let a model write the world."
        )
    if _is_order(sentence):
        return (
            "This tells the author to do something; it names no business. Say what a business does,"
            f" {_EXAMPLE}."
        )
    if states_only_rules(parse.tokens):
        return f"Only rules were read. Say first whose they are and what is done there, {_EXAMPLE}."
    if parse.others:
        named = ", ".join(
            dict.fromkeys(
                [*([parse.business.text] if parse.business else []), *(p.text for p in parse.others)]
            )
        )
        return (
            f"Several businesses were read: {named}. Describe one of them; each becomes a world of its own."
        )
    if parse.business is None or _is_no_noun(parse.business.text):
        return f"No business was read in this sentence. Begin with it, {_EXAMPLE}."
    if is_abstract(parse.business.text):
        return (
            f"What was read is about {parse.business.text}, which no records can keep. Name a business with"
            f" people, things and what happens to them, {_EXAMPLE}."
        )
    return ""
