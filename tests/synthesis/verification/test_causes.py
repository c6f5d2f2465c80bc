"""One cause is reported once, by the claim that meets it first, and what follows from it says so."""

import pytest

from benchmarks.planted_faults import FAULTS
from benchmarks.planted_task_faults import TASK_FAULTS
from benchmarks.planted_tool_faults import TOOL_FAULTS
from synthesis.documents.finding import Finding
from synthesis.verification.causes import Causes, joined
from synthesis.verification.checks import check_environment
from synthesis.worlds.definitions import definition_spans


def finding(message, where="add_note", check="no_tool_fails", part="tools", **more):
    return Finding(part=part, check=check, message=message, where=where, **more)


@pytest.mark.parametrize(
    ("name", "claim", "follows"),
    [
        ("a tool that imports os", "every_tool_is_described", ""),
        ("a payment above its bill", "declared_invariants_hold", "reference_solutions_run"),
        (
            "a verifier that only matches strings",
            "right_words_alone_complete_nothing",
            "near_misses_are_refused",
        ),
        pytest.param(
            "a total of the page alone", "lists_agree_with_each_other", "", marks=pytest.mark.at_length
        ),
        pytest.param(
            "a cancel tool that does not save",
            "declared_invariants_hold",
            "reference_solutions_run",
            marks=pytest.mark.at_length,
        ),
    ],
)
def test_a_planted_fault_is_reported_by_one_claim_alone(clinic, name, claim, follows):
    fault = next(one for one in (*FAULTS, *TOOL_FAULTS, *TASK_FAULTS) if one.name == name)
    report = check_environment(fault.plant(clinic))
    blocking = [each for each in report.findings if each.blocks]
    assert {each.check for each in blocking} == {claim}
    assert {each.part for each in blocking} == {fault.part}
    assert len(blocking) <= 2
    failed = {result.claim: result for result in report.results if not result.passed}
    assert not follows or failed[follows].figures["explained_by"] == claim


def test_tools_that_share_a_helper_are_named_together():
    findings = [
        finding(f"{name} says total {n} where 9 can be listed.", name) for n, name in enumerate("abc")
    ]
    reached = {"a": ["a", "_page", "_row"], "b": ["b", "_row", "_page"], "c": ["c", "_page"]}
    (one,) = joined(findings, reached)
    assert one.where == "a"
    assert one.message.endswith("The same is true of b, c. _page, which they share, may be the cause.")
    assert len(joined(findings, {**reached, "c": ["c"]})) == 3


def test_the_helper_in_which_an_error_came_up_is_the_one_that_is_blamed():
    source = "def a():\n    _get()\n    _slot()\ndef _get():\n    pass\ndef _slot():\n    raise E\n"
    text = "fails: OverflowError: date value out of range (line 7)."
    findings = [finding(f"{name} {text}", name) for name in "ab"]
    reached = {"a": ["a", "_get", "_slot"], "b": ["b", "_get", "_slot"]}
    (one,) = joined(findings, reached, definition_spans(source))
    assert one.message.endswith("The same is true of b. _slot, which they share, may be the cause.")


def test_an_exception_at_one_line_is_one_cause_whoever_runs_into_it():
    findings = [finding(f"{name} fails: KeyError: 'x' (line 4).", name) for name in ("a", "b", "b")]
    (one,) = joined(findings, {})
    assert one.message == "a fails: KeyError: 'x' (line 4). The same is true of b."


def test_findings_that_differ_in_numbers_alone_are_one():
    findings = [finding(f"It accepts 1{n}.", "task", part="verifiers") for n in range(3)]
    assert [each.message for each in joined(findings, {})] == ["It accepts 10. (2 more like it.)"]
    other = finding("It fails.", "task", part="verifiers")
    assert joined([findings[0], other], {}) == [findings[0], other]


def test_a_task_that_its_solution_does_not_complete_is_blamed_once(clinic):
    causes = Causes(clinic)
    first = finding("ended with refused", "task_1", "reference_solutions_run", "tasks")
    assert causes.settle([first]) == ([first], "")
    later = finding("gives the same result", "task_1", "verifiers_look_at_the_world", "verifiers")
    other = later.replace(where="task_2")
    assert causes.settle([later, other]) == ([other], "reference_solutions_run")


def test_a_warning_explains_nothing(clinic):
    causes = Causes(clinic)
    warning = finding("is slow", "task_1", "reference_solutions_run", "tasks", severity="warning")
    causes.settle([warning])
    later = finding("gives the same result", "task_1", "verifiers_look_at_the_world", "verifiers")
    assert causes.settle([later]) == ([later], "")
    assert causes.untried("tasks", "it does not build") == ""


def test_a_warning_is_given_once_by_the_claim_that_met_it_first(clinic):
    causes = Causes(clinic)
    first = finding("add_note is slow.", severity="warning")
    assert causes.settle([first]) == ([first], "")
    again, other = first.replace(check="writing_tools_save"), first.replace(where="add_bill")
    assert causes.settle([again, other]) == ([other], "")
    quoting = finding("It fails: KeyError: 'x' (line 4).", severity="warning")
    reworded = finding("Later: KeyError: 'x' (line 4).", check="writing_tools_save", severity="warning")
    assert causes.settle([quoting]) == ([quoting], "")
    assert causes.settle([reworded]) == ([], "")


@pytest.mark.parametrize("message", ["add_note is slow.", "It fails: KeyError: 'x' (line 4)."])
def test_an_error_is_not_hidden_by_a_warning_and_hides_one(clinic, message):
    causes = Causes(clinic)
    warning = finding(message, severity="warning")
    causes.settle([warning])
    error = finding(message, check="writing_tools_save")
    assert causes.settle([error.replace(severity="warning", check="no_tool_fails_later"), error]) == (
        [error],
        "",
    )
    assert causes.settle([warning.replace(check="reading_tools_change_nothing")]) == ([], "")
    assert causes.settle([error.replace(check="reading_tools_change_nothing")]) == ([], "writing_tools_save")
