"""Each quality gate is a setting; nothing skips one."""

from __future__ import annotations

from typing import Any

import pytest

from studio.environment_variables import EnvironmentVariables
from studio.jobs import execute_run
from studio.models import (
    BundleRecord,
    Comment,
    EnvironmentRecord,
    EnvironmentState,
    Review,
    ReviewDecision,
    RunState,
)
from studio.services.environments import quality_gates
from studio.services.environments.check_reports import store_report
from studio.services.environments.claim_sentences import claim_in_words
from studio.services.errors import NotReady
from studio.services.exports import bundles
from studio.variable import BadVariable
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.finding import Finding
from tests.studio.services.environments.conftest import raised


def reported(
    record: EnvironmentRecord, claim: str, part: str, **figures: Any
) -> list[quality_gates.QualityGate]:
    """The gates after a report whose one claim fails with these figures."""
    assert record.current is not None
    finding = Finding(part=part, check=claim, message="Something does not hold.")  # type: ignore[arg-type]
    result = CheckResult(claim=claim, passed=False, figures=figures, findings=(finding,))
    store_report(
        revision=record.current,
        report=CheckReport(environment=record.current.fingerprint, results=(result,)),
    )
    return list(quality_gates.gates(record))


def test_tools_that_fail_rarely_still_run_but_are_not_proved(stored: EnvironmentRecord) -> None:
    executable, proved, *_ = reported(stored, "no_tool_fails", "tools", score=0.9)
    assert executable.passed
    assert not proved.passed


def test_tools_below_the_gate_do_not_run(stored: EnvironmentRecord, gate: Any) -> None:
    assert not reported(stored, "no_tool_fails", "tools", score=0.84)[0].passed
    gate(tool_score=0.8)
    assert quality_gates.gates(stored)[0].passed


def test_a_missing_score_is_no_score(stored: EnvironmentRecord, gate: Any) -> None:
    gate(tool_score=0)
    assert not reported(stored, "no_tool_fails", "tools")[0].passed


@pytest.mark.parametrize(
    ("claim", "setting", "figures"),
    [
        ("near_misses_are_refused", "soundness", {"mutants": 200, "refused": 199}),
        ("wrong_answers_are_refused", "soundness", {"mutants": 200, "refused": 199}),
        ("equivalent_solutions_are_accepted", "completeness", {"equivalents": 100, "accepted": 96}),
    ],
)
def test_a_share_is_enough_only_where_the_setting_says_so(
    stored: EnvironmentRecord, gate: Any, claim: str, setting: str, figures: dict[str, int]
) -> None:
    assert not reported(stored, claim, "verifiers", **figures)[1].passed
    gate(**{setting: 0.95})
    passed = quality_gates.gates(stored)[1]
    assert passed.passed
    assert "as far as the settings" in passed.reason
    gate(**{setting: 0.999})
    assert not quality_gates.gates(stored)[1].passed


def test_a_claim_without_a_share_is_never_forgiven(stored: EnvironmentRecord, gate: Any) -> None:
    gate(soundness=0, completeness=0, tool_score=0)
    assert not reported(stored, "replays_come_to_the_same", "tools", tasks=10)[1].passed


def test_an_environment_without_units_is_not_reviewed(stored: EnvironmentRecord) -> None:
    assert stored.current is not None
    stored.current.units = {}
    gate = quality_gates.gates(stored)[2]
    assert (gate.passed, gate.reason) == (False, "0 of 1 review submitted.")


def test_the_line_above_names_everything_that_blocks(stored: EnvironmentRecord, reviewer: Any) -> None:
    raised(stored, reviewer, "return_the_drill")
    raised(stored, reviewer, "count_the_loans")
    raised(stored, reviewer, "return_item", severity="minor")
    assert quality_gates.blocker(stored) == (
        "0 of 1 review submitted. 2 open flags block approval: task cannot be done (Return the drill), "
        "task cannot be done (Count the loans)."
    )
    reported(stored, "no_tool_fails", "tools", score=0.2)
    text = quality_gates.blocker(stored)
    assert "It does not run yet: Something does not hold." in text
    assert "A check fails: " in text
    assert "2 open flags block" in text
    assert "0 of 1 review " in text


def test_a_bundle_with_a_waiver_or_of_other_content_is_no_export(stored: EnvironmentRecord) -> None:
    assert stored.current is not None

    def is_exported() -> bool:
        gate = list(quality_gates.gates(stored))[-1]
        assert gate.state == EnvironmentState.EXPORTED
        words = (
            "A bundle has been exported."
            if gate.passed
            else "No bundle has been exported after approval yet."
        )
        assert gate.reason == words
        return gate.passed

    bundle = BundleRecord.objects.create(
        environment=stored,
        revision=stored.current,
        codec="native",
        path="bundles/hurried.zip",
        fingerprint=stored.current.fingerprint,
        size=1,
        waiver="urgent",
    )
    assert not is_exported()
    BundleRecord.objects.filter(pk=bundle.pk).update(waiver="")
    assert is_exported()


def test_every_check_that_fails_is_named(stored: EnvironmentRecord) -> None:
    assert stored.current is not None
    results = tuple(
        CheckResult(claim=claim, passed=False)
        for claim in ("near_misses_are_refused", "wrong_answers_are_refused", "replays_come_to_the_same")
    )
    report = CheckReport(environment=stored.current.fingerprint, results=results)
    store_report(revision=stored.current, report=report)
    text = quality_gates.blocker(stored)
    assert "3 checks fail" in text
    sentences = [claim_in_words(result.claim, "") for result in results]
    assert len(set(sentences)) == 3
    assert all(sentence in text for sentence in sentences)


def test_an_export_without_approval_still_leaves_with_its_reason(
    stored: EnvironmentRecord, lead: Any
) -> None:
    run = bundles.start_export(record=stored, requested_by=lead, waiver="For a trial.")
    ended = execute_run(run.pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error


def test_without_waivers_nothing_leaves_unapproved(stored: EnvironmentRecord, gate: Any) -> None:
    assert EnvironmentState(stored.state).level < EnvironmentState.APPROVED.level
    bundles.require_exportable(stored.current, waiver="For a trial.")
    gate(waivers=False)
    with pytest.raises(NotReady, match="not approved"):
        bundles.require_exportable(stored.current, waiver="For a trial.")


@pytest.mark.parametrize("value", ["1.1", "-0.1", "nan", "much"])
def test_a_gate_that_is_no_share_stops_the_start(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDWRIGHT_GATE_SOUNDNESS", value)
    with pytest.raises(BadVariable, match=r"WORLDWRIGHT_GATE_SOUNDNESS.*from 0 to 1"):
        EnvironmentVariables.read()


@pytest.mark.parametrize("fingerprint", ["0" * 64, "f" * 64])
def test_a_review_of_other_content_covers_nothing(
    stored: EnvironmentRecord, reviewer: Any, fingerprint: str
) -> None:
    assert stored.current is not None
    unit = next(iter(stored.current.units))
    review = Review(reviewer=reviewer, units={unit: fingerprint}, decision=ReviewDecision.APPROVE)
    assert not quality_gates.coverage(stored, [review])[unit]
    review.units = {unit: stored.current.units[unit]}
    assert quality_gates.coverage(stored, [review])[unit] == {reviewer.pk: True}


def test_without_a_report_nothing_is_executable(stored: EnvironmentRecord) -> None:
    assert stored.current is not None
    stored.current.reports.all().delete()
    executable = quality_gates.gates(stored)[0]
    assert (executable.passed, executable.reasons) == (False, ("It has not been proved yet.",))
    assert quality_gates.settle(stored) == EnvironmentState.DRAFT


def decided(record: EnvironmentRecord, person: Any, decision: ReviewDecision, **fields: Any) -> Review:
    assert record.current is not None
    return Review(
        environment=record,
        revision=fields.pop("revision", record.current),
        reviewer=person,
        units=dict(record.current.units),
        decision=decision,
        **fields,
    )


def test_the_last_word_of_a_lead_counts_whatever_was_settled_before(
    stored: EnvironmentRecord, reviewer: Any, lead: Any, settings: Any
) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    refused = decided(stored, lead, ReviewDecision.REJECT, is_adjudication=True)
    approved = decided(stored, lead, ReviewDecision.APPROVE, is_adjudication=True)
    looked = decided(stored, reviewer, ReviewDecision.REQUEST_CHANGES)
    gates = {gate.state: gate for gate in quality_gates.gates(stored, reviews=[looked, refused, approved])}
    assert gates[EnvironmentState.APPROVED].passed
    gates = {gate.state: gate for gate in quality_gates.gates(stored, reviews=[looked, approved, refused])}
    assert gates[EnvironmentState.APPROVED].reasons == ("A reviewer decided: reject.",)


def test_without_a_lead_every_needed_person_has_to_approve(
    stored: EnvironmentRecord, reviewer: Any, second_reviewer: Any, settings: Any
) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    first = decided(stored, reviewer, ReviewDecision.APPROVE)
    gates = {gate.state: gate for gate in quality_gates.gates(stored, reviews=[first])}
    assert not gates[EnvironmentState.APPROVED].passed
    second = decided(stored, second_reviewer, ReviewDecision.APPROVE)
    gates = {gate.state: gate for gate in quality_gates.gates(stored, reviews=[first, second])}
    assert gates[EnvironmentState.APPROVED].passed


@pytest.mark.parametrize("shift", [-1, 1])
def test_a_refusal_of_another_revision_stands_in_nobodys_way(
    stored: EnvironmentRecord, reviewer: Any, second_reviewer: Any, shift: int
) -> None:
    assert stored.current is not None
    other = decided(stored, reviewer, ReviewDecision.REJECT)
    other.revision_id = stored.current.pk + shift
    other.units = {}
    approved = decided(stored, second_reviewer, ReviewDecision.APPROVE)
    assert quality_gates.blocker(stored, reviews=[other, approved]) == ""
    other.revision_id = stored.current.pk
    assert "A reviewer decided: reject." in quality_gates.blocker(stored, reviews=[other, approved])


@pytest.mark.parametrize("part", ["tasks", "verifiers", "policy"])
def test_a_fault_in_what_does_not_run_keeps_nothing_from_running(
    stored: EnvironmentRecord, part: str
) -> None:
    executable, proved, *_ = reported(stored, "replays_come_to_the_same", part)
    assert executable.passed
    assert not proved.passed


@pytest.mark.parametrize(
    ("count", "words"), [(1, "A check fails: "), (2, "2 checks fail: "), (3, "3 checks fail: ")]
)
def test_claims_that_fail_are_counted(stored: EnvironmentRecord, count: int, words: str) -> None:
    assert stored.current is not None
    claims = ("near_misses_are_refused", "wrong_answers_are_refused", "replays_come_to_the_same")[:count]
    results = tuple(CheckResult(claim=claim, passed=False) for claim in claims)
    store_report(
        revision=stored.current,
        report=CheckReport(environment=stored.current.fingerprint, results=results),
    )
    assert quality_gates.barriers(stored).startswith(words)


def test_of_many_units_the_first_three_are_named_and_the_rest_counted(
    stored: EnvironmentRecord, reviewer: Any
) -> None:
    assert stored.current is not None
    stored.current.units = {f"task:{name}": name for name in "abcd"}
    but = dict.fromkeys(stored.current.units, ReviewDecision.REQUEST_CHANGES)
    review = decided(stored, reviewer, ReviewDecision.APPROVE, unit_decisions=but)
    assert quality_gates.blocker(stored, reviews=[review]) == (
        "Approval is missing for task “A”, task “B”, task “C” and 1 more."
    )
    del review.unit_decisions["task:d"]
    assert quality_gates.blocker(stored, reviews=[review]) == (
        "Approval is missing for task “A”, task “B”, task “C”."
    )


def test_a_report_that_was_read_already_is_the_one_that_counts(stored: EnvironmentRecord) -> None:
    assert stored.current is not None
    proved = quality_gates.latest_report(stored.current)
    assert not reported(stored, "replays_come_to_the_same", "tasks")[1].passed
    assert quality_gates.barriers(stored).startswith("A check fails: ")
    assert quality_gates.barriers(stored, proved) == ""
    assert quality_gates.gates(stored, proved)[1].passed


def test_a_lead_settles_alone_where_two_are_asked(
    stored: EnvironmentRecord, reviewer: Any, lead: Any, settings: Any
) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    against = decided(stored, reviewer, ReviewDecision.REJECT)
    settled = decided(stored, lead, ReviewDecision.APPROVE, is_adjudication=True)
    assert quality_gates.gates(stored, reviews=[against, settled])[3].passed


def test_reviews_and_comments_say_whose_they_are(stored: EnvironmentRecord, reviewer: Any) -> None:
    assert str(Review(reviewer=reviewer)) == f"Draft by {reviewer}"
    assert str(Review(reviewer=reviewer, decision=ReviewDecision.REJECT)) == f"Reject by {reviewer}"
    assert str(Comment(author=reviewer, anchor_kind="tool", anchor="lend_item")) == f"{reviewer} on lend_item"
    assert str(Comment(author=reviewer, anchor_kind="tool")) == f"{reviewer} on tool"


def test_claims_that_hold_with_warnings_alone_weigh_in_the_risk(stored: EnvironmentRecord) -> None:
    assert stored.current is not None
    warning = Finding(part="tasks", check="a", message="It could be clearer.", severity="warning")

    def reasons(*claims: str) -> list[str]:
        results = tuple(CheckResult(claim=claim, passed=True, findings=(warning,)) for claim in claims)
        report = CheckReport(environment=stored.current.fingerprint, results=results)
        store_report(revision=stored.current, report=report)
        quality_gates.settle(stored)
        return stored.risk_reasons

    again, order = "replays_come_to_the_same", "moments_are_in_order"
    same, sorted_ = "Done again, every solution comes to the same", "Dates are in order: nothing ends before"
    assert f"1 check passes with warnings: “{same}”" in reasons(again)
    assert reasons(again, order)[0].startswith(f"2 checks pass with warnings: “{same}” and “{sorted_}")
    assert reasons(again, order, "amounts_add_up", "two_builds_are_equal")[0].endswith("” and 2 more")


def test_what_was_tried_is_read_only_when_the_whole_report_is_asked_for(stored: EnvironmentRecord) -> None:
    assert stored.current is not None
    reported(stored, "replays_come_to_the_same", "tasks")

    def left_out(**how: bool) -> set[str]:
        report = quality_gates.latest_report(stored.current, **how)  # type: ignore[arg-type]
        assert report is not None
        return {name for result in report.results.all() for name in result.get_deferred_fields()}

    assert left_out() == {"trials", "scores"}
    assert left_out(whole=True) == set()
