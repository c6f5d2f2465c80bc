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
        ("update_order", "stays as it is"),
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


def test_what_is_closed_stays_as_it_is_by_the_policy_though_the_tool_would_change_it(play, shop):
    operation = _operation(play, "update_order")
    assert operation.closing is not None
    request = forbidden(play, operation)
    assert "stays as it is" in request.reason
    assert "An order that is shipped or cancelled stays as it is." in shop.policy.text
    assert play.instance.call(request.call.name, request.call.arguments).ok
    with pytest.raises(Abandoned):
        play.call(operation, **request.call.arguments)


def test_no_maximum_and_no_uniqueness_is_stated_that_the_schema_does_not_have(shop, model):
    assert "at most" not in shop.policy.text
    for relation in model.relations.values():
        label = set(relation.label)
        stated = any(set(columns) <= label for columns in relation.uniques)
        assert (f"No two {relation.many} have the same" in shop.policy.text) is (stated and bool(label))


@pytest.mark.parametrize(("name", "kind"), [("delete_customer", "rule"), ("mark_order_shipped", "status")])
def test_the_evidence_holds_the_reason_and_what_the_tool_says(play, name, kind):
    request = forbidden(play, _operation(play, name))
    texts = [evidence.text for evidence in request.blocking]
    assert request.reason in texts
    assert len(texts) >= 2
    assert {evidence.kind for evidence in request.blocking} == {kind}


def test_a_wrong_state_is_evidence_by_value(play):
    for name, right in (("mark_order_shipped", "paid"), ("update_order", "")):
        request = forbidden(play, _operation(play, name))
        states = [evidence.value for evidence in request.blocking if evidence.value is not None]
        assert states
        assert right not in states
