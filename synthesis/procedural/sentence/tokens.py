"""Tokens of a sentence, with the closed lists of words that carry no content of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from synthesis.procedural.sentence.inflection import lemmas
from synthesis.procedural.sentence.lexicon import verbs
from synthesis.procedural.sentence.word_lists import word_list

DETERMINERS = frozenset(word_list("determiners"))
PREPOSITIONS = frozenset(word_list("prepositions"))
CONJUNCTIONS = frozenset(["and", "or", "but", "nor", "plus", "then", "&", "as", "well"]) - {"as", "well"}
SUBORDINATORS = frozenset(word_list("subordinators"))
RELATIVE = frozenset(["who", "that", "which"])
AUXILIARIES = frozenset(word_list("auxiliaries"))
MODALS = frozenset(["can", "could", "may", "might", "must", "shall", "should", "will", "would"])
PRONOUNS = frozenset(word_list("pronouns"))
ADVERBS = frozenset(word_list("adverbs"))
NUMBERS = frozenset(word_list("numbers"))
STATIVE = frozenset(word_list("stative"))
"""Verbs that say how somebody or something is, and not what is done."""
PARTICLES = frozenset(["in", "out", "up", "off", "over", "down", "on", "back", "away"])

CLOSED = (
    DETERMINERS | PREPOSITIONS | CONJUNCTIONS | SUBORDINATORS | AUXILIARIES | PRONOUNS | ADVERBS | NUMBERS
)
"""Words that are not content."""

_TOKEN = re.compile(
    r"[£€$]\d(?:[\d.,]{0,20}\d)?(?![^\W_])"
    r"|\d{1,6},\d{1,2}(?=\s(?:euros?|francs?)\b)"
    r"|\d{1,3}(?:,\d{3})+(?![^\W_])"
    r"|[^\W_]+(?:['\u2019.-][^\W_]+)*(?:(?<=s)['\u2019](?=\s[a-z]))?"
    r"|[,.;:!?()%]|&|(?<=\s)[-\u2013\u2014](?=\s)"
)
_CONTRACTED = re.compile(
    r"(i|you|we|they|he|she|it|who|that|there|anyone|nobody|everyone)['\u2019](m|re|ve|ll|d|s)", re.IGNORECASE
)
_FULL = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "is"}
_SIGNS = {"%": "percent", **dict.fromkeys("-\u2013\u2014", ",")}


@dataclass(frozen=True)
class SentenceToken:
    """One word or sign of a sentence."""

    text: str
    place: int

    @property
    def word(self) -> str:
        """The word in lower case, without a possessive ending."""
        word = re.sub(r"'s?$", "", self.text.lower().replace("\u2019", "'"))
        return re.sub(r",(?=\d{3})", "", word)  # "20,000"

    @property
    def is_word(self) -> bool:
        """Whether it is a word and no sign."""
        return self.text[0].isalnum()

    @property
    def is_price(self) -> bool:
        """Whether it is an amount of money in digits: "£2.80", "35p"."""
        return self.text[0] in "£€$" or (self.text[0].isdigit() and self.text.endswith("p"))

    @property
    def is_number(self) -> bool:
        """Whether it is a number in words or digits: "two", "1.5"."""
        return self.word in NUMBERS or re.sub("[.,]", "", self.word).isdecimal()

    @property
    def is_content(self) -> bool:
        """Whether it is a word that carries content."""
        if not self.is_word or self.word in CLOSED or len(self.word) < 2 or self.is_price:
            return False
        return not self.is_number

    @property
    def verb(self) -> str:
        """Its lemma as a verb; "" where it cannot be one."""
        word = self.word
        if word in CLOSED or not self.is_word:
            return ""
        verb_lemmas = lemmas(word).get("VERB", ())
        prefix = next((each for each in _PREFIXES if word.startswith(each)), "") if not verb_lemmas else ""
        if prefix and not lemmas(word) and (verb := SentenceToken(word[len(prefix) :], self.place).verb):
            return f"{prefix}{verb}"
        known = [lemma for lemma in (*verb_lemmas, *_guessed(word)) if lemma in verbs()]
        ended = [] if lemmas(word) else [each for each in _guessed(word) if each.endswith(_VERBAL)]
        return next(iter((*known, *verb_lemmas, *ended)), "")

    @property
    def is_adverb(self) -> bool:
        """Whether it can only be an adverb such as "cheerfully"."""
        parts = lemmas(self.word)
        return self.word.endswith("ly") and "ADV" in parts and not {"NOUN", "VERB", "ADJ"} & set(parts)

    @property
    def is_third_person(self) -> bool:
        """Whether it has the form "stores"."""
        return self.word.endswith("s") and bool(self.verb) and self.verb != self.word

    @property
    def is_base(self) -> bool:
        """Whether it has the form "store"."""
        return bool(self.verb) and self.verb == self.word

    @property
    def is_gerund(self) -> bool:
        """Whether it has the form "storing"."""
        return self.word.endswith("ing") and bool(self.verb) and self.verb != self.word

    @property
    def is_participle(self) -> bool:
        """Whether it has a past form, "stored" or "sold"."""
        return bool(self.verb) and not (self.is_third_person or self.is_base or self.is_gerund)


_VERBAL = ("yse", "yze", "ise", "ize", "ify")
"""Endings by which a word that no dictionary has is a verb: "dialyse"."""
_PREFIXES = ("re-", "re", "pre-", "pre", "un", "de-")


def _guessed(word: str) -> tuple[str, ...]:
    """Lemmas by the plain endings, for verbs that no dictionary has ("rehomes", "co-ops")."""
    if word.endswith("ies"):
        return (f"{word[:-3]}y",)
    if word.endswith("s") and not word.endswith("ss"):
        return (word[:-1], word[:-2]) if word.endswith("es") else (word[:-1],)
    if word.endswith("ing"):
        return (word[:-3], f"{word[:-3]}e")
    if word.endswith("ed"):
        return (word[:-2], word[:-1])
    return (word,)


def tokens_of(sentence: str) -> list[SentenceToken]:
    """The tokens of a sentence in order."""
    texts = [text for match in _TOKEN.finditer(sentence) for text in _written_out(match[0])]
    return [SentenceToken(text, place) for place, text in enumerate(texts)]


def _written_out(text: str) -> tuple[str, ...]:
    """The words of a contraction of a pronoun, "they're", and the word of a sign."""
    contracted = _CONTRACTED.fullmatch(text)
    if contracted is not None:
        return contracted[1], _FULL[contracted[2].lower()]
    return (_SIGNS.get(text, text),)
