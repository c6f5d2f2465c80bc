"""A sensitivity probe names the places at which a weaker verifier might say something else, and no others."""

from __future__ import annotations

import pytest

from synthesis.worlds.weakness import SensitivityProbe, Weakness


@pytest.mark.parametrize(("condition", "sensitive"), [(True, set()), (False, {3}), ([], {3}), ([1], set())])
def test_only_a_condition_that_does_not_hold_can_be_missed(condition: object, sensitive: set[int]) -> None:
    probe = SensitivityProbe()
    assert (probe.on(3) or probe.condition(3, condition)) is condition
    assert probe.sensitive == sensitive
    assert Weakness(3).on(3)
    assert (Weakness(4).on(3) or Weakness(4).condition(3, condition)) is condition


@pytest.mark.parametrize(
    ("actual", "expected", "sensitive"),
    [
        ({"a": 1}, {"a": 1}, set()),
        ({"a": 1, "b": 2}, {"a": 1}, {5}),
        ({"a": 2, "b": 2}, {"a": 1}, set()),
        ({1, 2}, {1}, {5}),
        (None, {"a": 1}, set()),
    ],
)
def test_an_equality_is_sensitive_where_more_would_do(
    actual: object, expected: object, sensitive: set[int]
) -> None:
    probe = SensitivityProbe()
    assert probe.same(5, actual, expected) is (actual == expected)
    assert probe.sensitive == sensitive
