"""Phrases: the catalogue's texts with the nouns and rules of one environment filled in.

Slots: {~key} noun, {~key+} plural, {a ~key} with its article, {rule} value of a rule, {$rule} as money,
{=path} a value while a tool runs ({$path} as money), {name} in requests a phrase for what is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from synthesis.procedural.action import Rule
from synthesis.procedural.wording import article, money, plural, sentence

NOUN = re.compile(r"\{(a |A )?~([a-z_]+)(\+)?\}")
COUNTED = re.compile(r"(\{([a-z_]+)\}(?: [a-z]+){0,2} \{~[a-z_]+)\+\}")
SLOT = re.compile(r"\{([=$]?)([^{}~]+)\}")
ARTICLED = re.compile(rf"(?:\b(?P<article>[Aa]) )?{SLOT.pattern}")


def with_nouns(text: str, noun: Callable[[str], str]) -> str:
    """The text with its noun slots filled; `noun` knows entity keys and roles."""

    def filled(match: re.Match[str]) -> str:
        made = noun(match[2])
        made = plural(made) if match[3] else made
        if match[1]:
            made = article(made)
        return sentence(made) if match[1] == "A " else made

    text = NOUN.sub(filled, text)
    return re.sub(r"\b([Aa]) (?=(?:[aeio]|u(?!ni|se|ti)|hour|honest)[a-z])", r"\1n ", text)


def with_rules(text: str, rules: Mapping[str, Rule]) -> str:
    """The text with rule slots as people read them; other slots stay."""

    def filled(match: re.Match[str]) -> str:
        rule = rules.get(match[2])
        if rule is None or match[1] == "=":
            return match[0]
        return money(rule.value) if rule.money or match[1] == "$" else str(rule.value)

    return SLOT.sub(filled, text)


def of_one(text: str, rules: Mapping[str, Rule]) -> str:
    """The text with the singular of nouns that a rule of 1 counts: at most 1 open order, not orders."""

    def counted(match: re.Match[str]) -> str:
        rule = rules.get(match[2])
        return f"{match[1]}}}" if rule is not None and rule.value == 1 else match[0]

    return COUNTED.sub(counted, text)


def with_values(text: str, value: Callable[[str], str]) -> str:
    """The text with every slot that is left replaced by what `value` says; an article before it agrees."""

    def filled(match: re.Match[str]) -> str:
        made = value(match[3])
        if match["article"] is None:
            return made
        return sentence(article(made)) if match["article"] == "A" else article(made)

    return ARTICLED.sub(filled, text)


def slots(text: str) -> tuple[str, ...]:
    """Names of the plain slots of a text, in order."""
    return tuple(match[2] for match in SLOT.finditer(text))
