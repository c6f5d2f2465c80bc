"""Request grammar: what people ask for in words drawn from the rules of requests/*.toml.

A rule is a list of alternatives. In an alternative, `[a|b]` takes one of several, `<rule>` is replaced by
another rule and `{field}` by what the request is about: `{unit.a}` with its article, `{unit.s}` in the
plural, `{move.ed}` and `{move.ing}` as participle and gerund, `{outcome.cap}` with a capital. A goal that is
`like` others has the rules of those goals, of the last one first, except for its own.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources

from synthesis.procedural.business.vocabulary import FIRST, LAST
from synthesis.procedural.composing.wording import sentence
from synthesis.procedural.sentence.inflection import article, gerund, participle, plural, singular

Rules = Mapping[str, tuple[str, ...]]

_FORMS: dict[str, Callable[[str], str]] = {
    "a": article,
    "s": plural,
    "ed": participle,
    "ing": gerund,
    "cap": sentence,
}
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_RULE = re.compile(r"<(\w+)>")
_FIELD = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
_WITH_PRONOUN = re.compile(r"\{(\w+)\} (it(?: all)?)\b")
_PARTICLES = frozenset(("up", "out", "in", "off", "over", "back", "down", "away", "on"))
_OF_PLURAL = re.compile(r"\b([^\W\d_]{3,40}s)'s\b")
_PEOPLE = frozenset((*FIRST, *LAST))
_START = re.compile(r"(^|[.?!]\s+|\n|[.?!]\) )([a-z])")


def worded(goal: str, rule: str, fields: Mapping[str, str], rng: random.Random) -> str:
    """A text by a rule of a goal.

    Args:
        goal: A table of requests/*.toml.
        rule: One of its rules, or one that every goal may use.
        fields: What the text is about, by name.
        rng: Where choices come from.

    Raises:
        KeyError: There is no such goal, rule or field.
    """
    text = _expanded(f"<{rule}>", goals()[goal], rng)
    text = _WITH_PRONOUN.sub(lambda match: _around_pronoun(fields[match[1]], match[2]), text)
    text = _FIELD.sub(lambda match: _formed(fields[match[1]], match[2]), text)
    return _tidy(text)


def _around_pronoun(verb: str, pronoun: str) -> str:
    """A verb with a pronoun as its object, which stands before a particle: "set it up"."""
    first, _, particle = verb.partition(" ")
    return f"{first} {pronoun} {particle}" if particle in _PARTICLES else f"{verb} {pronoun}"


@cache
def goals() -> dict[str, Rules]:
    """Rules by goal; those of shared.toml are part of each."""
    folder = resources.files(__package__) / "requests"
    read = {
        file.name: tomllib.loads(file.read_text(encoding="utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }
    shared = read.pop("shared.toml")
    voices = {"voices": read.pop("voices.toml")}
    listed = {goal: rules for file in read.values() for goal, rules in file.items()}
    likes = {goal: rules.pop("like", ()) for goal, rules in listed.items()}
    alike = {goal: dict(ChainMap(*(listed[name] for name in reversed(of)))) for goal, of in likes.items()}
    merged = {goal: {**shared, **alike[goal], **rules} for goal, rules in listed.items()}
    return {
        goal: {name: tuple(texts) for name, texts in rules.items()}
        for goal, rules in {**merged, **voices}.items()
    }


def _expanded(text: str, rules: Rules, rng: random.Random) -> str:
    while (choice := _CHOICE.search(text)) is not None:
        text = f"{text[: choice.start()]}{rng.choice(choice[1].split('|'))}{text[choice.end() :]}"
    return _RULE.sub(lambda match: _expanded(rng.choice(rules[match[1]]), rules, rng), text)


def _formed(value: str, form: str | None) -> str:
    return _FORMS[form](value) if form else value


def _tidy(text: str) -> str:
    """The text with single spaces, no space before a full stop, the possessive of plurals as it is written
    ("the rules of Moorgate Rentals", "Moorgate Rentals' rules") and capitals where sentences begin."""
    text = re.sub(r" +", " ", text).strip()
    text = _OF_PLURAL.sub(lambda match: f"{match[1]}'{'' if _is_plural(match[1]) else 's'}", text)
    text = re.sub(r" ([.,?!;:])", r"\1", text)
    return _START.sub(lambda match: match[1] + match[2].upper(), text)


def _is_plural(word: str) -> bool:
    return word not in _PEOPLE and singular(word.lower()) != word.lower()
