"""Who asked for changes is told when they are there, not of every other edit, and not after it is stale."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from studio.models import AuthorKind, EnvironmentRecord, Flag, Notification
from studio.services.environments import change_lists, edits
from studio.services.environments.check_reports import store_report
from studio.services.environments.environments import add_revision, load_environment
from studio.services.notifications import notifications
from studio.services.review import answers, flags, reviews
from synthesis.documents.environment import Environment
from tests.studio.conftest import GRADES, report_on

DRILL = "return_the_drill"


def fresh(record: EnvironmentRecord) -> EnvironmentRecord:
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def revise(record: EnvironmentRecord, change: edits.Change) -> None:
    """A proved revision with a change by nobody in particular."""
    changed = change(load_environment(fresh(record).current))
    add_revision(
        record=fresh(record),
        environment=changed,
        author_kind=AuthorKind.MODEL,
        reason="Changed.",
        report=report_on(changed),
    )


def returns(user) -> list[str]:
    told = notifications.inbox(user).filter(event__startswith="returned:")
    return [each.address.rpartition("history/")[2] for each in told.order_by("id")]


def verifier(note: str) -> edits.Change:
    def change(environment: Environment) -> Environment:
        every = tuple(
            each.replace(source=f"{each.source}# {note}\n") if each.task_id == DRILL else each
            for each in environment.verifiers.verifiers
        )
        return environment.replace(verifiers=environment.verifiers.replace(verifiers=every))

    return change


def tools(note: str, *, before: str) -> edits.Change:
    def change(environment: Environment) -> Environment:
        source = environment.tools.source.replace(before, f"{before}\n    # {note}")
        return environment.replace(tools=environment.tools.replace(source=source))

    return change


LIST = '    """List all loans."""'
TAKE = "    if _loan(db, loan_id) is None:"
ZOE = [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Zoe"}]


@pytest.mark.parametrize(
    ("raised", "unrelated", "about"),
    [
        (
            {"reason": "task_unclear", "where": DRILL},
            [
                verifier("x"),
                edits.edit_task("count_the_loans", {"difficulty": "hard"}),
                edits.edit_policy("B."),
            ],
            edits.edit_task(DRILL, {"instruction": "Take back the drill of loan 7."}),
        ),
        (
            {"reason": "verifier_wrong", "where": DRILL},
            [edits.edit_task(DRILL, {"difficulty": "hard"})],
            verifier("checked"),
        ),
        (
            {"reason": "tool_bug", "where": "return_item"},
            [tools("x", before=LIST), edits.edit_task(DRILL, {"difficulty": "hard"})],
            tools("mended", before=TAKE),
        ),
        (
            {"reason": "data_wrong", "where": DRILL, "evidence": {"changed_table": "members"}},
            [edits.edit_rows("loans", [{"id": 7, "member_id": 1, "item": "saw"}])],
            edits.edit_rows("members", ZOE),
        ),
        (
            {"reason": "policy_wrong"},
            [edits.edit_rows("members", ZOE)],
            edits.edit_policy("Be strict."),
        ),
    ],
)
def test_who_raised_a_flag_is_told_of_an_edit_at_its_place_alone(
    stored, reviewer, raised: dict, unrelated: list[edits.Change], about: edits.Change
) -> None:
    flags.raise_flag(record=stored, user=reviewer, comment="Odd.", **raised)
    for change in unrelated:
        revise(stored, change)
    assert returns(reviewer) == []
    revise(stored, about)
    number = fresh(stored).current.number
    assert returns(reviewer) == [f"{number}/?since=1"]
    revise(stored, edits.edit_scenario(title="Lending bench"))
    assert returns(reviewer) == [f"{number}/?since=1"]


def note(record: EnvironmentRecord, reviewer, place: str, reason: str) -> Flag:
    given = answers.give(
        record=record,
        reviewer=reviewer,
        task=DRILL,
        answer="wrong",
        note="Which drill?",
        place=answers.NotedPlace(place, "The request", reason, "tasks", DRILL, {"task": DRILL}),
    )
    return given.flag


def test_a_note_about_the_request_is_not_answered_by_another_field_of_the_task(stored, reviewer) -> None:
    note(stored, reviewer, "request", "task_unclear")
    revise(stored, edits.edit_task(DRILL, {"difficulty": "hard", "reference_answer": "Done."}))
    assert returns(reviewer) == []
    revise(stored, edits.edit_task(DRILL, {"instruction": "Take back the drill of loan 7."}))
    assert returns(reviewer) == ["3/?since=1"]


def test_what_a_list_took_is_told_when_it_is_finished_and_not_before(
    stored, reviewer, second_reviewer, lead
) -> None:
    flag = flags.raise_flag(record=stored, user=reviewer, reason="policy_wrong", comment="Fees.")
    changes = change_lists.accept(
        record=stored,
        revision_number=1,
        lead=lead,
        assignee=second_reviewer,
        until=timezone.localdate() + timedelta(days=2),
        flags=[flag],
    )
    change_lists.gather(
        changes=changes, editor=second_reviewer, change=edits.edit_rows("members", ZOE), reason="Z.", seen=0
    )
    revise(stored, edits.edit_policy("Be strict."))
    assert returns(reviewer) == []
    revision = change_lists.finish(changes=changes, editor=second_reviewer)
    assert returns(reviewer) == []
    store_report(revision=revision, report=report_on(load_environment(revision)))
    from studio.services.environments import quality_gates

    quality_gates.answer_flags(fresh(stored))
    quality_gates.settle(fresh(stored))
    assert returns(reviewer) == [f"{revision.number}/?since=1"]


def unread(user) -> int:
    return notifications.inbox(user, unread=True).filter(event__startswith="returned:").count()


def objection(record: EnvironmentRecord, reviewer) -> None:
    reviews.submit(
        record=fresh(record),
        revision_number=fresh(record).current.number,
        reviewer=reviewer,
        decision="request_changes",
        comment="Fees.",
    )


def test_a_return_is_stale_once_the_world_is_revised_again(stored, reviewer) -> None:
    objection(stored, reviewer)
    revise(stored, edits.edit_policy("Be strict."))
    assert unread(reviewer) == 1
    revise(stored, edits.edit_policy("Be stricter."))
    assert returns(reviewer) == ["2/?since=1", "3/?since=1"]
    assert unread(reviewer) == 1
    changed = edits.edit_policy("Half.")(load_environment(fresh(stored).current))
    add_revision(record=fresh(stored), environment=changed, author_kind=AuthorKind.MODEL, reason="Half.")
    assert unread(reviewer) == 0
    assert not Notification.objects.filter(mail_due_at__isnull=False).exists()


def test_a_return_is_stale_once_it_is_decided(stored, reviewer, second_reviewer, settings) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    objection(stored, reviewer)
    objection(stored, second_reviewer)
    revise(stored, edits.edit_policy("Be strict."))
    assert (unread(reviewer), unread(second_reviewer)) == (1, 1)
    approval = {"record": fresh(stored), "revision_number": 2, "decision": "approve", "scores": GRADES}
    reviews.submit(reviewer=reviewer, comment="Fine.", **approval)
    assert (unread(reviewer), unread(second_reviewer)) == (0, 1)
    reviews.submit(reviewer=second_reviewer, comment="Fine.", **approval)
    assert (unread(reviewer), unread(second_reviewer)) == (0, 0)


def test_who_approved_later_is_not_told_of_further_revisions(stored, reviewer, settings) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    objection(stored, reviewer)
    revise(stored, edits.edit_policy("Be strict."))
    reviews.submit(
        record=fresh(stored),
        revision_number=2,
        reviewer=reviewer,
        decision="approve",
        scores=GRADES,
        comment="Fine.",
    )
    revise(stored, edits.edit_policy("Be stricter."))
    assert returns(reviewer) == ["2/?since=1"]


def test_told_or_not_costs_the_same_while_nothing_is_flagged(
    stored, django_assert_max_num_queries: Callable
) -> None:
    from studio.services.environments import returns as service

    with django_assert_max_num_queries(6):
        assert service.answered(fresh(stored)) == {}
