from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from synthesis.documents.schema import Column, ForeignKey, Schema, Table
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.verification.write_relations import doubts_about, faults_of


def table(name: str, *columns: str, key: str = "") -> Table:
    keys = (
        (ForeignKey(columns=(key,), table=key.removesuffix("_id") + "s", references=("id",)),) if key else ()
    )
    every = (Column(name="id", primary_key=1), *(Column(name=each) for each in columns))
    return Table(name=name, sql="-", columns=every, foreign_keys=keys)


SCHEMA = Schema(
    sql="-",
    tables=(
        table("orders", "status"),
        table("lines", "order_id", "state", key="order_id"),
        table("notes", "order_id"),
        table("accounts", "cents"),
    ),
)
ROWS = {
    "orders": [{"id": 1, "status": "open"}, {"id": 2, "status": "open"}],
    "notes": [{"id": 5, "order_id": 1}],
}


def updated(name: str, key: int, before: dict[str, Any], after: dict[str, Any]) -> RowChange:
    columns = tuple(column for column in before if before[column] != after[column])
    old, new = {"id": key, **before}, {"id": key, **after}
    return RowChange(table=name, key=key, kind="updated", before=old, after=new, columns=columns)


def found(arguments: dict[str, Any], *changes: RowChange, value: JsonValue = None) -> list[str]:
    result = ToolResult(status="ok", value=value, changes=StateDiff(changes=changes))
    return list(faults_of(ToolCall(name="act", arguments=arguments), result, SCHEMA, ROWS))


OPEN, CLOSED = {"status": "open"}, {"status": "closed"}


def test_the_row_that_is_named_may_change_and_others_like_it_may_not() -> None:
    first, second = updated("orders", 1, OPEN, CLOSED), updated("orders", 2, OPEN, CLOSED)
    assert found({"order_id": 1}, first) == []
    (text,) = found({"order_id": 1}, first, second)
    assert "also changed orders 2, which no argument names" in text
    assert found({"order_id": 1, "other_order_id": 2}, first, second) == []
    assert found({"day": "2026-01-01"}, first, second) == [], "a call without a key may change many rows"


@pytest.mark.parametrize(
    ("column", "together"), [("order_id", True), ("sent_by", False), ("sent_by_id", False)]
)
def test_rows_of_one_owner_may_change_together_and_rows_of_one_author_may_not(column, together) -> None:
    notices = table("notices", column, "status")
    keyed = notices.replace(
        foreign_keys=(ForeignKey(columns=(column,), table="orders", references=("id",)),),
    )
    schema = SCHEMA.replace(tables=(*SCHEMA.tables, keyed))
    both = tuple(updated("notices", key, {column: 7, **OPEN}, {column: 7, **CLOSED}) for key in (1, 2))
    result = ToolResult(status="ok", value=None, changes=StateDiff(changes=both))
    call = ToolCall(name="act", arguments={"notice_id": 1})
    assert (list(faults_of(call, result, schema, ROWS)) == []) is together


@pytest.mark.parametrize(("rows", "faults"), [({}, 0), ({"orders": []}, 1)])
def test_only_of_a_table_whose_rows_are_known_a_row_is_missing(rows, faults) -> None:
    change = updated("notes", 5, {"order_id": 1}, {"order_id": 77})
    result = ToolResult(status="ok", value=None, changes=StateDiff(changes=(change,)))
    assert len(list(faults_of(ToolCall(name="act", arguments={}), result, SCHEMA, rows))) == faults


def test_lines_of_one_order_change_together() -> None:
    lines = [
        updated("lines", key, {"order_id": 1, "state": "new"}, {"order_id": 1, "state": "sent"})
        for key in (7, 8)
    ]
    assert found({"line_id": 7}, *lines) == []
    assert found({"order_id": 1}, *lines) == []


@pytest.mark.parametrize("value", [{"error": "It failed."}, {"success": False}, {"ok": False}])
def test_an_answer_that_says_it_failed_has_changed_nothing(value: JsonValue) -> None:
    (text,) = found({"order_id": 1}, updated("orders", 1, OPEN, CLOSED), value=value)
    assert "raise ToolError" in text
    assert found({"order_id": 1}, value=value) == []


def test_a_row_that_names_nobody_and_one_that_is_left_behind_are_told() -> None:
    new = RowChange(
        table="notes", key=6, kind="inserted", after={"id": 6, "order_id": 99}, columns=("id", "order_id")
    )
    assert any("orders has no such row" in text for text in found({"order_id": 99}, new))
    gone = RowChange(
        table="orders", key=1, kind="deleted", before={"id": 1, "status": "open"}, columns=("id", "status")
    )
    assert any("1 rows of notes still name" in text for text in found({"order_id": 1}, gone))


def test_a_transfer_loses_and_gains_nothing() -> None:
    given = {"from_account_id": 1, "to_account_id": 2, "cents": 30}
    less = updated("accounts", 1, {"cents": 100}, {"cents": 70})
    assert found(given, less, updated("accounts", 2, {"cents": 5}, {"cents": 35})) == []
    (text,) = found(given, less, updated("accounts", 2, {"cents": 5}, {"cents": 36}))
    assert "by -30 and +31" in text


MEMBERS = Schema(sql="-", tables=(table("members", "phone", "email", "note"),))


@pytest.mark.parametrize(
    ("optional", "arguments", "after", "faults"),
    [
        ({"phone", "email"}, {"phone": "2"}, {"phone": "2", "email": ""}, 1),
        ({"phone", "email"}, {"phone": "2"}, {"phone": "2", "email": None}, 1),
        ({"phone", "email"}, {"phone": "2", "email": ""}, {"phone": "2", "email": ""}, 0),
        ({"phone", "email"}, {"phone": "2"}, {"phone": "2", "note": None}, 0),
        ({"phone", "email"}, {"phone": "2"}, {"phone": "2", "email": "other"}, 0),
        ({"email"}, {"phone": "2"}, {"phone": "2", "email": None}, 0),
    ],
    ids=["to_nothing", "to_null", "asked_for", "another_column", "to_a_value", "absence_may_mean_none"],
)
def test_what_a_call_leaves_out_is_not_emptied(optional, arguments, after, faults) -> None:
    before = {"phone": "1", "email": "a", "note": "n"}
    change = updated("members", 3, before, {**before, **after})
    call = ToolCall(name="amend_member", arguments={"member_id": 3, **arguments})
    result = ToolResult(status="ok", value=None, changes=StateDiff(changes=(change,)))
    texts = list(faults_of(call, result, MEMBERS, {}, optional))
    assert len(texts) == faults
    assert all("emptied email of members 3" in text for text in texts)


@pytest.mark.parametrize(
    ("arguments", "doubts"),
    [({"line_id": 1}, 1), ({"order_id": 4}, 0), ({"line_id": 1, "other_line_id": 2}, 0)],
    ids=["one_is_named", "their_owner_is_named", "both_are_named"],
)
def test_siblings_that_change_with_a_named_row_are_doubtful(arguments, doubts) -> None:
    changes = [
        updated("lines", key, {"order_id": 4, "state": "a"}, {"order_id": 4, "state": "b"}) for key in (1, 2)
    ]
    result = ToolResult(status="ok", value=None, changes=StateDiff(changes=tuple(changes)))
    call = ToolCall(name="act", arguments=arguments)
    texts = list(doubts_about(call, result, SCHEMA))
    assert len(texts) == doubts
    assert all("changed lines 1, which its arguments name, and in the same way 2" in text for text in texts)
    assert list(faults_of(call, result, SCHEMA, ROWS)) == []


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"note_id": 5}, 1),
        ({"note_id": 9}, 0),
        ({"note_id": "N-5"}, 0),
        ({"order_id": 1}, 0),
        (None, 0),
    ],
    ids=["another_row", "the_row", "its_number", "its_owner", "nothing"],
)
def test_an_answer_shows_the_row_that_was_added(value: JsonValue, faults: int) -> None:
    after = {"id": 9, "order_id": 1}
    change = RowChange(
        table="notes", key=9, kind="inserted", before=None, after=after, columns=("id", "order_id")
    )
    texts = found({"order_id": 1}, change, value=value)
    assert len(texts) == faults
    assert all("added notes 9 and answers with note_id 5" in text for text in texts)
