"""Flags go back to the authors of the parts at fault; the new attempt is a revision to be reviewed."""

from __future__ import annotations

import pytest

from studio.jobs import execute_run
from studio.models import AttemptRecord, AuthorKind, EnvironmentRecord, EnvironmentState, FlagState, RunState
from studio.services.environments.environments import load_environment
from studio.services.errors import Forbidden, NotReady, Stale
from studio.services.review import flags, reviews
from studio.services.synthesis import authors, corrections
from synthesis.documents.finding import Finding
from synthesis.documents.policy import Policy
from synthesis.errors import UnknownName
from synthesis.pipeline.author import Written

BETTER = "Be kind to every member, but never waive a fee, whatever reason they give."


class Mender:
    """Writes policies: one that does not do, then one that does; or never anything readable."""

    name, corrects = "mender", True

    def __init__(self, *, able: bool = True) -> None:
        self.able, self.asked = able, []

    def writes(self, stage) -> bool:
        return True

    def recipe(self, stage) -> dict:
        return {"model": "mender-1"}

    def write(self, ask) -> Written:
        self.asked.append(ask)
        if not self.able or ask.number == 1:
            wrong = Finding(part="policy", check="reply_is_read", message="This is no policy.")
            return Written(part=None, findings=(wrong,), reply="I cannot.")
        return Written(part=Policy(text=BETTER), reply="Here it is.")


@pytest.fixture
def mender(monkeypatch) -> Mender:
    author = Mender()
    monkeypatch.setitem(authors.AUTHORS, "mender", lambda *_: author)
    return author


@pytest.fixture
def flag(stored, reviewer):
    return flags.raise_flag(record=stored, user=reviewer, reason="policy_wrong", comment="Fees are missing.")


def send_back(record, sender, **more):
    arguments = {"revision_number": 1, "author": "mender"} | more
    return corrections.send_back(record=record, sender=sender, **arguments)


def test_the_author_is_shown_the_flag_and_the_new_attempt_is_a_revision(stored, reviewer, flag, mender):
    run = send_back(stored, reviewer)
    flag.refresh_from_db()
    assert flag.state == FlagState.SENT_BACK
    ended = execute_run(run.pk)
    assert ended.state == RunState.FINISHED, ended.error
    assert mender.asked[0].findings[0].message == "Policy wrong: Fees are missing."
    assert mender.asked[0].draft.policy.text == "Be kind."
    record = EnvironmentRecord.objects.select_related("current").get(pk=stored.pk)
    assert (record.current.number, record.current.author_kind) == (2, AuthorKind.MODEL)
    assert "Fees are missing" in record.current.reason
    corrected = load_environment(record.current)
    assert corrected.policy.text == BETTER
    provenance = corrected.provenance["policy"]
    assert (provenance.author, provenance.model, provenance.attempts) == ("mender", "mender-1", 2)
    assert {ask.stage.name for ask in mender.asked} == {"policy"}
    assert record.state == EnvironmentState.PROVED
    assert [attempt.accepted for attempt in AttemptRecord.objects.filter(run=run)] == [False, True]
    assert ended.result == {"environment": "lending_desk", "revision": 2, "before": 1}


def test_when_it_cannot_be_mended_the_flag_is_open_again(stored, reviewer, flag, mender):
    mender.able = False
    ended = execute_run(send_back(stored, reviewer).pk)
    assert (ended.state, ended.error_type, ended.error_stage) == (
        RunState.FAILED,
        "AttemptsExhausted",
        "policy",
    )
    flag.refresh_from_db()
    assert flag.state == FlagState.OPEN
    assert stored.revisions.count() == 1


def test_nothing_is_sent_back_without_a_flag_by_a_viewer_or_too_late(stored, reviewer, viewer, mender):
    with pytest.raises(NotReady, match="no flag is open and no review asks for changes"):
        send_back(stored, reviewer)
    with pytest.raises(Forbidden):
        send_back(stored, viewer)
    with pytest.raises(Stale):
        send_back(stored, reviewer, revision_number=7)


def test_an_unknown_author_leaves_the_flag_open(stored, reviewer, flag):
    with pytest.raises(UnknownName, match="shakespeare"):
        send_back(stored, reviewer, author="shakespeare")
    flag.refresh_from_db()
    assert flag.state == FlagState.OPEN


def ask_for_changes(record, reviewer, **more):
    values = {"decision": "request_changes", "comment": "Say what a late fee costs."} | more
    return reviews.submit(record=record, revision_number=1, reviewer=reviewer, **values)


def test_the_words_of_a_request_for_changes_reach_the_author_and_the_record(stored, reviewer, mender):
    ask_for_changes(stored, reviewer, unit_decisions={"policy": "request_changes"})
    run = send_back(stored, reviewer)
    assert run.title == "Correction of Lending desk: 1 review"
    ended = execute_run(run.pk)
    assert ended.state == RunState.FINISHED, ended.error
    (finding,) = mender.asked[0].findings
    assert (finding.part, finding.check) == ("policy", "review_request_changes")
    assert "Say what a late fee costs." in finding.message
    current = EnvironmentRecord.objects.select_related("current").get(pk=stored.pk).current
    assert (current.number, "Say what a late fee costs." in current.reason) == (2, True)


@pytest.mark.parametrize(
    ("more", "places"),
    [
        ({"unit_decisions": {"tool:return_item": "reject"}}, [("tools", "return_item")]),
        ({"unit_decisions": {"task:count_the_loans": "reject"}}, [("tasks", "count_the_loans")]),
        ({"scores": {"task_feasibility": 4, "data_alignment": 2}}, [("seed_data", "")]),
        ({}, [("tools", "")]),
    ],
    ids=["a tool", "a task", "the lowest grade", "the whole"],
)
def test_words_go_to_the_part_that_was_not_approved(stored, reviewer, more, places):
    review = ask_for_changes(stored, reviewer, **more)
    assert [(finding.part, finding.where) for finding in corrections.as_findings(review)] == places


def test_words_of_a_colleague_stay_hidden_until_one_decided(stored, reviewer, second_reviewer, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    review = ask_for_changes(stored, reviewer)
    assert corrections.objections(stored, reviewer) == [review]
    assert corrections.objections(stored, second_reviewer) == []
