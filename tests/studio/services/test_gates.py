"""Each gate of the quality ladder is a setting; nothing skips a rung."""

from __future__ import annotations

from typing import Any

import pytest

from studio.environment_variables import BadVariable, read
from studio.models import EnvironmentRecord, EnvironmentState, Flag, FlagReason, FlagSeverity
from studio.services import bundles, ladder
from studio.services.checks import store_report
from studio.services.refusals import NotReady
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.finding import Finding


def reported(record: EnvironmentRecord, claim: str, part: str, **figures: Any) -> list[ladder.Gate]:
    """The gates after a report whose one claim fails with these figures."""
    assert record.current is not None
    finding = Finding(part=part, check=claim, message="Something does not hold.")  # type: ignore[arg-type]
    result = CheckResult(claim=claim, passed=False, figures=figures, findings=(finding,))
    store_report(
        revision=record.current,
        report=CheckReport(environment=record.current.fingerprint, results=(result,)),
    )
    return list(ladder.gates(record))


@pytest.fixture
def gate(settings: Any) -> Any:
    def set_to(**values: Any) -> None:
        settings.ENV = {**settings.ENV, **{f"WORLDWRIGHT_GATE_{key}": value for key, value in values.items()}}

    return set_to


def test_tools_that_fail_rarely_still_run_but_are_not_proved(stored: EnvironmentRecord) -> None:
    executable, proved, *_ = reported(stored, "no_tool_fails", "tools", score=0.9)
    assert executable.passed
    assert not proved.passed


def test_tools_below_the_gate_do_not_run(stored: EnvironmentRecord, gate: Any) -> None:
    assert not reported(stored, "no_tool_fails", "tools", score=0.84)[0].passed
    gate(TOOL_SCORE=0.8)
    assert ladder.gates(stored)[0].passed


def test_a_missing_score_is_no_score(stored: EnvironmentRecord, gate: Any) -> None:
    gate(TOOL_SCORE=0)
    assert not reported(stored, "no_tool_fails", "tools")[0].passed


@pytest.mark.parametrize(
    ("claim", "setting", "figures"),
    [
        ("near_misses_are_refused", "SOUNDNESS", {"mutants": 200, "refused": 199}),
        ("wrong_answers_are_refused", "SOUNDNESS", {"mutants": 200, "refused": 199}),
        ("equivalent_solutions_are_accepted", "COMPLETENESS", {"equivalents": 100, "accepted": 96}),
    ],
)
def test_a_share_is_enough_only_where_the_setting_says_so(
    stored: EnvironmentRecord, gate: Any, claim: str, setting: str, figures: dict[str, int]
) -> None:
    assert not reported(stored, claim, "verifiers", **figures)[1].passed
    gate(**{setting: 0.95})
    passed = ladder.gates(stored)[1]
    assert passed.passed
    assert "as far as the gates" in passed.reason
    gate(**{setting: 0.999})
    assert not ladder.gates(stored)[1].passed


def test_a_claim_without_a_share_is_never_forgiven(stored: EnvironmentRecord, gate: Any) -> None:
    gate(SOUNDNESS=0, COMPLETENESS=0, TOOL_SCORE=0)
    assert not reported(stored, "replays_come_to_the_same", "tools", tasks=10)[1].passed


def test_flags_of_the_chosen_severity_and_worse_stand_in_the_way(
    stored: EnvironmentRecord, reviewer: Any, gate: Any
) -> None:
    Flag.objects.create(
        environment=stored,
        revision=stored.current,
        raised_by=reviewer,
        reason=FlagReason.TOOL_BUG,
        severity=FlagSeverity.MAJOR,
        comment="It is slow.",
    )
    assert ladder.open_blockers(stored) == 0
    gate(FLAGS="major")
    assert ladder.open_blockers(stored) == 1


def test_without_waivers_nothing_leaves_unapproved(stored: EnvironmentRecord, gate: Any) -> None:
    assert EnvironmentState(stored.state).rung < EnvironmentState.APPROVED.rung
    bundles.require_exportable(stored, waiver="For a trial.")
    gate(WAIVERS=False)
    with pytest.raises(NotReady, match="not approved"):
        bundles.require_exportable(stored, waiver="For a trial.")


@pytest.mark.parametrize("value", ["1.1", "-0.1", "nan", "much"])
def test_a_gate_that_is_no_share_stops_the_start(value: str) -> None:
    with pytest.raises(BadVariable, match=r"WORLDWRIGHT_GATE_SOUNDNESS.*from 0 to 1"):
        read({"WORLDWRIGHT_GATE_SOUNDNESS": value})
