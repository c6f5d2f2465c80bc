"""Refusals: what a rule forbids is asked for, and nothing changes."""

from __future__ import annotations

import pytest

from synthesis.procedural.composing.playing import Abandoned
from synthesis.procedural.derived.refusals import can_be_forbidden, forbidden


def _operation(play, name):
    return next(operation for operation in play.plan.operations if operation.name == name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("delete_customer", "with orders is kept"),
        ("mark_order_shipped", "only orders that are paid qualify"),
        ("add_product", "product"),
    ],
)
def test_a_rule_is_broken_and_the_reason_told(play, name, reason):
    request = forbidden(play, _operation(play, name))
    assert reason in request.reason
    assert play.calls
    assert not play.instance.diff()
    assert all(call.name.startswith(("find_", "list_", "get_")) for call in play.calls)


def test_an_operation_without_a_rule_is_never_forbidden(play):
    free = [op for op in play.plan.writing if not can_be_forbidden(op)]
    assert {op.kind for op in free} <= {"create", "update", "create_with"}


def test_what_nothing_forbids_is_given_up(play, model):
    play.start["Orders"] = []
    with pytest.raises(Abandoned):
        forbidden(play, _operation(play, "mark_order_paid"))


def test_a_limit_that_stands_in_the_policy_alone_is_refused_though_the_tool_would_allow_it(play, shop):
    operation = _operation(play, "update_product")
    assert operation.limit is not None
    assert not operation.limit.enforced
    request = forbidden(play, operation)
    assert "our rules set a limit on the unit price" in request.reason
    assert f"The unit price of a product is at most {operation.limit.most}." in shop.policy.text
    row = play.rows(operation.relation)[0]
    allowed = play.instance.call(
        operation.name, {"product_id": row["ProductID"], "unit_price": operation.limit.most + 10}
    )
    assert allowed.ok


@pytest.mark.parametrize(("name", "kind"), [("delete_customer", "rule"), ("mark_order_shipped", "status")])
def test_the_evidence_holds_the_reason_and_what_the_tool_says(play, name, kind):
    request = forbidden(play, _operation(play, name))
    texts = [evidence.text for evidence in request.blocking]
    assert request.reason in texts
    assert len(texts) >= 2
    assert {evidence.kind for evidence in request.blocking} == {kind}


def test_a_wrong_state_and_a_passed_limit_are_evidence_by_value(play):
    moved = forbidden(play, _operation(play, "mark_order_shipped"))
    states = [evidence.value for evidence in moved.blocking if evidence.value is not None]
    assert states
    assert "paid" not in states
    operation = _operation(play, "update_product")
    limits = [
        evidence.value for evidence in forbidden(play, operation).blocking if evidence.value is not None
    ]
    assert limits == [round(operation.limit.most * 100)]
