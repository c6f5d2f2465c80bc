"""Identifiers: names of tables and columns as words for people and as names for Python."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

from synthesis.procedural.wording import IRREGULAR_PLURALS

_PREFIXES = frozenset({"tbl", "tb", "t", "tab", "dim", "fact", "mst", "vw"})
_SUFFIXES = frozenset({"tbl", "table"})
_SINGULAR = {many: one for one, many in IRREGULAR_PLURALS.items()} | {
    "movies": "movie",
    "cookies": "cookie",
    "news": "news",
    "species": "species",
    "statuses": "status",
    "addresses": "address",
    "data": "data",
    "details": "detail",
    "bonus": "bonus",
    "lens": "lens",
    "gas": "gas",
    "canvas": "canvas",
    "atlas": "atlas",
}
_TAKEN = (
    frozenset(keyword.kwlist)
    | frozenset(keyword.softkwlist)
    | frozenset(dir(builtins))
    | frozenset({"db", "limit", "offset", "where", "params", "key", "found", "changes", "items", "total"})
    | frozenset({"from_day", "to_day", "date", "datetime", "timedelta", "re", "json", "math", "typing"})
)
LONGEST = 48


def split_words(identifier: str) -> list[str]:
    """An identifier in words: "OrderDetails", "order_details" and "Order Details" are order, details."""
    text = unicodedata.normalize("NFC", identifier)
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return [word.lower() for word in re.findall(r"[^\W_]+", text)]


def singular(phrase: str) -> str:
    """A noun phrase with its last word in the singular."""
    head, _, last = phrase.rpartition(" ")
    return f"{head} {_one(last)}" if head else _one(last)


def _one(word: str) -> str:
    if word in _SINGULAR:
        return _SINGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if re.search(r"(?:ss|x|ch|sh|zz)es$", word) or re.search(r"(?<![oae])uses$", word):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not re.search(r"(?:ss|us|is)$", word):
        return word[:-1]
    return word


def nouns_of(tables: Sequence[str]) -> dict[str, str]:
    """A noun in the singular for each table, each once."""
    parts = {table: _without_marks(split_words(table)) for table in tables}
    shared = _shared_prefix(list(parts.values()))
    found: dict[str, str] = {}
    for number, table in enumerate(tables, start=1):
        words = parts[table]
        if shared and words[:1] == [shared] and len(words) > 1:
            words = words[1:]
        noun = singular(" ".join(words))[:LONGEST].strip()
        if not ascii_name(noun):
            noun = f"record {number}" if not noun else noun
        found[table] = _fresh(noun, found.values(), number)
    return found


def _without_marks(words: list[str]) -> list[str]:
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1:]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words = words[:-1]
    return words


def _shared_prefix(parts: list[list[str]]) -> str:
    """A word with which nearly all names begin, such as an application's name."""
    first = Counter(words[0] for words in parts if len(words) > 1)
    if len(parts) < 4 or not first:
        return ""
    word, count = first.most_common(1)[0]
    return word if count >= 0.8 * len(parts) else ""


def _fresh(noun: str, taken: Collection[str], number: int) -> str:
    known = {ascii_name(other) or other for other in taken}
    mine = ascii_name(noun) or noun
    return noun if mine not in known else f"{noun} {number}"


def ascii_name(words: str) -> str:
    """Words as an ASCII identifier; empty where nothing of them can be written so."""
    plain = unicodedata.normalize("NFKD", words.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return f"n{name}" if name[:1].isdigit() else name


def free_name(wanted: str, taken: Collection[str], *, lead: str, number: int) -> str:
    """A name for a parameter that is valid, shadows nothing and is not taken.

    Args:
        wanted: What it should be called.
        taken: Names that are used already.
        lead: What to put before a name that cannot stand alone.
        number: Tells it from others where no name is left.
    """
    name = ascii_name(wanted)[:LONGEST].strip("_") or f"value_{number}"
    if name in _TAKEN:
        name = f"{lead}_{name}"
    return name if name not in taken else f"{name}_{number}"


def shown_words(identifier: str, number: int) -> str:
    """A column's name in words for people, never empty."""
    return " ".join(split_words(identifier)) or f"value {number}"
