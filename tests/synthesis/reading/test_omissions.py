"""What an answer says to have been left undone that the calls did."""

from __future__ import annotations

from typing import Any

import pytest

from tests.synthesis.reading.desk_world import judged
from tests.synthesis.reading.test_grounded_holders import GIVEN

RIGHT = "The clerk is Ada Brook."


@pytest.mark.parametrize(
    ("remark", "right"),
    [
        ("RF-501 had been left unassigned until now.", True),
        ("I left RF-502 as it was.", True),
        ("I left it unassigned for now.", False),
        ("I left RF-501 unassigned.", False),
    ],
)
def test_what_was_assigned_was_not_left_unassigned(remark: str, right: bool) -> None:
    assert judged(f"{RIGHT} {remark}").right is right


OPENING: dict[str, Any] = {
    "facts": [],
    "tools": {"open_refund": 1, "close_refund": 0},
    "instruction": "Close RF-501, or open a refund for Ada Brook if it is above our limit.",
    "reference": "Done. A refund was opened for Ada Brook.",
}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I have opened a refund for Ada Brook.", True),
        ("Ada Brook has it. I have not opened a refund yet.", False),
    ],
)
def test_what_calls_opened_is_not_denied(text: str, right: bool) -> None:
    assert judged(text, **OPENING).right is right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("I assigned RF-504 to Ada Brook, and RF-503 to Bo Hale.", True),
        ("I assigned a refund to Ada Brook, but none to Bo Hale.", False),
    ],
)
def test_none_is_denied_to_one_of_several_that_had_it(text: str, right: bool) -> None:
    marks = {"Ada Brook": "clerk", "Bo Hale": "clerk", "RF-503": "refund", "RF-504": "refund"}
    assert judged(text, **{**GIVEN, "marks": marks}).right is right
