"""What must be true afterwards and what rows are called, for people who look at no code."""

from __future__ import annotations

import pytest

from studio.presentation.check_words import check_words
from studio.presentation.generated_values import generated_value
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments.dictionaries import task_title, tool_title
from synthesis.documents.schema import Column, Table


@pytest.fixture
def plain(stored) -> PlainLanguage:
    return PlainLanguage(stored)


def test_rows_are_named_and_nothing_is_told_twice(plain) -> None:
    names = [
        "member 1: status as asked",
        "the answer says the amount paid",
        "the answer says: amount paid",
        "the answer says: nothing untrue of what was done",
        "member 999 is left alone",
        "member 999: room, daily cents as asked",
    ]
    ada = plain.name_of("members", "id", 1)
    assert ada
    assert list(check_words(plain, names)) == [
        f"Member {ada}: status as asked",
        "The answer says: amount paid",
        "",
        "The answer says nothing untrue about what was done",
        "Member 999 is left alone",
        "Member 999: room, daily as asked",
    ]


@pytest.mark.parametrize(
    "name", ["the answer says the AC-7 was assigned", "the answer says: AC-7 was assigned"]
)
def test_a_fact_that_is_to_be_denied_does_not_read_as_one_that_is_to_be_affirmed(plain, name) -> None:
    denied = list(check_words(plain, [name], denied={"AC-7 was assigned"}))
    assert denied == ["The answer says that this is not so: AC-7 was assigned"]
    assert list(check_words(plain, [name])) == ["The answer says: AC-7 was assigned"]


def _table(expression: str) -> Table:
    return Table(
        name="rentals",
        sql="CREATE TABLE rentals (id INTEGER PRIMARY KEY, "
        f"number TEXT GENERATED ALWAYS AS ({expression}) VIRTUAL)",
        columns=(
            Column(name="id", type="INTEGER", primary_key=1),
            Column(name="number", type="TEXT", generated=True),
        ),
    )


@pytest.mark.parametrize(
    ("expression", "row", "value"),
    [
        ("'BR-' || id", {"id": 17}, "BR-17"),
        ("'it''s ' || \"id\"", {"id": 17}, "it's 17"),
        ("upper(id)", {"id": 17}, None),
        ("'BR-' || id", {}, None),
        ("id + 1", {"id": 17}, None),
    ],
)
def test_a_column_that_the_database_puts_together(expression, row, value) -> None:
    assert generated_value(_table(expression), "number", row) == value
    assert generated_value(_table(expression), "id", {}) is None


def test_titles_of_tasks_and_tools_are_english() -> None:
    assert task_title("record_no_show_of_and_settle") == "Record no-show and settle"
    assert tool_title("stay_record_no_show_of", ["stays"]) == "Record no-show of stay"
