"""Voices: a request in the words of a note, a chat, a letter or a forwarded message."""

from __future__ import annotations

import random
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
    strangers = [first for first in FIRST if not any(name.startswith(f"{first} ") for name in known)]
    first, other = rng.sample(strangers if len(strangers) > 1 else FIRST, 2)
    fields = {
        "text": text,
        "first": first,
        "other": other,
        "name": f"{first} {rng.choice(LAST)}",
        "title": business.title,
        "clerk": business.clerk,
        "supervisor": business.supervisor,
        "topic": rng.choice([process.noun for process in business.processes]),
        "nouns": rng.choice([process.subject.many for process in business.processes]),
    }
    return worded("voices", "say", fields, rng)
