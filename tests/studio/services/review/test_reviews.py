"""Verdicts hold for exactly what was seen, by people who did not write it, once."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from studio.models import (
    AuthorKind,
    EnvironmentRecord,
    EnvironmentState,
    Flag,
    FlagReason,
    FlagSeverity,
    Review,
    ReviewDecision,
    ReviewState,
)
from studio.services.environments import quality_gates
from studio.services.environments.environments import add_revision, store_environment
from studio.services.errors import Conflict, Forbidden, NotReady, Stale
from studio.services.review import queue, reviews
from synthesis.errors import InvalidInput
from tests.studio.conftest import GRADES, TOOLS, report_on, small_environment


def approve(record: EnvironmentRecord, reviewer: User, **more) -> Review:
    fresh = EnvironmentRecord.objects.select_related("current").get(pk=record.pk)
    number = more.pop("revision_number", fresh.current.number)
    return reviews.submit(
        record=fresh,
        revision_number=number,
        reviewer=reviewer,
        decision=more.pop("decision", ReviewDecision.APPROVE),
        **{"scores": GRADES, "comment": "Seen.", **more},
    )


def edit(record: EnvironmentRecord, author: User | None = None, **changes):
    changed = small_environment(**changes)
    fresh = EnvironmentRecord.objects.select_related("current").get(pk=record.pk)
    return add_revision(
        record=fresh,
        environment=changed,
        author_kind=AuthorKind.PERSON,
        author=author,
        reason="Edited.",
        report=report_on(changed),
    )


def state_of(record: EnvironmentRecord) -> str:
    return EnvironmentRecord.objects.get(pk=record.pk).state


def test_an_approval_moves_a_proved_environment_to_approved(stored, reviewer):
    review = approve(stored, reviewer, comment="Good.")
    assert review.state == ReviewState.SUBMITTED
    assert review.units == stored.current.units
    assert state_of(stored) == EnvironmentState.APPROVED


def test_a_viewer_cannot_review(stored, viewer):
    with pytest.raises(Forbidden, match="role Reviewer"):
        approve(stored, viewer)


def test_the_same_approval_sent_twice_is_one_review(stored, reviewer):
    assert approve(stored, reviewer) == approve(stored, reviewer)
    assert Review.objects.count() == 1


def test_another_decision_after_the_first_needs_the_first_taken_back(stored, reviewer):
    approve(stored, reviewer)
    with pytest.raises(Conflict, match="You have already decided: approve"):
        approve(stored, reviewer, decision=ReviewDecision.REJECT)


def test_a_verdict_on_an_older_revision_is_refused(stored, reviewer):
    edit(stored, policy="Be strict.")
    with pytest.raises(Stale, match="review of revision 1; revision 2 is current") as refusal:
        approve(stored, reviewer, revision_number=1)
    assert refusal.value.current == 2
    assert not Review.objects.exists()


def test_the_author_of_a_revision_cannot_approve_it(stored, reviewer, second_reviewer):
    edit(stored, author=reviewer, policy="Be strict.")
    with pytest.raises(Forbidden, match="You edited this revision"):
        approve(stored, reviewer)
    assert reviews.may_review(user=reviewer, record=_fresh(stored))
    assert reviews.may_review(user=second_reviewer, record=_fresh(stored)) == ""
    approve(stored, second_reviewer)
    assert state_of(stored) == EnvironmentState.APPROVED


def test_an_edit_by_another_person_does_not_wash_away_the_authorship(stored, reviewer, second_reviewer):
    edit(stored, author=reviewer, policy="Be strict.")
    edit(stored, author=second_reviewer, policy="Be strict.", instruction="Take the drill back from Ada.")
    with pytest.raises(Forbidden):
        approve(stored, reviewer)


def test_who_wrote_what_others_went_on_from_approves_it_after_somebody_else(
    stored, reviewer, second_reviewer, lead
):
    edit(stored, author=reviewer, policy="Be strict.")
    edit(stored, author=second_reviewer, policy="Be strict. Smile.")
    for author in (reviewer, second_reviewer):
        with pytest.raises(Forbidden, match="You edited this revision"):
            approve(stored, author)
    approve(stored, lead)
    edit(stored, author=second_reviewer, policy="Be strict. Smile. Always.")
    assert reviews.may_review(user=reviewer, record=_fresh(stored)) == ""
    assert reviews.may_review(user=second_reviewer, record=_fresh(stored))


def test_an_edit_makes_stale_only_the_approval_of_what_it_touches(stored, reviewer, lead):
    review = approve(stored, reviewer)
    edit(stored, author=lead, tools=TOOLS.replace("returned = 1", "returned = 2"))
    review.refresh_from_db()
    assert reviews.stale_units(review) == ["tool:return_item"]
    assert state_of(stored) == EnvironmentState.PROVED
    assert quality_gates.blocker(_fresh(stored)) == "Changed since it was reviewed: tool “Return item”."
    covered = {unit for unit, people in quality_gates.coverage(_fresh(stored)).items() if people}
    assert covered == set(review.units) - {"tool:return_item"}


def test_approving_the_new_revision_closes_the_gap(stored, reviewer, second_reviewer, lead):
    approve(stored, reviewer)
    edit(stored, author=lead, policy="Be strict.")
    approve(stored, second_reviewer)
    assert state_of(stored) == EnvironmentState.APPROVED


def test_a_failed_check_stands_in_the_way_of_approval(db, reviewer):
    environment = small_environment()
    revision = store_environment(
        environment=environment,
        author_kind=AuthorKind.MODEL,
        reason="Synthesised.",
        report=report_on(environment, failing="every_reference_solution_completes_its_task"),
    )
    with pytest.raises(NotReady, match="A check fails"):
        approve(revision.environment, reviewer)
    assert state_of(revision.environment) == EnvironmentState.EXECUTABLE


def test_a_blocking_flag_stands_in_the_way_of_approval_and_changes_may_be_requested(stored, reviewer):
    flag = reviews.NewFlag(reason=FlagReason.TOOL_BUG, where="return_item", comment="It forgets to save.")
    with pytest.raises(NotReady, match=r"1 open flag blocks approval: a tool does not work right \("):
        approve(stored, reviewer, new_flags=[flag])
    assert not Flag.objects.exists(), "a refused verdict leaves no flag behind"
    review = approve(stored, reviewer, decision=ReviewDecision.REQUEST_CHANGES, new_flags=[flag])
    assert [raised.part for raised in review.flags.all()] == ["tools"]
    assert state_of(stored) == EnvironmentState.REVIEWED


def test_a_minor_flag_does_not_block(stored, reviewer):
    flag = reviews.NewFlag(reason=FlagReason.OTHER, severity=FlagSeverity.MINOR, comment="A typo.")
    approve(stored, reviewer, new_flags=[flag])
    assert state_of(stored) == EnvironmentState.APPROVED


def test_a_rejection_keeps_the_environment_from_being_approved(stored, reviewer, second_reviewer):
    approve(stored, reviewer, decision=ReviewDecision.REJECT)
    approve(stored, second_reviewer)
    assert state_of(stored) == EnvironmentState.REVIEWED
    assert quality_gates.blocker(_fresh(stored)) == "A reviewer decided: reject."


def test_a_lead_settles_a_conflict_with_a_reason(stored, reviewer, second_reviewer, lead):
    approve(stored, reviewer, decision=ReviewDecision.REJECT)
    approve(stored, second_reviewer)
    assert reviews.is_disputed(stored.current)
    arguments = {"record": stored, "revision_number": 1, "lead": lead, "decision": ReviewDecision.APPROVE}
    with pytest.raises(InvalidInput, match="Give a reason"):
        reviews.adjudicate(**arguments, comment=" ")
    reviews.adjudicate(**arguments, comment="The rejection was about another environment.")
    assert not reviews.is_disputed(stored.current)
    assert state_of(stored) == EnvironmentState.APPROVED


def test_only_a_lead_settles_and_only_what_is_disputed(stored, reviewer, lead):
    approve(stored, reviewer)
    arguments = {"record": stored, "revision_number": 1, "decision": ReviewDecision.REJECT, "comment": "No."}
    with pytest.raises(Forbidden, match="role Lead"):
        reviews.adjudicate(**arguments, lead=reviewer)
    with pytest.raises(NotReady, match="agree, so there is no conflict"):
        reviews.adjudicate(**arguments, lead=lead)


def test_taking_a_review_back_makes_it_a_draft_again(stored, reviewer, second_reviewer):
    review = approve(stored, reviewer, comment="Good.")
    with pytest.raises(Forbidden, match="Only the reviewer"):
        reviews.withdraw(review=review, user=second_reviewer)
    reviews.withdraw(review=review, user=reviewer)
    assert (review.state, review.comment) == (ReviewState.DRAFT, "Good.")
    assert state_of(stored) == EnvironmentState.PROVED
    with pytest.raises(Conflict, match="no longer in force"):
        reviews.withdraw(review=review, user=reviewer)
    approve(stored, reviewer)
    assert Review.objects.count() == 1


def test_a_draft_is_kept_and_counts_for_nothing(stored, reviewer):
    reviews.save_draft(record=stored, reviewer=reviewer, comment="So far")
    draft = reviews.save_draft(record=stored, reviewer=reviewer, decision="approve", comment="So far so good")
    assert reviews.draft_of(record=stored, reviewer=reviewer) == draft
    assert Review.objects.count() == 1
    assert state_of(stored) == EnvironmentState.PROVED
    assert approve(stored, reviewer).pk == draft.pk


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"decision": "maybe"}, "'maybe' is not a decision"),
        ({"scores": {"beauty": 3}}, "'beauty' is not a criterion"),
        ({"scores": {"task_feasibility": 9}}, "scored from 1 to 5, not 9"),
        ({"unit_decisions": {"tool:nothing": "approve"}}, "'tool:nothing' is not a part"),
        ({"comment": "x" * 10_001}, "10,001 characters"),
    ],
)
def test_values_that_cannot_be_used_are_named(stored, reviewer, values, message):
    with pytest.raises(InvalidInput, match=message):
        approve(stored, reviewer, **values)


def test_where_two_are_asked_one_approval_is_not_enough(stored, reviewer, second_reviewer, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    approve(stored, reviewer)
    assert state_of(stored) == EnvironmentState.PROVED
    approve(stored, second_reviewer)
    assert state_of(stored) == EnvironmentState.APPROVED


def test_where_two_are_asked_nobody_sees_the_other_review_before_deciding(
    stored, reviewer, second_reviewer, viewer, lead, settings
):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    review = approve(stored, reviewer)
    seen = lambda user: list(reviews.visible_reviews(record=_fresh(stored), user=user))  # noqa: E731
    assert seen(second_reviewer) == []
    assert seen(reviewer) == seen(lead) == seen(viewer) == [review]
    approve(stored, second_reviewer)
    assert len(seen(second_reviewer)) == 2


def test_a_unit_that_is_not_approved_is_named_as_what_blocks(stored, reviewer):
    approve(stored, reviewer, unit_decisions={"task:count_the_loans": ReviewDecision.REQUEST_CHANGES})
    assert state_of(stored) == EnvironmentState.REVIEWED
    assert "task “Count the loans”" in quality_gates.blocker(_fresh(stored))


def test_who_is_second_at_a_held_item_cannot_submit(stored, reviewer, second_reviewer):
    queue.claim(record=stored, reviewer=reviewer)
    with pytest.raises(Conflict, match="is held by Rosa until"):
        approve(stored, second_reviewer)
    approve(stored, reviewer)
    approve(stored, second_reviewer)


def test_bundles_carry_no_account_names(stored, reviewer):
    approve(stored, reviewer, comment="Good.")
    (document,) = reviews.documents(stored.current)
    assert document.reviewer == "reviewer 1"
    assert document.covers["schema"] == stored.current.parts.get(part="schema").fingerprint
    assert "rosa" not in document.model_dump_json()


def _fresh(record: EnvironmentRecord) -> EnvironmentRecord:
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


@pytest.mark.parametrize(
    ("decision", "units"),
    [("approve", {}), ("request_changes", {"schema": "approve"})],
    ids=["the whole", "a part"],
)
def test_nothing_is_approved_without_every_grade(stored, reviewer, decision, units):
    some = {"data_alignment": 5}
    with pytest.raises(InvalidInput, match=r"missing: task_feasibility \(.*toolset_completeness"):
        approve(stored, reviewer, decision=decision, unit_decisions=units, scores=some)
    assert not Review.objects.submitted().exists()
    approve(stored, reviewer, decision=decision, unit_decisions=units)


def test_what_is_not_approved_needs_words_but_no_grades(stored, reviewer):
    with pytest.raises(InvalidInput, match="what must change"):
        approve(stored, reviewer, decision="request_changes", scores={}, comment=" ")
    with pytest.raises(InvalidInput, match="what must change"):
        approve(stored, reviewer, unit_decisions={"schema": "reject"}, comment="")
    assert approve(stored, reviewer, decision="request_changes", scores={}, comment="Kinder.").pk
