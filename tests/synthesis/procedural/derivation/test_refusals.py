"""Refusals: what a rule forbids is asked for, and nothing changes."""

from __future__ import annotations

import pytest

from synthesis.procedural.derivation.refusals import can_be_forbidden, forbidden
from synthesis.procedural.walk import Abandoned


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
    found = forbidden(play, _operation(play, name))
    assert reason in found.reason
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
    found = forbidden(play, operation)
    assert "our rules set a limit on the unit price" in found.reason
    assert f"The unit price of a product is at most {operation.limit.most}." in shop.policy.text
    row = play.rows(operation.relation)[0]
    allowed = play.instance.call(
        operation.name, {"product_id": row["ProductID"], "unit_price": operation.limit.most + 10}
    )
    assert allowed.ok
