"""What a tool returned, in plain language: facts, lists and tables in place of JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.presentation.plain_language import PlainLanguage, PlainValue
from studio.services.environments import dictionaries

MOST_ITEMS = 20
"""Items of a list that are shown; the others are counted."""
MOST_FACTS = 40
MOST_CHARACTERS = 4_000
"""Of a text that is the whole result; experts' view shows the rest."""
DEEPEST = 4
"""Levels of nesting that are shown; what lies deeper is counted."""
WIDEST = 4
"""Columns of a table that a narrow place has room for."""


@dataclass(frozen=True)
class PlainTableOfItems:
    """A list of objects that are no deeper than one level.

    Attributes:
        titles: Of its columns.
        rows: One value for each title.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[PlainValue | None, ...], ...]

    @property
    def is_wide(self) -> bool:
        """Whether a narrow place shows each row as a list of its values, lest some be out of sight."""
        return len(self.titles) > WIDEST

    @property
    def titled(self) -> list[list[tuple[str, PlainValue | None]]]:
        """The rows, each value with the title of its column."""
        return [list(zip(self.titles, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class PlainResult:
    """A value as people read it: exactly one of the four is filled.

    Attributes:
        value: A single value.
        facts: Title and value of each member of an object.
        items: Members of a list.
        table: Members of a list that are alike.
        more: How many members are left out.
    """

    value: PlainValue | None = None
    facts: tuple[tuple[str, PlainResult], ...] = ()
    items: tuple[PlainResult, ...] = ()
    table: PlainTableOfItems | None = None
    more: int = 0


def plain_result(plain: PlainLanguage, value: Any, name: str = "", depth: int = 0) -> PlainResult:
    """A tool's result in the words of an environment.

    Args:
        plain: Who speaks.
        value: Anything JSON can say.
        name: What the value is called where it is.
        depth: How deeply it is nested.
    """
    if not isinstance(value, dict | list):
        return PlainResult(value=plain.argument(name, value) if name else PlainValue(_single(value)))
    if not value:
        return PlainResult(value=PlainValue("nothing"))
    if depth >= DEEPEST:
        return PlainResult(value=PlainValue(f"{len(value)} more inside"))
    return _facts(plain, value, depth) if isinstance(value, dict) else _list(plain, value, name, depth)


def _facts(plain: PlainLanguage, members: Mapping[str, Any], depth: int) -> PlainResult:
    """The members of an object; one inside of another that only names a row is that row."""
    facts = [
        (_title(each), plain_result(plain, inner, str(each), depth + 1)) for each, inner in members.items()
    ]
    linked = {fact.value.text for _, fact in facts if fact.value and fact.value.address}
    shown = [
        (title, fact)
        for title, fact in facts
        if not fact.value or fact.value.address or fact.value.text not in linked
    ]
    if depth and all(value is None for value in members.values()):
        return shown[0][1]
    if depth and len(shown) == 1 and len(facts) > 1:
        return shown[0][1]
    return PlainResult(facts=tuple(shown[:MOST_FACTS]), more=max(0, len(shown) - MOST_FACTS))


def _list(plain: PlainLanguage, items: Sequence[Any], name: str, depth: int) -> PlainResult:
    shown, more = items[:MOST_ITEMS], max(0, len(items) - MOST_ITEMS)
    if all(isinstance(each, dict) and _flat(each) for each in shown):
        names = list(dict.fromkeys(key for each in shown for key in each))
        rows = tuple(
            tuple(plain.argument(key, each[key]) if key in each else None for key in names) for each in shown
        )
        return PlainResult(table=_without_repetition([_title(key) for key in names], rows), more=more)
    inner = [plain_result(plain, each, "", depth + 1) for each in shown]
    if all(each.facts and not each.more and all(fact.value for _, fact in each.facts) for each in inner):
        return PlainResult(table=_table(inner), more=more)
    single = name.removesuffix("s")
    return PlainResult(items=tuple(plain_result(plain, each, single, depth + 1) for each in shown), more=more)


def _table(items: Sequence[PlainResult]) -> PlainTableOfItems:
    """Objects of single values as a table; what an object does not have is an empty cell."""
    members = [dict(each.facts) for each in items]
    titles = tuple(dict.fromkeys(title for each in members for title in each))
    rows = tuple(tuple(each[title].value if title in each else None for title in titles) for each in members)
    return PlainTableOfItems(titles, rows)


def _without_repetition(
    titles: Sequence[str], rows: Sequence[tuple[PlainValue | None, ...]]
) -> PlainTableOfItems:
    """The table without columns that say what another says: a key and the name beside it."""
    columns = list(zip(*rows, strict=True))
    texts = [[each.text if each else "" for each in column] for column in columns]
    linked = [any(each is not None and each.address for each in column) for column in columns]
    named = [text for text, link in zip(texts, linked, strict=True) if link]
    shown = [at for at, text in enumerate(texts) if linked[at] or text not in named]
    return PlainTableOfItems(
        tuple(titles[at] for at in shown), tuple(tuple(row[at] for at in shown) for row in rows)
    )


def _flat(members: Mapping[str, Any]) -> bool:
    return bool(members) and not any(isinstance(value, dict | list) for value in members.values())


def _title(name: str) -> str:
    return dictionaries.as_words(dictionaries.without_marks(str(name)))


def _single(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
