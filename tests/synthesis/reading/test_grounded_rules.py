"""What an answer says that the rules are, or that follows from them."""

import pytest

from tests.synthesis.reading.desk_world import RULES, judged

RIGHT = "RF-501 went to Ada Brook."
TWICE = f"{RULES} Where a refund was entered twice, the later refund is voided and the earlier one is kept."


@pytest.mark.parametrize(
    "remark",
    [
        "Its amount of 520.00 is above our limit.",
        "Refunds go to clerks on duty.",
        "Only clerks may be given a refund.",
        "Refunds above the limit go to leads.",
        "Of two refunds, the later is voided.",
        "The earlier of two refunds is kept.",
    ],
)
def test_what_the_rules_say_may_be_told(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}", rules=TWICE if "two" in remark else RULES)
    assert reading.right, (reading.untrue, reading.ungrounded)


@pytest.mark.parametrize(
    "remark",
    [
        "Its amount of 520.00 is within our limit.",
        "That puts Cleo Marsh at the limit.",
        "Refunds go to drivers.",
        "Only leads may be given a refund.",
        "Of two refunds, the earlier is voided.",
        "The later of two refunds counts, so it is kept.",
    ],
)
def test_what_the_rules_say_otherwise_is_not_borne_out(remark: str) -> None:
    reading = judged(f"{RIGHT} {remark}", rules=TWICE if "two" in remark else RULES)
    assert reading.ungrounded or reading.untrue
