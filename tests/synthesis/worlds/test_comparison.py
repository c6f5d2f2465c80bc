"""What is read out of an answer: amounts, days, times, numbers and names, however they are written."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from synthesis.worlds.comparison import (
    added,
    amounts,
    changed,
    dates,
    holds,
    matches,
    names,
    numbers,
    removed,
    times,
)


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("It costs 30.00.", {3000}),
        ("EUR 30 and €4.50", {3000, 450}),
        ("30 euros, 2 dollars", {3000, 200}),
        ("$1,250.50 in all", {125050}),
        ("1 250,50 €", {125050}),
        ("She owes 50 cents.", {50}),
        ("Total 170.00, due on 12.01.2026 at 9.40 am", {17000}),
        ("no money at all, 3 visits at 09:40", set()),
        ("version 1.2.3", set()),
        ("-", set()),
    ],
)
def test_amounts_are_cents(text: str, cents: set[int]) -> None:
    assert amounts(text) == cents


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-01-12", {"2026-01-12"}),
        ("on 12.01.2026 or 3.4.2026", {"2026-01-12", "2026-04-03"}),
        ("12 January 2026; the 3rd of Feb 2027", {"2026-01-12", "2027-02-03"}),
        ("January 12th, 2026 and Mar 5 2026", {"2026-01-12", "2026-03-05"}),
        ("Friday, 13 March", {"2026-03-13"}),
        ("March 13 at 14:00", {"2026-03-13"}),
        ("2026-02-30 and 31 June", set()),
        ("it may be 5 people", set()),
        ("2026-03-18T13:40:00", {"2026-03-18"}),
    ],
)
def test_days_are_iso(text: str, found: set[str]) -> None:
    assert dates(text, 2026) == found


def test_a_day_without_a_year_is_left_out_when_no_year_is_given() -> None:
    assert dates("13 March, and 14 March 2025") == {"2025-03-14"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at 09:40", {"09:40"}),
        ("9.40 am, 9:40 p.m.", {"09:40", "21:40"}),
        ("from 13:40 to 14:00:00", {"13:40", "14:00"}),
        ("3 pm and 12 am and 12 pm", {"15:00", "00:00", "12:00"}),
        ("on 12.01.2026", set()),
        ("2026-03-18T13:40:00", {"13:40"}),
        ("25:00 and 10:75", set()),
    ],
)
def test_times_are_hours_and_minutes(text: str, found: set[str]) -> None:
    assert times(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2 visits are left", {2}),
        ("two visits, twelve eggs", {2, 12}),
        ("2.5 hours, -3 degrees, 1,250 people", {2.5, -3, 1250}),
        ("at 09:40 on 13 March 2026 there are 7", {7}),
        ("2026-03-18T13:40:00", set()),
        ("room A4, item-7x", set()),
        ("seven", {7}),
    ],
)
def test_numbers_are_no_days_and_no_times(text: str, found: set[float]) -> None:
    assert numbers(text) == found


def test_names_are_whole_words_whatever_the_case_and_the_spacing() -> None:
    people = ["Ann Lee", "Ann", "Bo", "Zoë O\u2019Hara", ""]
    assert names("ANN   lee and zoë o'hara borrow books", people) == {"Ann Lee", "Ann", "Zoë O\u2019Hara"}


class Rows:
    """A database with one table `t`."""

    def __init__(self, *rows: dict[str, Any], key: str = "id") -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.row_factory = sqlite3.Row
        columns = ", ".join(rows[0])
        self._connection.execute(f"CREATE TABLE t ({columns}, PRIMARY KEY ({key}))")
        for row in rows:
            marks = ", ".join("?" * len(row))
            self._connection.execute(f"INSERT INTO t VALUES ({marks})", tuple(row.values()))

    def query(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in self._connection.execute(sql, params)]

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        return next(iter(self.query(sql, *params)), None)


def test_rows_added_removed_and_changed_are_found() -> None:
    before, after = Rows({"id": 1, "n": 1}, {"id": 2, "n": 1}), Rows({"id": 1, "n": 5}, {"id": 3, "n": 1})
    assert added(before, after, "t") == [{"id": 3, "n": 1}]
    assert removed(before, after, "t") == [{"id": 2, "n": 1}]
    assert changed(before, after, "t", 1) == {"n": 5}
    assert changed(before, before, "t", 1) == {}
    assert changed(before, after, "t", 2) is None


def test_rows_are_told_apart_by_a_key_of_several_columns() -> None:
    first = {"bill": 1, "line": 1, "cents": 100}
    before = Rows(first, {"bill": 1, "line": 2, "cents": 50}, key="bill, line")
    after = Rows({**first, "cents": 200}, {"bill": 2, "line": 1, "cents": 70}, key="bill, line")
    assert added(before, after, "t") == [{"bill": 2, "line": 1, "cents": 70}]
    assert removed(before, after, "t") == [{"bill": 1, "line": 2, "cents": 50}]
    assert changed(before, after, "t", (1, 1)) == {"cents": 200}
    assert changed(before, after, "t", (1, 2)) is None
    assert added(before, after, "t", key="bill") == [{"bill": 2, "line": 1, "cents": 70}]


def test_a_table_that_is_not_there_is_named() -> None:
    rows = Rows({"id": 1})
    with pytest.raises(ValueError, match="no table 'bills' with a primary key"):
        added(rows, rows, "bills")


def test_a_row_matches_by_value_and_true_is_not_one() -> None:
    assert matches({"a": 1, "b": None}, a=1.0, b=None)
    assert not matches({"a": 1}, a=True)
    assert not matches({"a": 1}, c=None)
    assert not matches(None, a=1)
    assert holds([{"a": 1}], a=1)
    assert not holds([{"a": 1}, {"a": 1}], a=1)
    assert not holds([])


@pytest.mark.parametrize("text", ["$" + "1" * 5_000, "1" * 5_000 + " cents", "EUR " + "1,111" * 3_000])
def test_digits_without_end_are_no_amount(text: str) -> None:
    assert amounts(f"{text} and $3") == {300}
