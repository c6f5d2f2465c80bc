"""Results of tools as people read them: rows inside of rows by their name, lists of them as tables."""

from __future__ import annotations

import pytest

from studio.models import EnvironmentRecord
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.plain_results import plain_result


@pytest.fixture
def plain(stored: EnvironmentRecord) -> PlainLanguage:
    return PlainLanguage(stored)


def test_a_row_inside_of_another_is_said_by_its_name_once(plain: PlainLanguage) -> None:
    loan = {"item": "drill", "borrower": {"member_id": 1, "name": "Ada"}, "lender": {"member_id": None}}
    said = dict(plain_result(plain, loan).facts)
    assert said["Borrower"].value is not None
    assert (said["Borrower"].value.text, bool(said["Borrower"].value.address)) == ("Ada", True)
    assert said["Lender"].value is not None
    assert said["Lender"].value.text == "none"


def test_objects_with_rows_inside_are_a_table(plain: PlainLanguage) -> None:
    ada = {"member_id": 1, "name": "Ada"}
    items = [{"item": "drill", "borrower": ada}, {"item": "saw", "borrower": ada, "returned": True}]
    result = plain_result(plain, {"items": items})
    ((_, listed),) = result.facts
    assert listed.table is not None
    assert listed.table.titles[:2] == ("Item", "Borrower")
    assert [row[1].text for row in listed.table.rows if row[1]] == ["Ada", "Ada"]
    assert listed.table.rows[0][2] is None


def test_what_is_deeper_stays_a_list(plain: PlainLanguage) -> None:
    items = [{"item": "drill", "history": [{"on": "2026-01-02"}]}]
    assert plain_result(plain, items).table is None
