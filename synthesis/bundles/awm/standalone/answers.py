"""A final answer read by values: whether it states a fact, whether it declines for a reason.

Simpler than the reading in this package: it compares values and looks for words of denial, and does not
weigh how far a denial reaches, which of several values is meant, or what else is claimed.
"""

from __future__ import annotations

import re
from typing import Any

from synthesis.worlds.comparison import amounts, dates, names, numbers, times

DENYING = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|without|cannot|unable|declined?|refused?|impossible|"
    r"unfortunately|sorry|only)\b|n't\b"
)
SENTENCE = re.compile(r"(?<=[.!?;])\s+")
SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by for from has have her his in is it its may more of on one only or "
        "than that the their they this to was were who whose will with within",
    )
)


def says(answer: str, fact: Any, *, about: str = "", type: str = "") -> bool:
    """Whether an answer states a value.

    Args:
        answer: The final text.
        fact: The value, or a dict with `name`, `type` and `value`.
        about: What the value is of, where it is no dict.
        type: The fact's type, where the value does not show it.
    """
    if not isinstance(fact, dict):
        fact = {"name": about, "type": type or answer_type(fact), "value": fact}
    value, kind = fact["value"], fact.get("type") or answer_type(fact["value"])
    if kind == "boolean":
        return answer_boolean(answer, str(fact.get("name") or about)) is value
    if kind == "money_cents":
        units = {round(number * 100) for number in numbers(answer)}
        return value in amounts(answer) | units
    if kind == "number":
        return value in numbers(answer)
    if kind == "date":
        return value in dates(answer, int(value[:4]))
    if kind == "time":
        return value[:5] in times(answer)
    return bool(names(answer, [str(value)]))


def declines(answer: str, *evidence: Any, request: str = "") -> bool:
    """Whether an answer says that something was not done and names one of the reasons.

    Args:
        answer: The final text.
        evidence: Reasons of which any one suffices: texts, numbers, or dicts with `text`, `value`, `type`.
        request: What was asked; its own words are no reason.
    """
    if not DENYING.search(answer.lower()):
        return False
    return not evidence or any(answer_names(answer, each, request) for each in evidence)


def answer_names(answer: str, reason: Any, request: str) -> bool:
    """Whether an answer names a reason: its value, or half of its own words."""
    if not isinstance(reason, dict):
        reason = {"text": str(reason), "value": None if isinstance(reason, str) else reason}
    if reason.get("value") is not None and says(answer, reason["value"], type=reason.get("type") or ""):
        return True
    words = answer_words(reason["text"]) - answer_words(request) or answer_words(reason["text"])
    return 2 * len(words & answer_words(answer)) >= len(words)


def answer_boolean(answer: str, name: str) -> bool | None:
    """Whether the sentence that speaks of something affirms it; None where none does."""
    words = answer_words(name)
    best, most = "", 0
    for sentence in SENTENCE.split(answer):
        shared = len(words & answer_words(sentence))
        if shared > most:
            best, most = sentence, shared
    if not best and len(SENTENCE.split(answer)) > 1:
        return None
    text = (best or answer).lower()
    if not most and not re.search(r"\b(?:yes|no)\b", text) and not DENYING.search(text):
        return None
    return DENYING.search(text) is None


def answer_words(text: str) -> set[str]:
    """The first letters of every word that says something."""
    return {word[:5] for word in re.findall(r"\w+", text.lower()) if word not in SMALL_WORDS}


def answer_type(value: Any) -> str:
    """The type of a value that has none."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "date" if re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)) else "text"
