"""Promises: every claim is part of one, and a promise holds when all its claims do."""

from __future__ import annotations

from studio.models import CheckResultRecord
from studio.services.environments.promises import PROMISE_OF_CLAIM, TITLES, promises
from synthesis.verification.checks import CHECKS


def result(claim: str, passed: bool = True) -> CheckResultRecord:
    return CheckResultRecord(claim=claim, passed=passed)


def test_every_claim_is_part_of_a_promise() -> None:
    assert set(CHECKS) - set(PROMISE_OF_CLAIM) == set()
    assert set(PROMISE_OF_CLAIM.values()) == set(TITLES) - {"other"}


def test_a_promise_fails_with_one_of_its_claims_which_comes_first() -> None:
    whole = promises(
        [result("the_schema_builds"), result("amounts_add_up", False), result("weak_agents_fail")]
    )
    assert [(each.name, each.passed, each.passing) for each in whole] == [
        ("builds", False, 1),
        ("cheating_fails", True, 1),
    ]
    assert [each.claim for each in whole[0].results] == ["amounts_add_up", "the_schema_builds"]


def test_a_claim_of_an_older_report_is_among_the_others() -> None:
    assert [each.name for each in promises([result("all_is_well")])] == ["other"]
