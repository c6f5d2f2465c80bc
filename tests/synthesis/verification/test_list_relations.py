from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from synthesis.documents.schema import Column, ForeignKey, Schema, Table
from synthesis.documents.tools import Tool, ToolCall, ToolResult
from synthesis.verification.list_relations import ListTrial, items_of

ROWS = [
    {"id": 1, "name": "Ada", "shelf": "north", "owner_id": 7},
    {"id": 2, "name": "Bo", "shelf": "north", "owner_id": None},
    {"id": 3, "name": "Cy", "shelf": "south", "owner_id": 7},
    {"id": 4, "name": "Di", "shelf": "south", "owner_id": None},
    {"id": 5, "name": "Ed", "shelf": "south", "owner_id": 8},
]
SCHEMA = Schema(
    sql="-",
    tables=(
        Table(
            name="books",
            sql="-",
            columns=tuple(
                Column(name=name, not_null=name != "owner_id", primary_key=int(name == "id"))
                for name in ("id", "name", "shelf", "owner_id")
            ),
            foreign_keys=(ForeignKey(columns=("owner_id",), table="owners", references=("id",)),),
        ),
    ),
)
TOOL = Tool(
    name="list_books",
    description="List books; upper and lower case are the same.",
    inputSchema={
        "properties": {
            "shelf": {"type": "string"},
            "name": {"type": "string"},
            "limit": {"type": "integer"},
            "offset": {"type": "integer"},
        },
        "required": [],
    },
    mutates_state=False,
)
Page = Callable[[list[dict[str, Any]], int, int], list[dict[str, Any]]]


def plain_page(rows: list[dict[str, Any]], limit: int, offset: int) -> list[dict[str, Any]]:
    return rows[offset : offset + limit]


def asked(
    *,
    page: Page = plain_page,
    matches: Callable[[str, str], bool] = lambda cell, asked: cell.casefold() == asked.casefold(),
    rows: list[dict[str, Any]] = ROWS,
    total: Callable[[int], int] = lambda count: count,
) -> list[str]:
    """What disagrees among the answers of a tool that lists in some way."""

    def ask(call: ToolCall) -> ToolResult:
        given = dict(call.arguments)
        limit, offset = int(given.pop("limit", 20)), int(given.pop("offset", 0))
        kept = [row for row in rows if all(matches(str(row[name]), str(v)) for name, v in given.items())]
        items = [
            {"book_id": row["id"], **{key: value for key, value in row.items() if key != "id"}}
            for row in page(kept, limit, offset)
        ]
        return ToolResult(status="ok", value={"total": total(len(kept)), "items": items})

    trial = ListTrial(TOOL, SCHEMA, {"books": ROWS}, ask)
    return [found.text for found in trial.contradictions(ToolCall(name="list_books", arguments={"limit": 3}))]


MANY = [{"id": n, "name": f"b{n:03}", "shelf": "north", "owner_id": None} for n in range(1, 413)]


@pytest.mark.parametrize("most", [40, 50, 99, 200, 411])
def test_pages_far_behind_the_first_hold_what_the_total_says(most: int) -> None:
    def early(rows: list[dict[str, Any]], limit: int, offset: int) -> list[dict[str, Any]]:
        return rows[:most][offset : offset + limit]

    assert asked(rows=MANY) == []
    assert any("412" in text for text in asked(rows=MANY, page=early))


def test_a_right_list_disagrees_with_nothing() -> None:
    assert asked() == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"page": lambda rows, limit, offset: rows[offset * limit :][:limit]}, "leave out or repeat rows"),
        ({"page": lambda rows, limit, offset: rows[offset : offset + limit][::-1]}, "have another order"),
        ({"matches": lambda *_: True}, "rows whose shelf is not 'north'"),
        ({"matches": lambda cell, asked: cell == asked}, "without regard to case"),
        ({"matches": lambda *_: False}, "a filter must only narrow"),
        (
            {"rows": [row for row in ROWS if row["owner_id"]]},
            "leaves out the 2 rows of books without owner_id",
        ),
        ({"total": lambda count: count + 1}, "says total 6 where 5 rows can be listed"),
    ],
)
def test_each_kind_of_wrong_list_is_told(wrong: dict[str, Any], words: str) -> None:
    assert any(words in text for text in asked(**wrong)), asked(**wrong)


def test_only_lists_of_objects_are_lists() -> None:
    assert items_of([{"a": 1}]) == [{"a": 1}]
    assert items_of({"total": 1, "items": [{"a": 1}]}) == [{"a": 1}]
    assert items_of({"items": [1]}) is None
    assert items_of({"one": [{}], "two": [{}]}) is None
    assert items_of("text") is None
