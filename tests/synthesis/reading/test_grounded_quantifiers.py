"""What answers say of both, all, none or so many others of rows, and how many somebody has."""

import pytest

from tests.synthesis.reading.desk_world import judged

RIGHT = "RF-501 went to Ada Brook."
CLEO = f"{RIGHT} Cleo Marsh has RF-503 and RF-504."


@pytest.mark.parametrize(
    "remark",
    [
        "Both are assigned.",
        "All of them are assigned.",
        "Neither of them is overdue.",
        "None of them is overdue.",
    ],
)
def test_what_each_of_some_rows_is_may_be_told_of_all(remark: str) -> None:
    reading = judged(f"{CLEO} {remark}")
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark", ["Both are overdue.", "Both are already past due.", "None of them was ever assigned."]
)
def test_what_one_of_some_rows_is_not_is_not_told_of_all(remark: str) -> None:
    assert judged(f"{CLEO} {remark}").ungrounded


@pytest.mark.parametrize(
    "remark",
    [
        "I chose Ada Brook, who had no open refunds before.",
        "The loads were Ada Brook 0, Bo Hale 1, Cleo Marsh 2.",
        "It is all Ada Brook has, as she had none before.",
        "All two of Cleo Marsh's refunds were there before.",
    ],
)
def test_what_somebody_had_may_be_told_in_a_list_or_behind_their_name(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}")
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark",
    [
        "Second came Bo Hale, who had no open refunds before.",
        "The clerks have these: Ada Brook 0, Bo Hale 2, Cleo Marsh 2.",
        "Ada Brook and Bo Hale had equally few.",
        "All three of Cleo Marsh's refunds were there before.",
        "Ada Brook has no other open refund, but Bo Hale still has two refunds left.",
    ],
)
def test_another_number_of_somebody_is_not_borne_out_however_it_is_told(remark: str) -> None:
    assert judged(f"{RIGHT} {remark}").ungrounded
