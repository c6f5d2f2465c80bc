"""Reasons, acts, holders and denied states that answers tell beside what they were asked."""

from __future__ import annotations

import pytest

from tests.synthesis.reading.desk_world import CALLS, CUSTOMERS, PEOPLE, WRITING, judged, shown

RIGHT = "RF-501 went to Ada Brook."
LISTED = [
    [{"name": row["name"]}, {"total": 1, "items": [shown(row, kind)]}]
    for row, kind in ((CUSTOMERS[0], "customer"), (CUSTOMERS[1], "customer"), (PEOPLE[3], "clerk"))
]


def read(remark: str) -> tuple[bool, object]:
    reading = judged(f"{RIGHT} {remark}", calls=[*LISTED, *CALLS, WRITING])
    return reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    ("true", "untrue"),
    [
        (
            "She was chosen because she has the fewest open refunds.",
            "She was chosen because she asked for it.",
        ),
        ("Bo Hale came next, as he had just one.", "Bo Hale came next, as he had a dentist appointment."),
        (
            "It could not go to Dan Orr since he is a lead.",
            "It could not go to Dan Orr since he moved abroad.",
        ),
        ("It stayed unassigned until today.", "It stayed unassigned because of a strike."),
        ("RF-502 stays as it was, assigned.", "RF-502 stays with Bo Hale as the customer insisted."),
    ],
)
def test_reasons_have_words_that_were_told_or_shown(true: str, untrue: str) -> None:
    assert not read(untrue)[0]
    right, problem = read(true)
    assert "a reason with" not in str(problem), (right, problem)


@pytest.mark.parametrize(
    "remark",
    [
        "RF-501 assigned and 520.00 refunded to Greta Stone.",
        "Greta Stone has agreed.",
        "Dan Orr has signed it.",
        "RF-501 assigned, invoice cancelled.",
        "The amount has been reimbursed.",
        "The copy has been reordered.",
        "A reminder was sent to her last week.",
    ],
)
def test_acts_of_others_need_a_call_too(remark: str) -> None:
    assert not read(remark)[0]


@pytest.mark.parametrize(
    "remark",
    [
        "1 assigned, 0 cancelled.",
        "RF-501 assigned and nothing else changed.",
        "RF-501 was opened, then assigned.",
        "RF-501 has not been cancelled.",
    ],
)
def test_acts_that_were_called_and_denied_ones_may_be_told(remark: str) -> None:
    right, problem = read(remark)
    assert right, problem


@pytest.mark.parametrize(
    ("true", "untrue"),
    [
        (
            "The next is due on 26 May 2026, that of Cleo Marsh.",
            "The next is due on 26 May 2026, that of Bo Hale.",
        ),
        ("One is due on 24 May 2026 (Hugo Vale).", "One is due on 24 May 2026 (Greta Stone)."),
        ("The next is due on 26 May 2026: RF-503.", "The next is due on 26 May 2026: RF-502."),
        (
            "The next is due on 26 May 2026; it concerns Greta Stone.",
            "The next is due on 26 May 2026; it concerns Hugo Vale.",
        ),
    ],
)
def test_a_value_is_told_of_a_row_that_has_it(true: str, untrue: str) -> None:
    assert not read(untrue)[0]
    right, problem = read(true)
    assert right, problem


@pytest.mark.parametrize(
    ("true", "untrue"),
    [
        ("Dan Orr is not on duty.", "Bo Hale is not on duty."),
        ("Dan Orr isn't on duty.", "Cleo Marsh isn't on duty."),
        (
            "Dan Orr would have been next but is not on duty.",
            "Bo Hale would have been next but is not on duty.",
        ),
        ("Greta Stone is not suspended.", "Hugo Vale is not suspended."),
    ],
)
def test_a_state_is_denied_of_a_row_that_is_not_in_it(true: str, untrue: str) -> None:
    assert not read(untrue)[0]
    right, problem = read(true)
    assert right, problem


@pytest.mark.parametrize(
    ("true", "untrue"),
    [
        ("Cleo Marsh has RF-503 and RF-504; both are assigned.", "Cleo Marsh has two; both are opened."),
        (
            "RF-503 comes to 75.00 and RF-504 to 190.00.",
            "Cleo Marsh has two refunds, both at 75.00.",
        ),
        ("RF-503 is due on 26 May 2026.", "Cleo Marsh has two refunds, both due on 26 May 2026."),
    ],
)
def test_what_is_told_of_both_is_so_of_each(true: str, untrue: str) -> None:
    assert not read(untrue)[0]
    right, problem = read(true)
    assert right, problem


@pytest.mark.parametrize(
    ("true", "untrue"),
    [
        ("The two refunds of Cleo Marsh stay with her.", "The four refunds of Cleo Marsh stay with her."),
        ("Bo Hale has one refund.", "Bo Hale has five refunds."),
    ],
)
def test_a_number_of_somebodys_rows_is_counted_in_their_own_list(true: str, untrue: str) -> None:
    assert not read(untrue)[0]
    right, problem = read(true)
    assert right, problem


@pytest.mark.parametrize(
    ("true", "untrue"),
    [
        (
            "Bo Hale has RF-502; nobody else has more than two.",
            "Bo Hale has RF-502; nobody else has more than 1.",
        ),
        ("Ada Brook is a clerk.", "Ada Brook is a specialist for such refunds."),
        ("Dan Orr is a lead.", "Dan Orr is a joiner."),
        ("The others were not at their limit.", "The others are at their limit."),
        ("It is due on 25 May 2026.", "It isn't due until September."),
        ("RF-502 is due tomorrow.", "RF-502 was due yesterday."),
        (
            "RF-502 is due on 24 May 2026, RF-503 two days later.",
            "RF-502 is due on 24 May 2026, RF-503 9 days later.",
        ),
        ("RF-503 and RF-504 (both assigned) stay.", "1 assigned, 2 closed."),
        ("1 assigned.", "2 assigned."),
    ],
)
def test_roles_limits_days_and_numbers_beside(true: str, untrue: str) -> None:
    assert not read(untrue)[0]
    right, problem = read(true)
    assert right, problem
