"""Languages: whether a text is in German or French, and what can be told of it all the same.

Names, amounts and days are much the same in these as in English, but what denies, doubts or swaps them is not
read. So such a text is right where its values are and it has no word of denial or doubt of its own; else code
cannot tell, and it is never taken for the opposite of what it says.
"""

from __future__ import annotations

import re

from synthesis.reading.document import ParsedText
from synthesis.reading.lexicon import MONTHS, STOP_WORDS
from synthesis.reading.words import word_set

_FUNCTION_WORDS = word_set(
    "der das dem den und ist nicht wurde wurden wird sind mit fur zum zur eine einen einer ein auf noch weil "
    "von seit es im ich wir ihr sie hat haben bei nach uber aus auch nur keine kein bis sein ihre beim vom "
    "da le la les une est dans pas avec ete et du je il elle nous vous aux au qui que ne par sont sa ses ont "
    "cette ce de des un dont plus depuis chez leur aucun aucune jusqu puis sous"
)
"""Words, without their accents, that sentences of these languages are held together by."""
_DENYING = word_set(
    "nicht kein keine keinen keiner keinem nein nie niemand nichts ohne statt anstatt weder außer vielleicht "
    "wohl vermutlich wahrscheinlich ungefähr etwa unsicher eventuell oder falls sollte würde könnte müsste "
    "pas aucun aucune ni non sans jamais rien personne peut-être peut environ ou sauf probablement si "
    "devrait pourrait serait faudrait faux falsch"
)
_MONTHS_THERE = tuple(
    zip(
        MONTHS,
        (
            "januar|janvier",
            "februar|février|fevrier",
            "märz|maerz|mars",
            "april|avril",
            "mai",
            "juni|juin",
            "juli|juillet",
            "august|août|aout",
            "september|septembre",
            "oktober|octobre",
            "november|novembre",
            "dezember|décembre|decembre",
        ),
        strict=True,
    )
)
_DAY = re.compile(
    rf"\b(\d{{1,2}})(?:\.|er)? ({'|'.join(there for _, there in _MONTHS_THERE)})\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{1,40}(?:-[^\W\d_]{1,40})?")
_LEAST, _MOST_WORDS = 2, 400


def is_in_another_language(document: ParsedText) -> bool:
    """Whether a text is held together by words of German or French more than by those of English."""
    texts = [token.text for token in document.tokens[:_MOST_WORDS] if token.kind == "word"]
    there = sum(text in _FUNCTION_WORDS for text in texts)
    return there >= _LEAST and there > sum(text in STOP_WORDS for text in texts)


def with_english_days(text: str) -> str:
    """A text in which days with names of months are written as in English: "21 march 2023"."""
    return _DAY.sub(lambda match: f"{match[1]} {_english(match[2].lower())}", text)


def denies_or_doubts(text: str) -> bool:
    """Whether a text has a word by which one of these languages denies something or leaves it open."""
    return any(match[0] in _DENYING for match in _WORD.finditer(text.lower()))


def _english(month: str) -> str:
    return next(name for name, there in _MONTHS_THERE if month in there.split("|"))
