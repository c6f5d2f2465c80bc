"""An edit makes a revision and tries again exactly what depends on it before it can be approved."""

from __future__ import annotations

import pytest

from studio.jobs import execute_run
from studio.models import AuthorKind, EnvironmentRecord, EnvironmentState, Revision, Run, RunState
from studio.services.environments import edits, quality_gates
from studio.services.environments.checks import start_checks
from studio.services.environments.claim_dependencies import PARTS_OF_CLAIM, claims_about
from studio.services.environments.environments import load_environment
from studio.services.errors import Conflict, Forbidden, Missing, NotReady, Stale
from studio.services.review import reviews
from synthesis.errors import InvalidInput
from synthesis.verification.checks import CHECKS
from tests.studio.conftest import GRADES, SCHEMA, TOOLS


@pytest.fixture
def checked(stored) -> EnvironmentRecord:
    """The small environment with a report of the real claims."""
    assert execute_run(start_checks(revision=stored.current).pk).state == RunState.FINISHED
    return fresh(stored)


def fresh(record: EnvironmentRecord) -> EnvironmentRecord:
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def edit(record: EnvironmentRecord, editor, change, **more) -> Revision:
    return edits.edit(
        record=record,
        revision_number=more.pop("revision_number", record.current.number),
        editor=editor,
        change=change,
        reason=more.pop("reason", "For a test."),
    )


def check(revision: Revision) -> Run:
    run = execute_run(Run.objects.filter(kind="checks").latest("id").pk)
    assert run.state == RunState.FINISHED, run.error
    return run


def test_every_claim_says_what_it_depends_on():
    assert set(PARTS_OF_CLAIM) == set(CHECKS)


def test_a_claim_nobody_described_depends_on_everything():
    assert claims_about({"policy"}, ["a_new_claim"]) == ("a_new_claim",)


def test_a_policy_edit_tries_only_what_reads_the_policy(checked, reviewer):
    revision = edit(checked, reviewer, edits.edit_policy("Be strict."))
    run = check(revision)
    assert set(run.result["tried"]) == {
        "the_world_is_about_its_scenario",
        "rows_obey_the_policy",
        "solutions_use_what_was_revealed",
        "no_shortcut_is_found",
        "what_code_cannot_see_is_asked",
    }
    report = quality_gates.latest_report(revision)
    assert [result.claim for result in report.results.all()] == list(CHECKS)
    assert report.results.filter(reused=False).count() == 5
    assert report.load().environment == revision.fingerprint


def test_an_edit_is_a_revision_with_its_author_and_reason(checked, reviewer):
    revision = edit(checked, reviewer, edits.edit_policy("Be strict."), reason="Too kind.")
    assert (revision.number, revision.author, revision.reason) == (2, reviewer, "Too kind.")
    assert revision.author_kind == AuthorKind.PERSON
    assert load_environment(revision).policy.text == "Be strict."


def test_it_cannot_be_approved_before_its_checks_are_in(checked, reviewer, second_reviewer):
    revision = edit(checked, reviewer, edits.edit_policy("Be strict."))
    assert fresh(checked).state == EnvironmentState.DRAFT
    arguments = {
        "revision_number": 2,
        "reviewer": second_reviewer,
        "decision": "approve",
        "scores": GRADES,
        "comment": "Seen.",
    }
    with pytest.raises(NotReady, match="has not been proved"):
        reviews.submit(record=fresh(checked), **arguments)
    check(revision)
    assert fresh(checked).state == checked.state


def test_a_broken_tool_is_found_by_the_checks_and_named(checked, reviewer):
    broken = TOOLS.replace("UPDATE loans SET returned = 1 WHERE id = ?", "UPDATE loans SET returned = 1")
    broken = broken.replace('db.execute("UPDATE loans SET returned = 1", loan_id)', "_loan(db, loan_id)")
    revision = edit(checked, reviewer, edits.edit_tools(broken))
    run = check(revision)
    assert not run.result["passed"]
    failed = {result.claim for result in quality_gates.latest_report(revision).results.filter(passed=False)}
    assert "reference_solutions_complete_their_tasks" in failed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (edits.edit_tools("def broken("), "line"),
        (edits.edit_tools("import os\n" + TOOLS), "os"),
        (edits.edit_schema("CREAT TABLE x"), "CREAT"),
        (edits.edit_schema(SCHEMA.replace("loans", "lendings")), "loans"),
        (edits.edit_task("return_the_drill", {"instruction": "short"}), "instruction"),
        (
            edits.edit_task("return_the_drill", {"reference_solution": [{"name": "fly", "arguments": {}}]}),
            "'fly', which is not a tool",
        ),
        (edits.edit_verifier("return_the_drill", "x = ("), "line"),
        (edits.edit_rows("members", [{"id": 1, "name": b"x"}]), "members"),
        (edits.edit_scenario(clock="yesterday"), "yesterday"),
        (edits.edit_scenario(colour="red"), "colour"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place_and_changes_nothing(stored, reviewer, change, message):
    with pytest.raises(InvalidInput, match=message):
        edit(stored, reviewer, change)
    assert stored.revisions.count() == 1
    assert not Run.objects.exists()


def test_rows_tasks_and_verifiers_are_edited_one_at_a_time(stored, reviewer):
    edit(stored, reviewer, edits.edit_row("members", 1, {"id": 2, "name": "Bo"}))
    edit(fresh(stored), reviewer, edits.edit_task("count_the_loans", {"difficulty": "medium"}))
    source = (
        'def verify(before, after, changes, answer):\n    """Fine."""\n    yield check("f", changes.only())\n'
    )
    revision = edit(fresh(stored), reviewer, edits.edit_verifier("count_the_loans", source))
    after = load_environment(revision)
    assert after.seed_data.rows["members"][1]["name"] == "Bo"
    assert after.task("count_the_loans").difficulty == "medium"
    assert after.verifier("count_the_loans").source == source
    removed = edit(fresh(stored), reviewer, edits.edit_row("members", 1, None))
    assert removed.rows == 2


def test_what_is_not_there_cannot_be_edited(stored, reviewer):
    for change in (
        edits.edit_row("members", 9, None),
        edits.edit_rows("carpets", []),
        edits.edit_task("fly", {}),
        edits.edit_verifier("fly", "x"),
    ):
        with pytest.raises(Missing):
            edit(stored, reviewer, change)


def test_an_edit_of_an_older_revision_is_refused(stored, reviewer):
    edit(stored, reviewer, edits.edit_policy("Be strict."))
    with pytest.raises(Stale, match="You edited revision 1; revision 2 is current"):
        edit(stored, reviewer, edits.edit_policy("Be fair."), revision_number=1)


def test_an_edit_that_changes_nothing_is_no_revision(stored, reviewer):
    with pytest.raises(Conflict, match="changes nothing"):
        edit(stored, reviewer, edits.edit_policy("Be kind."))


def test_an_edit_needs_a_reason_and_a_reviewer(stored, reviewer, viewer):
    with pytest.raises(InvalidInput, match="Give a reason"):
        edit(stored, reviewer, edits.edit_policy("Be strict."), reason=" ")
    with pytest.raises(Forbidden):
        edit(stored, viewer, edits.edit_policy("Be strict."))
