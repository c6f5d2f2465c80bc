"""Wording: English and identifiers from nouns, verbs and values, without a model."""

from __future__ import annotations

import keyword
import re
import unicodedata
from datetime import date, datetime
from functools import lru_cache

from synthesis.worlds import comparison

IRREGULAR_PLURALS = {
    "person": "people",
    "child": "children",
    "staff": "staff",
    "equipment": "equipment",
    "news": "news items",
    "half": "halves",
    "chambers": "chambers",
    "shelf": "shelves",
    "leaf": "leaves",
    "knife": "knives",
    "foot": "feet",
    "tooth": "teeth",
    "man": "men",
    "woman": "women",
    "craftsman": "craftsmen",
    "tradesman": "tradesmen",
    "delivery man": "delivery men",
    "series": "series",
    "aircraft": "aircraft",
    "criterion": "criteria",
    "analysis": "analyses",
    "diagnosis": "diagnoses",
    "basis": "bases",
    "crisis": "crises",
    "quiz": "quizzes",
    "photo": "photos",
    "piano": "pianos",
    "kilo": "kilos",
    "studio": "studios",
    "video": "videos",
    "memo": "memos",
    "demo": "demos",
}

IRREGULAR_PARTICIPLES = {
    "put": "put",
    "give": "given",
    "forgive": "forgiven",
    "lose": "lost",
    "win": "won",
    "hide": "hidden",
    "unhide": "unhidden",
    "unfreeze": "unfrozen",
    "annul": "annulled",
    "fulfil": "fulfilled",
    "prepay": "prepaid",
    "top": "topped",
    "rerun": "rerun",
    "kick": "kicked",
    "overrule": "overruled",
    "take": "taken",
    "send": "sent",
    "hold": "held",
    "pay": "paid",
    "write": "written",
    "withdraw": "withdrawn",
    "make": "made",
    "bring": "brought",
    "lend": "lent",
    "let": "let",
    "set": "set",
    "sell": "sold",
    "leave": "left",
    "draw": "drawn",
    "find": "found",
    "get": "fetched",
    "begin": "begun",
    "undo": "undone",
    "build": "built",
    "buy": "bought",
    "keep": "kept",
    "drop": "dropped",
    "ship": "shipped",
    "plan": "planned",
    "swap": "swapped",
    "submit": "submitted",
    "admit": "admitted",
    "refer": "referred",
    "transfer": "transferred",
    "permit": "permitted",
    "stop": "stopped",
    "log": "logged",
    "tag": "tagged",
    "cancel": "cancelled",
    "label": "labelled",
    "step": "stepped",
    "ban": "banned",
    "enrol": "enrolled",
    "chase": "chased",
    "sign": "signed",
    "cut": "cut",
    "grant": "granted",
    "redo": "redone",
    "lay": "laid",
    "bar": "barred",
    "flag": "flagged",
    "skip": "skipped",
    "scrap": "scrapped",
    "pin": "pinned",
    "fit": "fitted",
    "commit": "committed",
    "split": "split",
    "freeze": "frozen",
    "choose": "chosen",
    "teach": "taught",
    "pick": "picked",
    "clip": "clipped",
}

RESERVED_WORDS = frozenset(
    [
        "abort",
        "action",
        "add",
        "after",
        "all",
        "alter",
        "always",
        "analyze",
        "and",
        "as",
        "asc",
        "attach",
        "autoincrement",
        "before",
        "begin",
        "between",
        "by",
        "cascade",
        "case",
        "cast",
        "check",
        "collate",
        "column",
        "commit",
        "conflict",
        "constraint",
        "create",
        "cross",
        "current",
        "database",
        "default",
        "deferrable",
        "deferred",
        "delete",
        "desc",
        "detach",
        "distinct",
        "do",
        "drop",
        "each",
        "else",
        "end",
        "escape",
        "except",
        "exclude",
        "exclusive",
        "exists",
        "explain",
        "fail",
        "filter",
        "first",
        "following",
        "for",
        "foreign",
        "from",
        "full",
        "generated",
        "glob",
        "group",
        "groups",
        "having",
        "if",
        "ignore",
        "immediate",
        "in",
        "index",
        "indexed",
        "initially",
        "inner",
        "insert",
        "instead",
        "intersect",
        "into",
        "is",
        "isnull",
        "join",
        "key",
        "last",
        "left",
        "like",
        "limit",
        "match",
        "materialized",
        "natural",
        "no",
        "not",
        "nothing",
        "notnull",
        "null",
        "nulls",
        "of",
        "offset",
        "on",
        "or",
        "order",
        "others",
        "outer",
        "over",
        "partition",
        "plan",
        "pragma",
        "preceding",
        "primary",
        "query",
        "raise",
        "range",
        "recursive",
        "references",
        "regexp",
        "reindex",
        "release",
        "rename",
        "replace",
        "restrict",
        "returning",
        "right",
        "rollback",
        "row",
        "rows",
        "savepoint",
        "select",
        "set",
        "table",
        "temp",
        "temporary",
        "then",
        "ties",
        "to",
        "transaction",
        "trigger",
        "unbounded",
        "union",
        "unique",
        "update",
        "using",
        "vacuum",
        "values",
        "view",
        "virtual",
        "when",
        "where",
        "window",
        "with",
        "without",
    ]
)

RESERVED_NAMES = frozenset(
    [
        "db",
        "date",
        "datetime",
        "timedelta",
        "limit",
        "offset",
        "total",
        "items",
        "where",
        "params",
        "row",
        "rows",
        "name",
        "today",
        "now",
        "number",
        "text",
        "day",
        "status",
        "re",
        "json",
        "math",
        "typing",
        "int",
        "str",
        "dict",
        "list",
        "len",
        "min",
        "max",
        "sum",
        "id",
        "type",
        "set",
        "print",
        "input",
        "open",
        "compile",
        "help",
        "exit",
        "quit",
    ]
)

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = [month.capitalize() for month in comparison.MONTHS]


@lru_cache(maxsize=8192)
def plural(noun: str) -> str:
    """The plural of a noun phrase: its last word is put into the plural, of a "kind of work" the kind."""
    if noun.startswith("kind of "):
        return f"kinds{noun.removeprefix('kind')}"
    head, _, last = noun.rpartition(" ")
    lead = f"{head} " if head else ""
    if last in IRREGULAR_PLURALS:
        return lead + IRREGULAR_PLURALS[last]
    if re.search(r"(s|x|z|ch|sh)$", last):
        return f"{lead}{last}es"
    if re.search(r"[^aeiou]y$", last):
        return f"{lead}{last[:-1]}ies"
    return f"{lead}{last}s"


def participle(verb: str) -> str:
    """The past participle of a verb, with what follows the verb kept: "check in" becomes "checked in"."""
    first, _, rest = verb.partition(" ")
    if first in IRREGULAR_PARTICIPLES:
        text = IRREGULAR_PARTICIPLES[first]
    elif first.endswith("e"):
        text = f"{first}d"
    elif re.search(r"[^aeiou]y$", first):
        text = f"{first[:-1]}ied"
    else:
        text = f"{first}ed"
    return f"{text} {rest}" if rest else text


def article(noun: str) -> str:
    """The noun with its indefinite article."""
    sounds_open = re.match(r"(?i)[aeio]|u(?!ni|se|ti)|hour|heir|honest", noun)
    return f"{'an' if sounds_open else 'a'} {noun}"


@lru_cache(maxsize=8192)
def snake(words: str) -> str:
    """Words as an identifier: lower case, underscores, letters and digits, no digit in front."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    parts = re.findall(r"[a-z0-9]+", plain.lower())
    if parts and parts[0][0].isdigit():  # "3d printers" are printers_3d
        parts[:2] = reversed(parts[:2])
    name = "_".join(parts)
    return f"n{name}" if name[:1].isdigit() else name


def variable(noun: str) -> str:
    """A noun as a Python name that shadows nothing generated code uses."""
    name = snake(noun)
    return f"the_{name}" if keyword.iskeyword(name) or name in RESERVED_NAMES else name


def alias(noun: str) -> str:
    """A noun as a name that SQL takes unquoted."""
    name = snake(noun)
    return f"the_{name}" if name in RESERVED_WORDS else name


def words(identifier: str) -> str:
    """An identifier as words: "no_show" becomes "no show"."""
    return identifier.replace("_", " ")


def sentence(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def listing(parts: list[str] | tuple[str, ...], last: str = "and") -> str:
    """Parts as "a", "a and b" or "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def money(cents: int) -> str:
    """An amount as "12.50"."""
    return f"{cents // 100}.{cents % 100:02d}"


def spoken_day(value: str, clock: datetime) -> str:
    """A day as people say it: weekday and date, the year only where it is not the clock's."""
    day = date.fromisoformat(value[:10])
    year = "" if day.year == clock.year else f" {day.year}"
    if abs((day - clock.date()).days) <= 45:
        return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]}{year}"
    return f"{day.day} {MONTHS[day.month - 1]}{year}"


def written_day(value: str) -> str:
    """A day in full: "14 May 1984"."""
    day = date.fromisoformat(value[:10])
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def spoken_moment(value: str, clock: datetime) -> str:
    """A moment as people say it: the day and the time."""
    return f"{spoken_day(value, clock)} at {value[11:16]}"
