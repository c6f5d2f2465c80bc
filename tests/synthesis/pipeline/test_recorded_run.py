"""A recorded run is replayed by stage, attempt and pieces; an older prompt is a warning and no failure."""

import json
from datetime import date

import pytest

from synthesis.documents.check_report import CheckReport
from synthesis.documents.conversation import Message
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput, ProviderRefused
from synthesis.llm.provider import Completion, CompletionRequest
from synthesis.llm.scripted import Scripted
from synthesis.pipeline import assembly
from synthesis.pipeline.author import Ask
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.recorded_run import Exchange, RecordedRun, ReplayedRun, RunRecorder
from synthesis.pipeline.stages.registry import STAGES
from tests.scripted_model import drafted


def asked(words="prompt", *, stage="tools", attempt=1, pieces=()):
    messages = (Message(role="user", text=words),)
    return CompletionRequest(messages=messages, stage=stage, attempt=attempt, pieces=pieces)


@pytest.fixture
def recorded(request_for):
    """A run of requests with their replies."""

    def make(*pairs):
        exchanges = tuple(
            Exchange(
                stage=request.stage,
                attempt=request.attempt,
                pieces=request.pieces,
                messages=request.messages,
                completion=Completion(text=reply, usage=Usage(input_tokens=7, cost=0.5), model="a-model"),
            )
            for request, reply in pairs
        )
        return RecordedRun(
            request=request_for(), model="a-model", recorded_on=date(2026, 3, 11), exchanges=exchanges
        )

    return make


def test_a_reply_is_found_by_its_prompt_and_then_by_stage_attempt_and_pieces(recorded):
    run = recorded(
        (asked("one", pieces=("a",)), "first"),
        (asked("two", pieces=("b", "c")), "second"),
        (asked("three", attempt=2), "third"),
    )
    replay = ReplayedRun(run)
    same = replay.complete(asked("two", pieces=("b", "c")))
    assert (same.text, same.note, same.usage.cost) == ("second", "", 0.5)
    older = replay.complete(asked("one, reworded", pieces=("a",)))
    assert older.text == "first"
    assert "Recorded for an older prompt, on 2026-03-11" in older.note
    assert replay.complete(asked("three, reworded", attempt=2)).text == "third"


def test_pieces_that_are_batched_otherwise_today_are_found(recorded):
    run = recorded((asked(pieces=("a", "b")), "first"), (asked(pieces=("c", "d")), "second"))
    assert ReplayedRun(run).complete(asked("now", pieces=("d", "e"))).text == "second"


def test_pieces_that_are_asked_for_at_once_today_are_put_together(recorded):
    first = {"shared": "import re", "tools": [{"name": "a"}]}
    second = {"shared": "MAX = 5", "tools": [{"name": "b"}, {"name": "c"}]}
    run = recorded((asked(pieces=("a",)), json.dumps(first)), (asked(pieces=("b", "c")), json.dumps(second)))
    reply = ReplayedRun(run).complete(asked("now", pieces=("a", "b", "c")))
    assert json.loads(reply.text) == {
        "shared": "import re\n\nMAX = 5",
        "tools": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
    }
    assert reply.usage.cost == 1.0
    assert "older prompt" in reply.note


def test_every_reply_is_given_once_and_the_end_is_told_with_a_remedy(recorded):
    replay = ReplayedRun(recorded((asked("same"), "first"), (asked("same"), "second")))
    assert [replay.complete(asked("same")).text for _ in range(2)] == ["first", "second"]
    with pytest.raises(ProviderRefused, match="no reply for attempt 1 at 'tools'"):
        replay.complete(asked("same"))
    with pytest.raises(ProviderRefused, match="attempt 3"):
        ReplayedRun(recorded((asked("same"), "first"))).complete(asked("other", attempt=3))


def test_an_older_prompt_becomes_a_warning_of_the_attempt(recorded, clinic, request_for):
    reply = '{"text": "One rule is enough when it has at least these ten words."}'
    author = ModelAuthor(ReplayedRun(recorded((asked("older", stage="policy"), reply))), name="recorded")
    written = author.write(Ask(stage=STAGES["policy"], draft=drafted(clinic), request=request_for()))
    (finding,) = written.findings
    assert written.part.text.startswith("One rule")
    assert (finding.severity, finding.check) == ("warning", "the_reply_is_to_this_prompt")
    assert "older prompt" in finding.message


def test_a_recorder_keeps_what_was_asked_and_replied_and_the_file_gives_it_back(tmp_path, request_for):
    recorder = RunRecorder(Scripted(["yes"], model="m"))
    reply = recorder.complete(asked("Well?", stage="tasks", attempt=2, pieces=("t",)))
    (exchange,) = recorder.exchanges
    assert (exchange.stage, exchange.attempt, exchange.pieces) == ("tasks", 2, ("t",))
    assert exchange.completion == reply
    run = RecordedRun(request=request_for(), model="m", recorded_on=date(2026, 3, 11), exchanges=(exchange,))
    run.write(tmp_path / "deep" / "run.json.xz")
    assert RecordedRun.read(tmp_path / "deep" / "run.json.xz") == run


def test_a_file_that_holds_no_run_is_named(tmp_path):
    (tmp_path / "odd.xz").write_bytes(b"{}")
    with pytest.raises(InvalidInput, match=r"odd\.xz"):
        RecordedRun.read(tmp_path / "odd.xz")
    with pytest.raises(InvalidInput, match=r"The recorded run none\.xz cannot be read: No such file"):
        RecordedRun.read(tmp_path / "none.xz")


def test_the_shipped_run_is_replayed_with_its_mistakes_and_its_cost(monkeypatch):
    monkeypatch.setattr(
        assembly,
        "check_environment",
        lambda environment, on_result=None: CheckReport(environment=environment.fingerprint, results=()),
    )
    run = RecordedRun.read()
    author = ModelAuthor(ReplayedRun(run), name="recorded")
    result = synthesize(run.request.replace(author="recorded"), authors={"recorded": author})
    assert result.environment.counts["tasks"] == run.request.targets.tasks == 10
    assert [attempt.passed for attempt in result.attempts if attempt.stage == "tools"] == [False, True]
    assert sum(attempt.usage.cost for attempt in result.attempts) > 0.1
    assert {attempt.model for attempt in result.attempts} == {run.model}
    assert all(attempt.reply and attempt.prompt for attempt in result.attempts)


@pytest.mark.at_length
def test_the_shipped_run_still_ends_in_a_proved_environment():
    """With the proof as it is: a newcomer without a key sees a model's work in it."""
    run = RecordedRun.read()
    author = ModelAuthor(ReplayedRun(run), name="recorded")
    result = synthesize(run.request.replace(author="recorded"), authors={"recorded": author})
    assert result.report.passed
    assert sum(attempt.stage == "verifiers" for attempt in result.attempts) > 1
