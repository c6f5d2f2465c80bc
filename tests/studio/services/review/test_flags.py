"""Flags stand until they are settled by who raised them or by a lead."""

from __future__ import annotations

import pytest

from studio.models import FlagState
from studio.services.errors import Conflict, Forbidden
from studio.services.review import flags
from synthesis.errors import InvalidInput


@pytest.fixture
def flag(stored, reviewer):
    return flags.raise_flag(
        record=stored,
        user=reviewer,
        reason="tool_bug",
        where="return_item",
        comment="It forgets to save.",
        evidence={"tool": "return_item", "arguments": {"loan_id": 7}},
    )


def test_a_reason_names_the_part_it_points_at(flag):
    assert (flag.part, flag.blocks) == ("tools", True)


def test_the_person_who_raised_it_withdraws_it(flag, reviewer):
    flags.settle_flag(flag=flag, user=reviewer, resolution="")
    assert flag.state == FlagState.WITHDRAWN


def test_another_reviewer_cannot_settle_it(flag, second_reviewer):
    with pytest.raises(Forbidden, match="role Lead"):
        flags.settle_flag(flag=flag, user=second_reviewer, resolution="No.")


def test_a_lead_settles_it_with_a_reason_and_once(flag, lead):
    with pytest.raises(InvalidInput, match="Say how"):
        flags.settle_flag(flag=flag, user=lead, resolution="")
    flags.settle_flag(flag=flag, user=lead, resolution="It does save.")
    assert (flag.state, flag.resolved_by) == (FlagState.RESOLVED, lead)
    with pytest.raises(Conflict, match="already closed"):
        flags.settle_flag(flag=flag, user=lead, resolution="Again.")


def test_it_becomes_a_finding_that_names_the_part(flag):
    finding = flags.as_finding(flag)
    assert (finding.part, finding.where, finding.blocks) == ("tools", "return_item", True)
    assert finding.message == "Tool bug: It forgets to save."


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"reason": "ugly"}, "'ugly' is not a reason"),
        ({"reason": "other", "severity": "awful"}, "'awful' is not a severity"),
        ({"reason": "other", "part": "carpet"}, "'carpet' is not a part"),
        ({"reason": "other", "where": "x" * 201}, "under 200"),
    ],
)
def test_values_that_cannot_be_used_are_named(stored, reviewer, values, message):
    with pytest.raises(InvalidInput, match=message):
        flags.raise_flag(record=stored, user=reviewer, **values)


def test_a_viewer_cannot_flag(stored, viewer):
    with pytest.raises(Forbidden):
        flags.raise_flag(record=stored, user=viewer, reason="other")
