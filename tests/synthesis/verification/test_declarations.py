from __future__ import annotations

from typing import Any

import pytest

from benchmarks.planted_building_faults import BUILDING_FAULTS
from benchmarks.planted_state_faults import STATE_FAULTS
from benchmarks.planted_task_faults import TASK_FAULTS
from benchmarks.planted_tool_faults import LISTS, PROBES, TOOL_FAULTS
from benchmarks.right_variants import RIGHT_VARIANTS
from synthesis.documents.tools import Tool
from synthesis.verification.checks import CHECKS
from synthesis.verification.claims import declarations
from synthesis.verification.proof_context import ProofContext

FAULTS = (*TOOL_FAULTS, *TASK_FAULTS, *STATE_FAULTS, *BUILDING_FAULTS)
QUICK = {
    "a price that rounds",
    "a bill state that nothing reaches",
    "a seed row that names nobody without a foreign key",
    "two tools that do the same",
    "a task that is there twice in other words",
    "a patient with a namesake",
    "a question without a fact",
    "an amount that is asked for and not required",
    "a list without an end",
    "a promised bound that is not kept",
    "a join that loses visits without a referral",
    "a cancellation that frees no slot",
    "a schedule that fails once somebody is checked in",
    "a message about a visit that is not there",
    "an age that leap days have not",
    "a list that draws its order once it is asked for a page",
    "a record that shows a number drawn at random",
    "a wait that fails where it was withdrawn",
    "the first of all covers that were found",
    "a message that fails in the only state that row 377 has",
    "a list that ends after 200 rows of 400",
    "a message that takes those beyond 200 along",
    "one tool of many that does not parse",
    "rows of a table that is not there",
}
"""One fault for each way of finding; the others are looked for at length."""


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            each,
            id=each.name.replace(" ", "_")[:80],
            marks=() if each.name in QUICK else (pytest.mark.at_length,),
        )
        for each in FAULTS
    ],
)
def test_a_planted_fault_is_found_by_its_claim_and_blamed_on_its_part(fault, clinic) -> None:
    with ProofContext(fault.plant(clinic)) as context:
        result = CHECKS[fault.claim](context)
    assert fault.part in {finding.part for finding in result.findings}, result.findings


@pytest.mark.parametrize("claim", [PROBES, LISTS])
def test_a_right_list_over_a_large_table_raises_no_alarm(claim, clinic) -> None:
    variant = next(
        each for each in RIGHT_VARIANTS if each.name == "a list of more than four hundred messages"
    )
    with ProofContext(variant.plant(clinic)) as context:
        assert not CHECKS[claim](context).findings


def test_a_list_of_as_many_rows_as_were_asked_for_raises_no_alarm(clinic) -> None:
    name = "a list of as many rows as were asked for"
    variant = next(each for each in RIGHT_VARIANTS if each.name == name)
    with ProofContext(variant.plant(clinic)) as context:
        result = CHECKS["lists_are_bounded_and_ordered"](context)
        assert not result.findings
        trials = {trial.tool.name: trial for trial in context.tool_trials}
        assert any(call.result.ok for call in trials["quote_visits"].calls)


@pytest.mark.parametrize(
    ("reads", "found"),
    [
        ("[row for each in codes if (row := db.one('SELECT * FROM t WHERE code = ?', [each]))]", False),
        ("[row for each in codes for row in db.query('SELECT * FROM t WHERE code >= ?', [each])]", True),
        ("[row for each in codes for row in getattr(db, 'que' + 'ry')('SELECT * FROM t')]", True),
        ("db.one('SELECT group_concat(code) AS codes FROM t')['codes'].split(',')", True),
    ],
)
@pytest.mark.parametrize("rule", [{"type": "array", "maxItems": 20}, {"type": "array"}, {"type": "string"}])
def test_only_a_look_up_of_each_of_a_bounded_number_of_keys_needs_no_limit(
    reads: str, found: bool, rule: dict[str, Any]
) -> None:
    tool = Tool(
        name="list_them",
        description="List.",
        input_schema={"type": "object", "properties": {"codes": rule}},
        mutates_state=False,
    )
    bounded = declarations._is_as_long_as_asked(tool, f"def list_them(codes):\n    return {reads}")
    assert bounded is (not found and "maxItems" in rule)


def test_a_hundred_faults_and_more_are_planted_once_each() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names) >= 100
    assert set(names) >= QUICK
    assert {fault.claim for fault in FAULTS} <= set(CHECKS)
