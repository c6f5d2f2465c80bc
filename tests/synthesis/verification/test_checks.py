import gc
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.planted_faults import FAULTS, rebuilt
from synthesis.bundles.native import NativeCodec
from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle
from synthesis.verification.checks import CHECKS, check_environment
from synthesis.verification.proof_context import ProofContext


@pytest.fixture(scope="module")
def report(clinic, clinic_world):
    return check_environment(clinic, world=clinic_world)


def test_the_clinic_meets_every_claim(report):
    assert report.passed, [finding.message for finding in report.findings if finding.blocks]


def test_there_is_one_result_per_claim_in_the_order_of_the_table(report):
    assert [result.claim for result in report.results] == list(CHECKS)


@pytest.fixture
def usual_thresholds():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield gc.get_threshold()
    gc.set_threshold(*before)


def test_cycles_are_looked_for_less_often_during_a_proof_alone(clinic, usual_thresholds):
    before, during = usual_thresholds, []

    def on_result(_result):
        during.append(gc.get_threshold())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_environment(clinic, on_result=on_result)
    assert during[0][0] > before[0]
    assert gc.get_threshold() == before


def test_every_claim_is_a_sentence_for_people(report):
    for result in report.results:
        assert result.description.endswith(".")
        assert "\n" not in result.description
        assert len(result.description) > 20


def test_the_documentation_names_every_claim_with_its_sentence(report):
    text = (Path(__file__).parents[3] / "docs" / "proof.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    assert [(name, sentence) for name, sentence, _ in rows] == [
        (result.claim, result.description) for result in report.results
    ]


def test_the_figures_say_what_was_tried(report):
    figures = {result.claim: result.figures for result in report.results}
    assert figures["no_tool_fails"]["calls"] > 1_000
    assert figures["no_tool_fails"]["failure"] == 0
    assert figures["no_tool_fails"]["score"] == 1.0
    near_misses = figures["near_misses_are_refused"]
    assert near_misses["mutants"] == near_misses["refused"] >= 8 * 10
    answers = figures["wrong_answers_are_refused"]
    assert answers["mutants"] == answers["refused"] >= 30
    others = figures["equivalent_solutions_are_accepted"]
    assert others["equivalents"] == others["accepted"] >= 20


def test_results_are_told_as_soon_as_they_are_there(clinic):
    broken = next(fault for fault in FAULTS if fault.name == "a schema that does not parse").plant(clinic)
    messages = []
    report = check_environment(broken, on_result=messages.append, stop_at_first=True)
    assert messages == list(report.results)
    assert [result.passed for result in messages] == [False]


def test_claims_that_cannot_be_tried_do_not_hold_and_say_why(clinic):
    report = check_environment(rebuilt(clinic, tools=clinic.tools.replace(source="def broken(:\n")))
    assert len(report.results) == len(CHECKS)
    failed = {result.claim: result for result in report.results if not result.passed}
    assert failed["every_tool_is_described"].findings[0].where == "line 1"
    assert {finding.check for finding in report.findings if finding.blocks} == {"every_tool_is_described"}
    assert failed["near_misses_are_refused"].figures["explained_by"] == "every_tool_is_described"


@pytest.mark.parametrize(
    "fault",
    [
        # Each proves the whole clinic: every fourth is enough for a developer's run.
        pytest.param(
            fault, id=fault.name.replace(" ", "_"), marks=[pytest.mark.at_length] if number % 4 else []
        )
        for number, fault in enumerate(FAULTS)
    ],
)
def test_a_planted_fault_is_found_and_blamed_on_the_right_part(fault, clinic):
    report = check_environment(fault.plant(clinic), stop_at_first=True)
    blocking = [finding for finding in report.findings if finding.blocks]
    assert blocking, "nothing was found"
    assert blocking[0].part == fault.part, blocking[0].message


def test_at_least_thirty_faults_over_all_parts_are_planted():
    assert len(FAULTS) >= 30
    assert {fault.part for fault in FAULTS} == {"schema", "seed_data", "tools", "tasks", "verifiers"}
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_every_near_miss_that_passes_is_shown_as_a_diff(clinic):
    name = "a verifier that looks at the end alone and not at damage"
    broken = next(fault for fault in FAULTS if fault.name == name).plant(clinic)
    finding = next(f for f in check_environment(broken, stop_at_first=True).findings if f.blocks)
    assert finding.where == "move_cardiology_follow_up"
    assert finding.evidence["kind"] == "collateral"
    assert {"table", "key", "before", "after"} <= set(finding.evidence["differs_from_the_right_end"][0])


def test_every_end_that_was_tried_is_in_the_report_with_what_differs_and_what_refused_it(report):
    results = {result.claim: result for result in report.results}
    near = results["near_misses_are_refused"]
    # Thousands of near-misses are tried: those shown are of every kind, and the scores count all of them.
    assert sum(score.tried for score in near.scores) == near.figures["mutants"] >= len(near.trials)
    assert {trial.kind for trial in near.trials} == set(near.figures) - {"mutants", "refused", "not_possible"}
    assert all(trial.right and trial.rows and trial.open for trial in near.trials)
    updated = [row for trial in near.trials for row in trial.rows if row.kind == "updated"]
    assert updated
    assert all(one != other for row in updated for one, other in row.cells.values())
    wrong = results["wrong_answers_are_refused"].trials
    assert all(trial.right and trial.answer is not None and not trial.rows for trial in wrong)
    others = results["equivalent_solutions_are_accepted"].trials
    assert all(trial.right and trial.expected == "accepted" and not trial.open for trial in others)
    assert {trial.kind for trial in others} >= {"later", "looked_twice", "other_order", "other_words"}


def test_a_left_out_call_is_shown_as_the_rows_that_it_would_have_changed(report):
    near = next(result for result in report.results if result.claim == "near_misses_are_refused")
    trial = next(trial for trial in near.trials if trial.description == "the call of waive_fee is left out")
    assert trial.kind == "left_out"
    (row,) = [row for row in trial.rows if row.table == "invoices"]
    assert (row.kind, row.cells["status"]) == ("updated", ("waived", "open"))


def test_each_task_and_each_tool_has_its_score(report, clinic):
    proofs = report.by_task()
    assert list(proofs) == [task.id for task in clinic.tasks.tasks]
    assert all(
        (one.soundness, one.completeness) == (1.0, 1.0) and one.mutants >= 6 for one in proofs.values()
    )
    assert report.contract_score == 1.0
    assert report.strength >= 0.98
    tools = next(result for result in report.results if result.claim == "no_tool_fails").scores
    assert [score.subject for score in tools] == [tool.name for tool in clinic.tools.tools]
    assert all(score.tried == score.right > 10 for score in tools)


def test_what_was_tried_travels_in_the_bundle(report, clinic, tmp_path):
    NativeCodec().write(Bundle(environment=clinic, report=report), tmp_path / "clinic")
    assert open_bundle(tmp_path / "clinic").report == report


@pytest.mark.slow
def test_a_near_miss_that_is_accepted_has_another_outcome_and_lowers_the_score(clinic):
    fault = next(fault for fault in FAULTS if fault.name == "a verifier that ignores a value")
    report = check_environment(fault.plant(clinic))
    let_through = [trial for result in report.results for trial in result.trials if not trial.right]
    assert let_through
    assert all(trial.outcome == "accepted" for trial in let_through)
    task = let_through[0].subject
    assert report.by_task()[task].soundness < 1


def test_calls_of_each_tool_are_counted_by_kind_and_outcome_and_one_of_each_is_shown(report):
    result = next(result for result in report.results if result.claim == "no_tool_fails")
    for name in ("success", "refusal", "failure"):
        counted = sum(getattr(one, name) for score in result.scores for one in score.calls)
        assert counted == result.figures[name]
    assert all(score.tried == score.right for score in result.scores)
    shown = Counter((trial.subject, trial.kind, trial.outcome) for trial in result.trials)
    assert set(shown.values()) == {1}
    assert {trial.kind for trial in result.trials} >= {"valid", "missing", "wrong_type", "hostile_text"}
    assert all(trial.right and trial.description.startswith(f"{trial.subject}(") for trial in result.trials)
    assert any(trial.rows for trial in result.trials)
    assert set(report.by_task()) & {trial.subject for trial in result.trials} == set()


def test_every_call_that_breaks_the_contract_of_a_tool_is_shown(clinic):
    fault = next(fault for fault in FAULTS if fault.name == "a tool that leaks an exception on an unknown id")
    with ProofContext(fault.plant(clinic)) as context:
        result = CHECKS["no_tool_fails"](context)
    broken = [trial for trial in result.trials if not trial.right]
    assert broken
    assert all(trial.outcome == "failed" and trial.open for trial in broken)
    name = broken[0].subject
    score = next(score for score in result.scores if score.subject == name)
    assert sum(one.failure + one.let_through for one in score.calls) == score.tried - score.right > 0
