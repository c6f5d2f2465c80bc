"""Flags go back to the authors of the parts at fault; the new attempt is a revision to be reviewed."""

from __future__ import annotations

import pytest

from studio.models import Attempt, AuthorKind, EnvironmentRecord, EnvironmentState, FlagState, RunState
from studio.services import authors, corrections, flags
from studio.services.environments import load_environment
from studio.services.executors import execute_run
from studio.services.refusals import Forbidden, NotReady, Stale
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
        return {}

    def write(self, ask) -> Written:
        self.asked.append(ask)
        if not self.able or ask.number == 1:
            wrong = Finding(part="policy", check="reply_is_read", message="This is no policy.")
            return Written(part=None, findings=(wrong,), reply="I cannot.")
        return Written(part=Policy(text=BETTER), reply="Here it is.")


@pytest.fixture
def mender(monkeypatch) -> Mender:
    author = Mender()
    monkeypatch.setitem(authors.AUTHORS, "mender", lambda run: author)
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
    assert load_environment(record.current).policy.text == BETTER
    assert record.state == EnvironmentState.PROVED
    assert [attempt.accepted for attempt in Attempt.objects.filter(run=run)] == [False, True]
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
    with pytest.raises(NotReady, match="no flag is open"):
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
