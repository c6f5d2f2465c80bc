"""List relations: what the answers of a tool that lists rows must have in common, whatever it lists.

Nobody needs to know what the right answer is: a filter narrows, pages joined are the whole, the same text in
another case finds the same rows, and a join leaves out no row for want of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from synthesis.documents.schema import Schema, Table
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.argument_values import singular
from synthesis.worlds.arguments import validation_error

Item = dict[str, JsonValue]
ReadRows = Mapping[str, Sequence[Mapping[str, Any]]]
Ask = Callable[[ToolCall], ToolResult]

LIMITS = frozenset({"limit", "page_size", "per_page", "max_results", "max_items"})
OFFSETS = frozenset({"offset", "skip"})
PAGES = frozenset({"page", "page_number"})
_PAGING = LIMITS | OFFSETS | PAGES
_TOTALS = ("total", "total_count", "count")
_MOST_LISTED = 50
_MOST_PAGES = 4
_MOST_GROUPS = 8
_MOST_KINDS = 8
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ANY_CASE = re.compile(r"\bcase|part of", re.IGNORECASE)
_RESTRICTED = re.compile(
    r"\b(?:only|assigned|linked|that have|which have|who have|with an?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two answers of one tool that cannot both be right.

    Attributes:
        text: What is wrong and what to try, a sentence that begins with the tool.
        calls: The calls whose answers disagree.
    """

    text: str
    calls: tuple[ToolCall, ...]


def items_of(value: JsonValue) -> list[Item] | None:
    """The listed objects of an answer; None where it is no list."""
    lists = [value] if isinstance(value, list) else []
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
    if len(lists) != 1:
        return None
    items = [item for item in lists[0] if isinstance(item, dict)]
    return items if len(items) == len(lists[0]) else None


class ListTrial:
    """One tool that lists, tried from one state.

    Args:
        tool: The tool; it does not write.
        schema: The tables.
        rows: Rows of the state by table.
        ask: Makes a call from the state.
    """

    def __init__(self, tool: Tool, schema: Schema, rows: ReadRows, ask: Ask) -> None:
        self._tool, self._schema, self._rows, self._ask = tool, schema, rows, ask
        self._rules: Mapping[str, Any] = tool.input_schema.get("properties", {})  # type: ignore[assignment]
        self._answers: list[tuple[ToolCall, ToolResult]] = []

    @property
    def asked(self) -> int:
        """Calls that were made."""
        return len(self._answers)

    @property
    def kinds(self) -> list[ToolCall]:
        """Of the calls that succeeded, the first of each set of arguments, at most `_MOST_KINDS`."""
        good = (call for call, result in self._answers if result.ok)
        first = {frozenset(call.arguments): call for call in reversed(list(good))}
        return list(first.values())[-_MOST_KINDS:]

    def contradictions(self, call: ToolCall) -> Iterator[Contradiction]:
        """What disagrees with the answer to one call that succeeded."""
        fixed = {name: value for name, value in call.arguments.items() if name not in _PAGING}
        whole = self._items(self._whole(fixed))
        if whole is None:
            return
        yield from self._total(self._whole(fixed), len(whole))
        if len(whole) > 1:
            yield from self._pages(fixed, whole)
        if len(whole) == self._most:
            yield from self._later_pages(fixed)
        yield from self._cases(fixed, whole)
        required = {name: fixed[name] for name in self._required if name in fixed}
        base = whole if required == fixed else self._items(self._whole(required))
        if base and len(base) < self._most:
            yield from self._filters(required, base)
            yield from self._left_out(required, base)

    @property
    def _required(self) -> Sequence[str]:
        required: Any = self._tool.input_schema.get("required", ())
        return [str(name) for name in required]

    @property
    def _most(self) -> int:
        """The largest page that may be asked for, as far as it is known."""
        limit = next((name for name in self._rules if name in LIMITS), None)
        highest = _integer_rule(self._rules[limit]).get("maximum") if limit else None
        return min(int(highest), _MOST_LISTED) if isinstance(highest, int) else _MOST_LISTED

    def _whole(self, fixed: Mapping[str, JsonValue]) -> ToolCall:
        limits = {name: self._most for name in self._rules if name in LIMITS}
        return ToolCall(name=self._tool.name, arguments={**fixed, **limits})

    def _items(self, call: ToolCall) -> list[Item] | None:
        result = self._result(call)
        return items_of(result.value) if result.ok else None

    def _result(self, call: ToolCall) -> ToolResult:
        known = next((result for other, result in self._answers if other == call), None)
        if known is None:
            known = self._ask(call)
            self._answers.append((call, known))
        return known

    def _total(self, call: ToolCall, there: int) -> Iterator[Contradiction]:
        value = self._result(call).value
        name = next((key for key in _TOTALS if isinstance(value, dict) and type(value.get(key)) is int), "")
        if name and isinstance(value, dict) and there < self._most and value[name] != there:
            yield Contradiction(
                f"{self._tool.name} says {name} {value[name]} where {there} rows can be listed: count all "
                "rows that the filters leave, on every page.",
                (call,),
            )

    def _pages(self, fixed: Mapping[str, JsonValue], whole: list[Item]) -> Iterator[Contradiction]:
        limit = next((name for name in self._rules if name in LIMITS), "")
        place = next((name for name in self._rules if name in OFFSETS | PAGES), "")
        if not limit or not place:
            return
        size = max(1, -(-len(whole) // _MOST_PAGES))
        starts = range(0, len(whole), size)
        first = int(_integer_rule(self._rules[place]).get("default", 0) or 0) if place in PAGES else 0
        pages = [
            ToolCall(
                name=self._tool.name,
                arguments={
                    **fixed,
                    limit: size,
                    place: first + number if place in PAGES else start,
                },
            )
            for number, start in enumerate(starts)
        ]
        yield from self._total(pages[0], len(whole))
        answers = [self._items(page) for page in pages]
        if any(answer is None for answer in answers):
            return
        # The largest page may end before the last row does; the joined ones may then go beyond it.
        joined = [item for answer in answers for item in answer or ()][: len(whole)]
        if joined != whole:
            what = "leave out or repeat rows" if _unlike(joined, whole) else "have another order"
            yield Contradiction(
                f"{self._tool.name}: pages of {size} joined {what}, compared with one page of all "
                f"{len(whole)}. Sort by a column without equal values, and apply {limit} and {place} after "
                "sorting.",
                tuple(pages),
            )

    def _later_pages(self, fixed: Mapping[str, JsonValue]) -> Iterator[Contradiction]:
        """Pages beyond the largest one: the next, one in the middle and the last hold what the total says."""
        place = next((name for name in self._rules if name in OFFSETS | PAGES), "")
        value = self._result(self._whole(fixed)).value
        counts = [value.get(name) for name in _TOTALS] if isinstance(value, dict) else []
        total = next((count for count in counts if type(count) is int), 0)
        if not place or total <= self._most:
            return
        first = int(_integer_rule(self._rules[place]).get("default", 0) or 0)
        last = (total - 1) // self._most
        for number in sorted({1, last // 2, last} - {0}):
            start = first + number if place in PAGES else number * self._most
            call = self._whole({**fixed, place: start})
            there, expected = self._items(call), min(self._most, total - number * self._most)
            if there is not None and len(there) != expected:
                yield Contradiction(
                    f"{self._tool.name} says that there are {total} rows and lists {len(there)} instead of "
                    f"{expected} with {place}={start}: make every row reachable, page by page.",
                    (self._whole(fixed), call),
                )
                return

    def _cases(self, fixed: Mapping[str, JsonValue], whole: list[Item]) -> Iterator[Contradiction]:
        for name, value in fixed.items():
            if not whole or not isinstance(value, str) or not self._is_search(name, value):
                continue
            call = self._whole({**fixed, name: value.swapcase()})
            other = self._items(call)
            if other is not None and _unlike(other, whole):
                yield Contradiction(
                    f"{self._tool.name} finds {len(whole)} for {name}={value!r} and {len(other)} for "
                    f"{value.swapcase()!r}: compare texts without regard to case.",
                    (self._whole(fixed), call),
                )

    def _is_search(self, name: str, value: str) -> bool:
        """Whether a parameter takes a text that people type and that promises to match it in any case."""
        rule = self._rules.get(name, {})
        described = f"{rule.get('description', '')} {self._tool.description}"
        plain = "enum" not in str(rule) and "pattern" not in str(rule) and not _DATE.match(value)
        return plain and value.swapcase() != value and bool(_ANY_CASE.search(described))

    def _filters(self, required: Mapping[str, JsonValue], base: list[Item]) -> Iterator[Contradiction]:
        for name, rule in self._rules.items():
            if name in _PAGING or name in required or not all(name in item for item in base):
                continue
            value = base[0][name]
            if value is None or isinstance(value, dict | list) or validation_error(rule, value):
                continue
            call = self._whole({**required, name: value})
            narrowed = self._items(call)
            if narrowed is None:
                continue
            yield from self._cases({**required, name: value}, narrowed)
            wrong = [item for item in narrowed if not _fits(item.get(name), value)]
            lost = [item for item in base if item[name] == value and item not in narrowed]
            if wrong:
                yield Contradiction(
                    f"{self._tool.name} lists {len(wrong)} rows whose {name} is not {value!r} when it is "
                    f"asked for {name}={value!r}: apply the filter.",
                    (call,),
                )
            elif lost and set(narrowed[0] if narrowed else base[0]) == set(base[0]):
                yield Contradiction(
                    f"{self._tool.name} lists {len(lost)} rows with {name} {value!r} without the filter that "
                    f"it does not list with {name}={value!r}: a filter must only narrow.",
                    (self._whole(required), call),
                )

    def _left_out(self, required: Mapping[str, JsonValue], base: list[Item]) -> Iterator[Contradiction]:
        """Rows that are not listed, which are exactly those without a row that they might belong to."""
        listed_table = self._listed_table(base)
        if listed_table is None:
            return
        table, key = listed_table
        columns = {column.name for column in table.columns}
        if not set(required) <= columns or len(required) > 1 or _RESTRICTED.search(self._tool.description):
            return
        rows, listed = self._listed_in_groups(table, key, required, base)
        own = table.primary_key[0]
        for column in _optional_references(table):
            without = {row[own] for row in rows if row.get(column) is None}
            having = {row[own] for row in rows if row.get(column) is not None}
            if without and having and listed == having and self._shows(base[0], column):
                yield Contradiction(
                    f"{self._tool.name} leaves out the {len(without)} rows of {table.name} without "
                    f"{column}: join what may be missing with LEFT JOIN.",
                    (self._whole(required),),
                )

    def _listed_in_groups(
        self, table: Table, key: str, required: Mapping[str, JsonValue], base: list[Item]
    ) -> tuple[list[Mapping[str, Any]], set[Any]]:
        """Rows that a tool is asked for, in a few groups where it must be told which, and what it lists."""
        rows = list(self._rows.get(table.name, ()))
        if not required:
            return rows, _keys_of(base, key)
        (name,) = required
        groups = list(dict.fromkeys(row.get(name) for row in rows if row.get(name) is not None))
        chosen = groups[:_MOST_GROUPS]
        listed = {
            value
            for group in chosen
            for value in _keys_of(self._items(self._whole({name: group})) or [], key)
        }
        return [row for row in rows if row.get(name) in chosen], listed

    def _shows(self, item: Item, column: str) -> bool:
        stem = column.removesuffix("_id")
        return any(key in (column, stem) or key.startswith(f"{stem}_") for key in item)

    def _listed_table(self, base: list[Item]) -> tuple[Table, str] | None:
        """The table whose rows are listed, and the first key of an item that has their primary key."""
        named = {
            f"{singular(table.name)}_id": table
            for table in self._schema.tables
            if len(table.primary_key) == 1
        }
        for name in base[0]:
            table = named.get(name)
            listed = _keys_of(base, name)
            if table is not None and len(listed) == len(base):
                keys = {row[table.primary_key[0]] for row in self._rows.get(table.name, ())}
                return (table, name) if listed <= keys else None
        return None


def _optional_references(table: Table) -> list[str]:
    declared = {name for key in table.foreign_keys if len(key.columns) == 1 for name in key.columns}
    return [column.name for column in table.columns if not column.not_null and column.name in declared]


def _keys_of(items: list[Item], key: str) -> set[Any]:
    return {item[key] for item in items if key in item and not isinstance(item[key], dict | list)}


def _fits(shown: JsonValue, asked: JsonValue) -> bool:
    """Whether a listed value is the one that was asked for, or holds it as a text holds a part."""
    if isinstance(shown, str) and isinstance(asked, str):
        return asked.casefold() in shown.casefold()
    return shown == asked


def _unlike(one: list[Item], other: list[Item]) -> bool:
    return sorted(map(repr, one)) != sorted(map(repr, other))


def _integer_rule(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    options = [option for option in rule.get("anyOf", [rule]) if option.get("type") == "integer"]
    return {**rule, **options[0]} if options else rule
