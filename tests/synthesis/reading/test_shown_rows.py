"""Which rows results show, whatever their keys are called and however they are listed."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading.result_rows import ResultRows
from synthesis.reading.shown_rows import ShownRows
from synthesis.reading.world_rows import WorldRows

MEMBERS = [{"id": 1, "name": "Ada Brook", "tier": "gold"}, {"id": 2, "name": "Bo Hale", "tier": "basic"}]
FEES = [
    {"id": 1, "member_id": 2, "amount_cents": 3_000, "due_on": "2026-03-06"},
    {"id": 2, "member_id": 2, "amount_cents": 6_000, "due_on": "2026-03-15"},
    {"id": 3, "member_id": 2, "amount_cents": 500, "due_on": "2026-03-01"},
]
WORLD = WorldRows({"members": MEMBERS, "fees": FEES})


def shown(*calls: Any) -> ShownRows:
    return ShownRows(calls, WORLD)


def test_a_plain_key_beside_that_of_another_row_is_a_rows_own() -> None:
    rows = shown([{"member_id": 2}, {"items": FEES, "total": 3}]).rows
    kinds = {
        row.cells["amount_cents"][0]: ident for ident, row in rows.items() if "amount_cents" in row.cells
    }
    assert len(set(kinds.values())) == len(FEES)
    assert all(("member_id", 2) in rows[ident].refers for ident in kinds.values())


def test_a_plain_key_and_one_with_a_name_are_of_the_same_row() -> None:
    rows = shown([{}, {"items": FEES}], [{"fee_id": 2}, {"fee_id": 2, "status": "paid"}], [{}, FEES[1]]).rows
    [row] = [row for row in rows.values() if "status" in row.cells]
    assert row.cells["amount_cents"] == [6_000]


def test_a_list_whose_columns_tell_nothing_has_the_rows_it_is_called_after() -> None:
    rows = shown([{}, {"fees": [{"id": 2}]}], [{}, FEES[1]]).rows
    assert len([ident for ident in rows if ident[1] == 2 and ident[0] != "member_id"]) == 1


def test_pages_of_one_list_are_one_list() -> None:
    pages = [
        [{"member_id": 2, "offset": at}, {"items": FEES[at : at + 1], "total": 3, "offset": at}]
        for at in range(3)
    ]
    [listed] = shown(*pages).lists
    assert len(listed.idents) == listed.total == 3


def test_lists_of_different_rows_that_are_as_many_are_apart() -> None:
    calls = [
        [{"member_id": 1}, {"items": FEES[:1], "total": 3}],
        [{"member_id": 2}, {"items": FEES[1:2], "total": 3}],
    ]
    assert len(shown(*calls).lists) == 2


def test_rows_within_a_record_are_a_list_of_it() -> None:
    record = {
        "member_id": 2,
        "name": "Bo Hale",
        "fees": FEES,
        "visits": [{"visit_id": 7, "day": "2026-03-02"}],
    }
    rows = shown([{"member_id": 2}, record])
    assert [len(each.idents) for each in rows.lists] == [3, 1]
    assert all(("member_id", 2) in rows.rows[ident].refers for each in rows.lists for ident in each.idents)


def test_what_a_list_comes_to_is_shown_with_it() -> None:
    rows = shown([{"member_id": 2}, {"items": FEES, "total": 3, "sum_cents": 9_500}])
    assert 9_500 in rows.by_value


def test_a_row_that_is_listed_again_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    take_cells = ResultRows._take_cells

    def counted(self: ResultRows, row: Any, shown: Any, *rest: Any) -> None:
        read.append(shown)
        take_cells(self, row, shown, *rest)

    monkeypatch.setattr(ResultRows, "_take_cells", counted)
    fees = [{"fee_id": 7, "amount_cents": 300, "member": {"member_id": 2, "name": "Bo Hale"}}]
    rows = shown([{"status": "open"}, {"items": fees}], [{"member_id": 1}, {"items": fees}])
    assert read == [fees[0], fees[0]["member"]]
    assert rows.rows["fee_id", 7].cells == {"amount_cents": [300]}
    assert rows.rows["fee_id", 7].refers == {("member_id", 1), ("member_id", 2)}
    assert [listed.idents for listed in rows.lists] == [[("fee_id", 7)]] * 2
    assert not ResultRows([[{}, {"items": fees * 1_001}]] * 2, WORLD).complete


def test_the_same_object_shows_another_row_where_a_plain_key_was_asked_for_by_another_name() -> None:
    page = {"items": [{"id": 7, "weight": 12}]}
    rows = shown([{"crate_id": 7}, page], [{"parcel_id": 7}, page]).rows
    assert [rows[kind, 7].cells["weight"] for kind in ("crate_id", "parcel_id")] == [[12], [12]]


def test_objects_without_a_key_are_as_many_as_are_shown() -> None:
    page = {"items": [{"weight": 12}, {"weight": 12}]}
    assert len(shown([{}, page], [{}, page]).rows) == 4
