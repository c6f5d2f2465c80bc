"""Identifiers: names of tables and columns as words for people and as names for Python."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence

from synthesis.procedural.composing.wording import IRREGULAR_PLURALS
from synthesis.procedural.derived.glued_words import taken_apart

_PREFIXES = frozenset({"tbl", "tb", "t", "tab", "dim", "fact", "mst", "vw"})
_APPS = frozenset({"auth", "django", "taggit", "admin", "dbo", "public"})
"""Prefixes of frameworks."""
_SUFFIXES = frozenset({"tbl", "table"})
_SINGULAR = {many: one for one, many in IRREGULAR_PLURALS.items()} | {
    "movies": "movie",
    "cookies": "cookie",
    "news": "news item",
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
_SHORTENED = {
    "no": "number", "nr": "number", "num": "number", "qty": "quantity", "amt": "amount",
    "desc": "description", "ref": "reference", "dob": "date of birth", "addr": "address", "tel": "phone",
    "ean": "EAN", "iban": "IBAN", "sku": "SKU", "isbn": "ISBN", "vat": "VAT", "url": "URL",
    "ip": "IP address",
}  # fmt: skip
"""What people say for what columns abbreviate."""
_EVENTS = {
    "starts": "start", "begins": "start", "ends": "end", "expires": "expiry", "opens": "opening",
    "closes": "closing", "arrives": "arrival", "departs": "departure",
}  # fmt: skip
ROLES = {
    "assigned to": "assignee", "created by": "creator", "updated by": "last editor", "owned by": "owner",
    "reports to": "manager", "approved by": "approver", "requested by": "requester", "managed by": "manager",
    "posted by": "author", "written by": "author", "uploaded by": "uploader", "sold by": "seller",
}  # fmt: skip
"""What somebody is to a row whose column says what they did."""
_DENYING = frozenset({"none", "not", "never", "null"})
"""Names of columns that a sentence would take for a denial."""
LONGEST = 48


def split_words(identifier: str, known: Collection[str] = ()) -> list[str]:
    """An identifier in words: "OrderDetails", "order_details" and "orderdetails" are order, details.

    Args:
        identifier: A name of the schema.
        known: Words that other names of the schema have.
    """
    text = unicodedata.normalize("NFC", identifier)
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    words = [word.lower() for word in re.findall(r"[^\W_]+", text)]
    return [part for word in words for part in taken_apart(word, known)]


def words_of(names: Sequence[str]) -> frozenset[str]:
    """The words that stand alone in some names, in the singular as well."""
    parts = [part for name in names for part in split_words(name)]
    return frozenset(parts) | frozenset(map(singular, parts))


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
    known = words_of(tables)
    parts = {table: _without_marks(split_words(table, known)) for table in tables}
    parts = _without_prefixes(parts)
    things = {singular(words[0]) for words in parts.values() if len(words) == 1}
    results: dict[str, str] = {}
    for number, table in enumerate(tables, start=1):
        # "projects_tags" of projects and tags holds project tags
        words = [one if (one := singular(word)) in things else word for word in parts[table]]
        # "CustomerCustomerDemo" of customers and their demographics repeats a word that says nothing twice
        words = [word for place, word in enumerate(words) if place == 0 or word != words[place - 1]]
        noun = singular(" ".join(words))[:LONGEST].strip()
        if not ascii_name(noun):
            noun = noun or f"record {number}"
        results[table] = _fresh(noun, results.values(), number)
    return results


def _without_marks(words: list[str]) -> list[str]:
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1:]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words = words[:-1]
    return words


def _without_prefixes(parts: dict[str, list[str]]) -> dict[str, list[str]]:
    """Names without that of the application they belong to, as long as they stay different.

    A word is one if it begins three or more names and is no table itself: "auth" of auth_user, but not
    "order" of order_line.
    """
    first = Counter(words[0] for words in parts.values() if len(words) > 1)
    things = {singular(" ".join(words)) for words in parts.values()}
    things |= {singular(words[0]) for words in parts.values() if len(words) == 2 and words[0] == words[1]}
    apps = {
        word
        for word, count in first.items()
        if singular(word) not in things and (count >= 3 or word in _APPS or count >= 0.8 * len(parts) > 1)
    }
    values: dict[str, list[str]] = {}
    taken = Counter(" ".join(_shorter(words, apps)) for words in parts.values())
    for table, words in parts.items():
        short = _shorter(words, apps)
        values[table] = short if taken[" ".join(short)] == 1 else words
    return values


def _shorter(words: list[str], apps: Collection[str]) -> list[str]:
    if len(words) == 2 and words[0] == words[1]:
        return words[1:]
    is_named = any(word.isalpha() and len(word) > 1 for word in words[1:])
    return words[1:] if is_named and words[0] in apps else words


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


def shown_words(identifier: str, number: int, known: Collection[str] = ()) -> str:
    """A column's name in words for people, never empty."""
    return " ".join(split_words(identifier, known)) or f"value {number}"


def words_in_a_sentence(words: str, kind: str) -> str:
    """A column's words as a sentence takes them: "price cents" is a price, "placed at" a placed time.

    Args:
        words: The column's name in words.
        kind: What it holds, as `relation.Kind` has it.
    """
    parts = words.split()
    if words in _DENYING:
        return "value"
    if kind == "cents" and len(parts) > 1 and parts[-1] == "cents":
        parts = parts[:-1]
    elif kind == "flag" and len(parts) > 1 and parts[0] in ("is", "has", "was"):
        parts = [*parts[1:], "flag"]
    elif kind in ("day", "moment") and len(parts) > 1 and parts[-1] in ("on", "at"):
        parts = [*parts[:-2], _EVENTS.get(parts[-2], parts[-2]), "date" if kind == "day" else "time"]
    elif kind in ("day", "moment") and parts[-1:] in (["from"], ["to"], ["until"]):
        parts = [*parts, "date" if kind == "day" else "time"]
    if parts[:1] != ["no"] or len(parts) == 1:
        parts = [_SHORTENED.get(part, part) for part in parts]
    return " ".join(parts)
