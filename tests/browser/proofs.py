"""What is said to be proved about the clinic: every claim holds, one with a warning."""

from __future__ import annotations

from synthesis.documents.check_report import (
    CallCount,
    CheckReport,
    CheckResult,
    RowDifference,
    Score,
    Trial,
)
from synthesis.documents.environment import Environment
from synthesis.documents.finding import Finding

TASK, TOOL = "hand_freed_slot_to_waiting_list", "cancel_appointment"
CLAIMS = {
    "the_schema_builds": "Every statement of the schema builds.",
    "every_reference_solution_completes_its_task": "Every reference solution completes its task.",
    "doing_nothing_completes_no_task": "Doing nothing completes no task.",
}


def report_on(clinic: Environment) -> CheckReport:
    """Claims with figures, ends that verifiers were shown, calls of a tool."""
    plain = (
        CheckResult(claim=claim, description=words, passed=True, figures={"tasks": 10})
        for claim, words in CLAIMS.items()
    )
    return CheckReport(
        environment=clinic.fingerprint, results=(*plain, _tools(), _near_misses(clinic), _others())
    )


def _near_misses(clinic: Environment) -> CheckResult:
    reason = "The patient asked for a later appointment since the bus from Long Compton is late."
    rows = (
        RowDifference(
            table="appointments",
            key=18,
            kind="updated",
            cells={"status": ("cancelled", "booked"), "cancellation_reason": (reason, None)},
        ),
        RowDifference(
            table="waiting_list",
            key=[4, "cardiology"],
            kind="inserted",
            cells={"id": (None, 4), "note": (None, "")},
        ),
        RowDifference(
            table="invoices", key=12, kind="deleted", cells={"id": (12, None), "cents": (4_500, None)}
        ),
    )
    ends = [
        Trial(
            subject=task.id,
            kind=kind,
            description=f"row {17 + place} of appointments is not as it should be",
            expected="refused",
            outcome="refused",
            open=("no other row changed", "the appointment is cancelled"),
            rows=rows,
        )
        for task in clinic.tasks.tasks
        for place, kind in enumerate(
            ("collateral", "partial", "wrong_value", "other_row", "left_out", "twice")
        )
    ]
    ends.append(
        Trial(
            subject=TASK, kind="reverted", description="row 18 of appointments is as it was before",
            expected="refused", outcome="refused", open=("the slot is free",), rows=rows,
        )
    )  # fmt: skip
    return CheckResult(
        claim="near_misses_are_refused",
        description="End states that look right and are not are refused: other row, wrong value, twice.",
        passed=True,
        figures={"mutants": len(ends), "refused": len(ends)},
        scores=tuple(
            Score(subject=task.id, tried=6 + (task.id == TASK), right=6 + (task.id == TASK))
            for task in clinic.tasks.tasks
        ),
        trials=tuple(ends),
        findings=(
            Finding(
                part="tasks",
                check="near_misses_are_refused",
                message=f"{TASK} needs fewer calls than declared.",
                where=TASK,
                severity="warning",
                evidence={"calls": 3},
            ),
        ),
    )


def _others() -> CheckResult:
    way = Trial(
        subject=TASK, kind="other_order", description="cancel_appointment before find_patients",
        expected="accepted", outcome="accepted", calls=("cancel_appointment", "find_patients"),
    )  # fmt: skip
    return CheckResult(
        claim="equivalent_solutions_are_accepted",
        description="Other ways to the same end are accepted.",
        passed=True,
        figures={"equivalents": 1, "accepted": 1},
        scores=(Score(subject=TASK, tried=1, right=1),),
        trials=(way,),
    )


def _tools() -> CheckResult:
    calls = (
        CallCount(kind="valid", success=9, refusal=7),
        CallCount(kind="missing", refusal=2),
        CallCount(kind="wrong_type", refusal=3),
        CallCount(kind="unknown_id", refusal=1),
        CallCount(kind="hostile_text", success=3, refusal=11),
    )
    refused = Trial(
        about="tool", subject=TOOL, kind="unknown_id", description=f"{TOOL}(appointment_id=987654321)",
        expected="either", outcome="refused", open=("Appointment 987654321 does not exist.",),
    )  # fmt: skip
    return CheckResult(
        claim="no_tool_fails",
        description="Tools answer or refuse valid, missing, boundary, unknown and hostile arguments.",
        passed=True,
        figures={"tools": 35, "calls": 1_344, "score": 1.0, "gate": 0.85},
        scores=(Score(subject=TOOL, tried=36, right=36, calls=calls),),
        trials=(refused,),
    )
