"""The glossary of docs/glossary.md, term by term, so that pages can link to each."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from django.utils.text import slugify

from studio.locations import RESOURCES

SOURCE = RESOURCES / "docs" / "glossary.md"
_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
_ENTRY = re.compile(r"^\*\*(?P<names>.+?)\*\*\n:   (?P<text>.+\n(?:    .+\n)*)", re.MULTILINE)


class Name(NamedTuple):
    """One word that is explained, with the anchor it has on the page."""

    text: str
    anchor: str


class Entry(NamedTuple):
    """Words that are explained together, and what they mean, as Markdown."""

    names: tuple[Name, ...]
    meaning: str


class Section(NamedTuple):
    """Entries of one subject."""

    title: str
    entries: tuple[Entry, ...]


@cache
def sections() -> tuple[Section, ...]:
    """The whole glossary in its order."""
    _, *parts = _SECTION.split(SOURCE.read_text(encoding="utf-8") + "\n")
    return tuple(Section(title, _entries(body)) for title, body in zip(parts[::2], parts[1::2], strict=True))


@cache
def anchors() -> frozenset[str]:
    """Every anchor of the page."""
    return frozenset(
        name.anchor for section in sections() for entry in section.entries for name in entry.names
    )


def anchor_of(term: str) -> str:
    """The anchor a word has on the page; "Reference solution" has reference-solution."""
    return slugify(term.replace("@", "-at-").replace("^", "-hat-"))


def _entries(body: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            names=tuple(Name(text, anchor_of(text)) for text in match["names"].split(", ")),
            meaning=" ".join(match["text"].split()),
        )
        for match in _ENTRY.finditer(body)
    )
