"""Spoken: values as a request or an answer says them, and as facts an answer must hold."""

from __future__ import annotations

import re
from datetime import datetime

from synthesis.documents.tasks import AnswerFact
from synthesis.procedural.composing.wording import spoken_day, spoken_moment, words, written_day
from synthesis.procedural.derived.relation import NAMES, PEOPLE, Field, Relation, Value

Row = dict[str, Value]
PRONOUNS = ("it", "them")
_STATE = re.compile(
    r"ed$|^(active|admin|default|final|free|hidden|internal|local|main|online|paid|primary|private|public|staff"
    r"|superuser|urgent|visible|void)$"
)
"""Words by which a yes or no says what a row is, rather than what it has."""
_ISO = re.compile(r"^\d{4}-\d\d-\d\d")


def label_of(relation: Relation, row: Row) -> str:
    """What people call a row; empty where it has no name."""
    parts = [row.get(column) for column in relation.label]
    return "" if not parts or None in parts else " ".join(str(part) for part in parts)


def is_plural(words: str) -> bool:
    """Whether a column's words speak of several things: "units in stock", but not "address"."""
    head = re.split(r" (?:in|on|of|per|for|to) ", words)[0]
    return re.search(r"(?<![aeious])s$|[aeo]es$", head) is not None and not head.endswith("ss")


def pronoun(relation: Relation, *, own: bool = False) -> str:
    """How a row is referred to again: "it", or "them" for a person; with `own` as the owner of something."""
    if PEOPLE.search(relation.noun):
        return "their" if own else "them"
    return "its" if own else "it"


def marked(field: Field, value: Value) -> str:
    """A yes or no as a request says it: "marked as active", "not marked as active"."""
    holds, words = value in (1, "1"), field.words.removesuffix(" flag")
    if not _STATE.search(words):
        return f"with {words} switched {'on' if holds else 'off'}"
    return f"marked as {words}" if holds else f"not marked as {words}"


def marking(field: Field, value: Value, who: str) -> str:
    """A request to turn a yes into a no, or the other way round: "mark it as active"."""
    holds, words = value in (1, "1"), field.words.removesuffix(" flag")
    if not _STATE.search(words):
        return f"switch {words} {'on' if holds else 'off'} for {who}"
    return f"mark {who} as {words}" if holds else f"mark {who} as not {words}"


def spoken(field: Field, value: Value, clock: datetime) -> str:  # noqa: PLR0911 - one line per kind
    """A value as people say it; empty where they would not."""
    if value is None or isinstance(value, bool):
        return ""
    kind = field.kind
    if kind in ("day", "moment"):
        if not _ISO.match(str(value)):
            return ""
        return (
            spoken_day(str(value), clock)
            if kind == "day" or field.at_midnight
            else spoken_moment(str(value).replace(" ", "T"), clock)
        )
    if field.binary:
        return "yes" if value in (1, "1") else "no"
    if kind in ("state", "choice"):
        return words(str(value))
    if kind == "cents":
        return f"{int(value) / 100:.2f}"
    if kind == "money":
        return f"{float(value):.2f}"
    if kind == "time":
        return str(value)[:5]
    return f"{value:g}" if isinstance(value, float) else str(value)


def fact_of(  # noqa: PLR0911 - one line per kind
    name: str, field: Field, value: Value
) -> AnswerFact | None:
    """A fact about a value; None where an answer could not be held to it."""
    name = name[:120]
    if value is None or isinstance(value, bool) or value == "":
        return None
    if field.kind == "money":
        return AnswerFact(name=name, type="money_cents", value=round(float(value) * 100))
    if field.kind == "cents":
        return AnswerFact(name=name, type="money_cents", value=int(value))
    if field.kind in ("count", "year", "decimal", "ratio") and not isinstance(value, str):
        return AnswerFact(name=name, type="number", value=value)
    if field.kind in ("day", "moment"):
        return AnswerFact(name=name, type="date", value=str(value)[:10]) if _ISO.match(str(value)) else None
    if not isinstance(value, str) or field.kind in ("flag", "time", "json", "text"):
        return None
    kind = "name" if field.kind in NAMES else "text"
    text = words(value) if field.kind in ("state", "choice") else value
    return AnswerFact.model_validate({"name": name, "type": kind, "value": text})


def fact_text(fact: AnswerFact) -> str:
    """A fact's value as an answer writes it."""
    if fact.type == "money_cents":
        return f"{int(fact.value) / 100:.2f}"
    if fact.type == "date":
        return written_day(str(fact.value))
    return str(fact.value)
