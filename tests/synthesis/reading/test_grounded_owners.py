"""How many rows somebody has, as answers tell it beside what they were asked."""

import pytest

from tests.synthesis.reading.desk_world import CALLS, WRITING, judged

RIGHT = "RF-501 went to Ada Brook."


@pytest.mark.parametrize(
    "remark",
    [
        "She had none open.",
        "Ada Brook has one open refund now.",
        "Bo Hale has one, Cleo Marsh has two.",
        "Next would have been Bo Hale with one.",
        "Cleo Marsh, who already has two open ones, comes last.",
        "Cleo Marsh, with two, is the busiest.",
        "Cleo Marsh has the most open ones.",
        "Ada Brook has the fewest open refunds.",
        "I took Ada Brook, the lowest with 0.",
        "Ada Brook is the only one without an open refund.",
        "Bo Hale would have two then.",
        "She now has one assigned.",
        "She had no open refunds at that point.",
        "Cleo Marsh was the runner-up with two open refunds.",
        "Bo Hale was not taken because she already has one.",
    ],
)
def test_what_lists_show_of_somebody_may_be_told(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}")
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark",
    [
        "Bo Hale already has 3 open ones.",
        "Bo Hale was not taken because she already has five open ones.",
        "Bo Hale has none.",
        "Next would have been Cleo Marsh with three.",
        "Ada Brook had four open refunds.",
        "Bo Hale is the busiest.",
        "Bo Hale has the most open ones.",
        "Cleo Marsh has the fewest open refunds.",
        "No other clerk had any open.",
        "Nobody else has any.",
        "She had one open refund, fewer than anyone else.",
        "Ada Brook had the fewest open refunds: one.",
        "She now has two assigned.",
        "Cleo Marsh was the runner-up with just one.",
        "Cleo Marsh would have been next with one refund assigned.",
        "Bo Hale is the only one without an open refund.",
    ],
)
def test_another_number_than_lists_show_is_not_borne_out(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}")
    assert reading.ungrounded or reading.untrue


def test_what_no_list_shows_of_somebody_stays_as_it_was() -> None:
    assert judged(f"{RIGHT} Bo Hale has none.", calls=[*CALLS[:2], WRITING]).right


def test_a_list_of_all_tells_of_each_how_many_they_have() -> None:
    everything = (
        {"status": "assigned"},
        {"total": 3, "items": [row for _, page in CALLS[2:] for row in page["items"]]},
    )
    calls = [*CALLS[:2], list(everything), WRITING]
    assert judged(f"{RIGHT} Cleo Marsh has two.", calls=calls).right
    assert not judged(f"{RIGHT} Cleo Marsh has four.", calls=calls).right
