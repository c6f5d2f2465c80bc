"""True answers in few words, and with what follows from the rules."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from synthesis.documents.tasks import AnswerFact
from synthesis.reading.judgement import judge_answer
from synthesis.reading.statements import says
from tests.synthesis.reading.desk_world import CALLS, PEOPLE, WRITING, judged

REASON = SimpleNamespace(text="the role of Eva Flint is driver, not clerk", value="driver", type="text")
DECLINING = {
    "facts": (),
    "expects_refusal": True,
    "changed": False,
    "touched": (),
    "instruction": "Assign refund RF-501 to Eva Flint.",
    "reference": "RF-501 was not assigned: the role of Eva Flint is driver, not clerk.",
    "blocking": [REASON],
    "calls": [
        CALLS[0],
        [{"name": "Eva Flint"}, {"clerk_id": 5, "name": "Eva Flint", "role": "driver", "on_duty": 1}],
    ],
    "tools": {"assign_refund": 0, "close_refund": 0, "send_letter": 0},
}


@pytest.mark.parametrize("text", ["Ada.", "Ada has RF-501 now.", "RF-501 went to Ada."])
def test_a_first_name_that_one_person_has_names_them(text: str) -> None:
    assert judged(text).right, judged(text)


@pytest.mark.parametrize("text", ["Bo.", "Ada Stone.", "Bo has RF-501 now, not Ada.", "Somebody has it."])
def test_another_first_name_or_another_last_name_is_somebody_else(text: str) -> None:
    assert not judged(text).right


def test_a_first_name_of_two_people_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PEOPLE[1], "name", "Ada Hale")
    assert not judged("Ada.").right


def test_a_verifier_takes_a_first_name_and_no_other() -> None:
    fact = AnswerFact(name="clerk assigned", type="name", value="Ada Brook")
    assert says("Ada has it.", fact)
    assert not says("Bo has it.", fact)
    assert not says("Ada Hale has it.", fact)
    assert not says("ada has it.", fact)


@pytest.mark.parametrize(
    "text",
    [
        "The assignment of RF-501 was refused, since Eva Flint is a driver.",
        "RF-501 to Eva Flint has been rejected: she is a driver.",
    ],
)
def test_what_was_refused_was_not_done(text: str) -> None:
    assert judged(text, **DECLINING).right, judged(text, **DECLINING)


@pytest.mark.parametrize(
    "text",
    [
        "Eva Flint, who was refused before, is a driver.",
        "Had it been refused? Eva Flint is a driver.",
    ],
)
def test_a_refusal_that_is_denied_or_is_over_declines_nothing(text: str) -> None:
    assert not judged(text, **DECLINING).right


def test_to_refuse_may_be_what_was_asked_for() -> None:
    asked = {**DECLINING, "instruction": "Refuse refund RF-501 of Eva Flint."}
    assert not judged("RF-501 was refused, since Eva Flint is a driver.", **asked).right


ORDERS = {
    "facts": [AnswerFact(name="total taken back", type="money_cents", value=52_000)],
    "instruction": "Take back the orders that may be, and tell me what they come to.",
    "reference": "Done. The total taken back is 520.00.",
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("520.00 was taken back. Orders closed before 9 May 2026 are too old.", True),
        ("520.00 was taken back. Orders closed before 9 May are too old.", True),
        ("520.00 was taken back. Orders closed before 3 May are too old.", False),
        ("520.00 was taken back. From 30 May on it can be asked for again.", True),
        ("520.00 was taken back. From 28 June on it can be asked for again.", False),
        ("520.00 was taken back. It runs until 30 May.", False),
    ],
)
def test_a_bound_lies_as_many_days_off_as_a_rule_says(text: str, right: bool) -> None:
    assert judged(text, **ORDERS).right is right, judged(text, **ORDERS)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Ada Brook has RF-501. It is due on 25 May, not 30 April.", True),
        ("Ada Brook has RF-501. It is due on 25 May rather than on 30 April.", True),
        ("Ada Brook has RF-501. It is due on 30 April, not 25 May.", False),
        ("Ada Brook has RF-501. RF-502 is not due until 30 June.", False),
        ("1 assigned, 0 waived: Ada Brook has RF-501.", True),
        ("0 assigned: Ada Brook has RF-501.", False),
    ],
)
def test_a_wrong_day_and_a_nought_may_be_told_as_such(text: str, right: bool) -> None:
    assert judged(text).right is right, judged(text)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Ada Brook has RF-501, 520.00; together Cleo Marsh has 265.00.", True),
        ("Ada Brook has RF-501, a refund over 305.00.", False),
        ("Ada Brook has RF-501. No fee was due, so 0.00.", True),
    ],
)
def test_a_list_of_one_row_is_no_sum(text: str, right: bool) -> None:
    assert judged(text).right is right, judged(text)


def test_an_answer_without_a_world_is_read_as_before() -> None:
    fact = AnswerFact(name="clerk assigned", type="name", value="Ada Brook")
    assert not judge_answer("Ada.", facts=[fact]).right


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        (
            "Bo Hale, Cleo Marsh and Ada Brook are on duty; she comes first among the three by first name.",
            True,
        ),
        (
            "Bo Hale, Cleo Marsh and Ada Brook are on duty; she comes first among the eight by first name.",
            False,
        ),
        ("That has been so for three and a half years.", True),
        ("I compared 520.00 with the limit of 40.00.", True),
        ("| Refund | Days left |\n|---|---|\n| RF-502 | 1 |\n| RF-503 | 3 |", True),
        ("| Refund | Days left |\n|---|---|\n| RF-502 | 17 |\n| RF-503 | 31 |", False),
    ],
)
def test_what_counts_the_names_or_measures_time_is_no_other_count(remark: str, right: bool) -> None:
    reading = judged(f"RF-501 went to Ada Brook.\n{remark}")
    assert bool(reading.right) is right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "beside",
    [
        "RF-502 is still with Bo Hale.",
        "RF-502 is still on the list.",
        "It is for one refund, still in one place.",
    ],
)
def test_what_is_still_so_of_another_row_is_no_act(beside: str) -> None:
    reading = judged(f"RF-501 went to Ada Brook. {beside}")
    assert "something else" not in reading.untrue
    assert "to come" not in reading.untrue


@pytest.mark.parametrize(
    "beside", ["It is still unassigned.", "The old one is still in place.", "RF-501 is still open."]
)
def test_what_was_to_be_changed_is_not_told_as_still_so(beside: str) -> None:
    assert not judged(f"RF-501 went to Ada Brook. {beside}").right


def test_what_was_handed_over_may_still_be_open() -> None:
    handed: dict[str, Any] = {
        "tools": {"open_handover": 1, "assign_refund": 0, "close_refund": 0, "send_letter": 0},
        "instruction": "Close refund RF-501 if you may, else hand it over, and say who has it.",
        "reference": "Done. The one who decides is Ada Brook.",
    }
    assert not judged("Ada Brook has it. It is still open.", **handed).untrue
    assert judged("Ada Brook has it. It is still unassigned.", **handed).untrue


@pytest.mark.parametrize(("told", "is_so"), [("The others cost 3.00.", True), ("It costs 3.00.", False)])
def test_the_others_are_those_that_were_listed_beside(told: str, *, is_so: bool) -> None:
    prices = ((11, 200), (12, 300), (13, 300))
    rooms = [{"room_id": key, "name": f"Room {key}", "daily_cents": cents} for key, cents in prices]
    reading = judged(
        f"RF-501 went to Ada Brook. Room 11 costs 2.00. {told}",
        calls=[*CALLS, [{}, {"total": 3, "items": rooms}], WRITING],
    )
    assert (not reading.ungrounded) is is_so
