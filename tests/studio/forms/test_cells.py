"""Cells of a form: amounts, names of rows and states, and values as they are stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.forms.cells import CellWords, as_stored
from studio.presentation.cell_words import cell_words
from studio.presentation.plain_language import PlainLanguage
from synthesis.documents.schema import Column, Table

FEE = Column(name="fee_cents", type="INTEGER", not_null=True)
MEMBER = Column(name="member_id", type="INTEGER")
TIER = Column(name="tier", type="TEXT")

AMOUNT = CellWords("Fee", cents=True)
NAMES = CellWords("Member", names={7: "Clara Ash (7)", 8: "Ned Poe"}, options="members")
STATES = CellWords("Tier", names={"gold": "Gold", "basic": "Basic"}, options="tiers")


@given(st.integers(-(10**12), 10**12))
def test_an_amount_is_read_as_it_is_written(cents: int) -> None:
    assert AMOUNT.read(AMOUNT.written(cents), FEE, None) == cents


@pytest.mark.parametrize(
    ("text", "cents"), [("1,200.50", 120_050), ("-12,345,678", -1_234_567_800), (" 60.00 ", 6_000)]
)
def test_a_comma_stands_between_thousands_only(text: str, cents: int) -> None:
    assert AMOUNT.read(text, FEE, None) == cents


def test_a_row_and_a_state_are_read_by_name_key_or_as_they_are_stored() -> None:
    assert [NAMES.read(text, MEMBER, None) for text in ("Ned Poe", "Clara Ash (7)", "8")] == [8, 7, 8]
    assert [STATES.read(text, TIER, None) for text in ("Gold", "basic")] == ["gold", "basic"]
    assert NAMES.written(8) == "Ned Poe"


@pytest.mark.parametrize(
    ("words", "column", "text", "message"),
    [
        (AMOUNT, FEE, "sixty", "Fee: 'sixty' is no amount"),
        (AMOUNT, FEE, "1.005", "more than two decimals"),
        (AMOUNT, FEE, "1e999999", "is no amount"),
        (AMOUNT, FEE, "NaN", "is no amount"),
        (AMOUNT, FEE, "60,00", "is no amount"),
        (AMOUNT, FEE, "1,23,456.00", "is no amount"),
        (NAMES, MEMBER, "Nobody", "Member is one of those that are suggested"),
        (NAMES, MEMBER, "99", "Member is one of those that are suggested"),
        (STATES, TIER, "silver", "Tier is one of those that are suggested"),
        (as_stored(MEMBER), MEMBER, "seven", "member_id holds numbers"),
    ],
)
def test_what_cannot_be_read_names_the_column_and_the_remedy(words, column, text, message) -> None:
    with pytest.raises(ValueError, match=message):
        words.read(text, column, None)


def test_what_was_not_touched_keeps_its_value() -> None:
    assert STATES.read("silver", TIER, "silver") == "silver"
    assert as_stored(TIER).read("1", TIER, 1) == 1


def test_states_of_a_column_of_numbers_are_stored_as_numbers(stored) -> None:
    table = Table(
        name="visits",
        columns=(Column(name="rating", type="INTEGER"), Column(name="grade", type="TEXT")),
        sql="CREATE TABLE visits (rating INTEGER, grade TEXT)",
    )
    plain = PlainLanguage(stored)
    plain.states = lambda _table, _column: {"1": "Poor", "2": "Fine"}
    for column, read in zip(table.columns, (2, "2"), strict=True):
        (words,) = cell_words(plain, table, [column])
        assert words.read("Fine", column, None) == read
        assert words.read("2", column, None) == read
        assert words.written(read) == "Fine"
