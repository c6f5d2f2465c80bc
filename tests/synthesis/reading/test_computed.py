"""What a reading computes, it computes when it is asked for, and once."""

from __future__ import annotations

from typing import Any

import pytest

from synthesis.reading import mismatched_forms
from synthesis.reading.computed import cached_property
from synthesis.reading.document import ParsedText, phrase_index
from synthesis.reading.json_values import JsonValues
from synthesis.reading.observations import Observations
from synthesis.reading.words import LONGEST_TEXT


class Counted:
    computed = 0

    @cached_property
    def value(self) -> int:
        """How often it was computed."""
        self.computed += 1
        return self.computed


class Unread(list[Any]):
    def __iter__(self) -> Any:
        raise AssertionError("nothing was asked of it")


def test_an_attribute_is_computed_once_for_each_instance() -> None:
    one, other = Counted(), Counted()
    assert (one.value, one.value, other.value) == (1, 1, 1)
    assert isinstance(Counted.value, cached_property)
    assert Counted.value.__doc__ == "How often it was computed."


def test_values_are_walked_when_something_is_asked_of_them() -> None:
    values = JsonValues(Unread([1]))
    with pytest.raises(AssertionError):
        _ = values.leaves


def test_values_are_walked_in_order() -> None:
    rows = [{"a": 1, "b": {"c": "x"}}, {"a": 2.5}]
    values = JsonValues([{"rows": rows, "d": [3, [True, None, float("nan"), 4]]}, "y", ()])
    assert values.leaves == [("a", 1), ("c", "x"), ("a", 2.5), ("d", 3), ("d", 4), ("", "y")]
    assert values.objects[1:] == [rows[0], {"c": "x"}, rows[1]]
    assert values.lists_of_objects == [rows]


def test_short_results_are_complete_without_being_walked() -> None:
    observed = Observations(
        ["Cancel it."], [({}, {"note": "Due on 3 March 2026", "n": each}) for each in "ab"]
    )
    assert observed.complete
    assert "_values" not in vars(observed)


@pytest.mark.parametrize(("notes", "complete"), [(600, False), (400, True)])
def test_whether_long_results_are_complete_is_looked_up(notes: int, complete: bool) -> None:
    texts = [f"Note {number}: " + "so be it" * 3 for number in range(notes)]
    observed = Observations(["Cancel it."], [({}, {"padding": "x" * LONGEST_TEXT, "notes": texts})])
    assert observed.complete is complete
    assert "_values" in vars(observed)


def test_phrases_are_looked_for_by_their_first_words() -> None:
    wanted = phrase_index(("Ada Brook", "Ada", "Lane", "Berth D61"))
    assert wanted.beginnings == {"ada", "lane", "berth"}
    spoken = [
        phrase for phrase, _, _ in ParsedText("Ada Brook met Ada at Berth D61, not D62.").phrases(wanted)
    ]
    assert spoken == [("ada", "brook"), ("ada",), ("berth", "d61")]


def test_days_are_read_for_an_answer_that_names_a_weekday() -> None:
    observed = Observations(["Cancel it."], [({}, {"due_on": "2026-08-07", "note": "as soon as may be"})])
    assert not list(observed.mismatched(ParsedText("It was cancelled on 7 August.")))
    assert "_shown_dates" not in vars(observed)
    assert len(list(observed.mismatched(ParsedText("It was due on Monday, 7 August.")))) == 1
    assert vars(observed)["_shown_dates"] == {"2026-08-07"}


def test_the_currencies_of_what_is_told_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    currency = mismatched_forms._currency
    monkeypatch.setattr(
        mismatched_forms, "_currency", lambda token: read.append(token.text) or currency(token)
    )
    texts = ParsedText("Fees are 5.00 EUR a day.")
    assert [mismatched_forms.other_currency(ParsedText("$9.00"), texts) for _ in range(3)] == ["USD"] * 3
    assert read.count("5.00 eur") == 1
