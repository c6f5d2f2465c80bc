"""Voices: a request in the words of a note, a chat, a letter or a forwarded message."""

from __future__ import annotations

import random
import re
from collections.abc import Collection

from synthesis.procedural.business.model import Business
from synthesis.procedural.business.request_grammar import worded
from synthesis.procedural.business.vocabulary import FIRST, LAST


def spoken(business: Business, rng: random.Random, text: str, known: Collection[str]) -> str:
    """The text in one of several voices.

    Args:
        business: Who is addressed.
        rng: Where choices come from.
        text: What is asked.
        known: Names of people on record; nobody else in the text is called the same.
    """
    taken = {name.partition(" ")[0] for name in known}
    strangers = [first for first in FIRST if first not in taken]
    first, other = rng.sample(strangers if len(strangers) > 1 else FIRST, 2)
    fields = {
        "text": text,
        "first": first,
        "other": other,
        "name": f"{first} {rng.choice(LAST)}",
        "title": business.title,
        "clerk": business.clerk,
        "supervisor": business.supervisor,
        "topic": rng.choice(_topics(business, text)),
        "nouns": rng.choice(_beside(business, text)),
    }
    return worded("voices", "say", fields, rng)


def _topics(business: Business, text: str) -> list[str]:
    """What a subject line may name: records that the text is about, or nothing in particular."""
    named = [
        noun
        for process in business.processes
        for noun in (process.noun, process.subject.many, process.subject.noun)
        if _names(text, noun)
    ]
    return named or ["a request", "please", "for today"]


def _beside(business: Business, text: str) -> list[str]:
    """Things to chat about beside the request: none that it is about, while there are others."""
    tables = [process.subject for process in business.processes]
    others = [table.many for table in tables if not _names(text, table.noun)]
    return others or [table.many for table in tables]


def _names(text: str, noun: str) -> bool:
    return re.search(rf"\b{re.escape(noun)}", text, re.IGNORECASE) is not None
