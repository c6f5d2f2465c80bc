"""What the runs of one worker share: the way to the endpoint, signs of life, turns, the worker's end."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from pydantic import SecretStr

from studio.models import AttemptRecord, LlmCall, LlmRecording, Run, RunKind, RunState
from studio.services.llm.providers import DatabaseRecordings, provider_for, provider_settings
from studio.services.runs import connections, dispatch, heartbeat, runs, stopping
from studio.services.runs.execution import claim_run, execute
from studio.services.synthesis.authors import authors_for
from studio.services.synthesis.part_store import DatabasePartStore
from studio.services.synthesis.stage_limits import stage_limits
from synthesis.documents.policy import Policy
from synthesis.errors import Cancelled, InvalidInput, UnknownName
from synthesis.llm import endpoints
from synthesis.llm.limited import RateLimits
from synthesis.llm.provider import Completion, CompletionRequest, Message
from synthesis.llm.recorded import Recording
from synthesis.llm.registry import ProviderSettings
from synthesis.pipeline.attempt import Attempt as AttemptDocument
from synthesis.pipeline.request import SynthesisRequest
from tests.openai_server import OpenAIServer, Said

ASK = CompletionRequest(messages=(Message(role="user", text="Hello?"),), stage="schema")


@pytest.fixture(autouse=True)
def fresh():
    """No gate, no share and no wish to stop is left by another test."""
    yield
    stopping.forget()
    endpoints._gates.clear()
    endpoints.close_all()
    endpoints.take_share(own=1, running=1)


@pytest.fixture
def run(db) -> Run:
    return runs.queue_run(kind=RunKind.SYNTHESIS, title="A desk", request={"sentence": "A desk"})


@pytest.fixture
def model(settings):
    """Sets the endpoint of the studio to a server of these replies."""
    servers = []

    def start(*replies):
        server = OpenAIServer(replies)
        server.__enter__()
        servers.append(server)
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={
                "openai_base_url": server.base_url,
                "openai_api_key": SecretStr("sk-secret-123456"),
                "model": "author",
            }
        )
        return server

    yield start
    for server in servers:
        server.__exit__(None, None, None)


def endpoint_of(url: str, **limits) -> ProviderSettings:
    return ProviderSettings(
        model="m",
        api_key=SecretStr("k"),
        base_url=url,
        limits=RateLimits(**limits) if limits else RateLimits(),
    )


def test_all_runs_of_a_process_go_through_one_gate_per_endpoint():
    one = endpoints.gate_for(endpoint_of("http://a/v1"))
    assert endpoints.gate_for(endpoint_of("http://a/v1").replace(model="another")) is one
    assert endpoints.gate_for(endpoint_of("http://b/v1")) is not one


def test_all_runs_of_a_process_share_the_connections_of_an_endpoint(db, model):
    endpoints.close_all()  # those of other tests of this process
    server = model(Said("first"), Said("second"))
    for number in range(2):
        run = runs.queue_run(kind=RunKind.SYNTHESIS, title=f"{number}", request={})
        provider_for(run).complete(ASK)
    assert len(server.seen) == 2
    assert len(endpoints._open) == 1
    assert endpoints.endpoint_of(provider_settings(model="another")).model == "another"
    assert "sk-secret" not in "".join(endpoints._open)


def test_the_limits_are_those_of_the_settings(db, settings, model):
    model("")
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={
            "endpoint_concurrency": 3,
            "endpoint_requests": 70,
            "endpoint_tokens": 9_000,
            "endpoint_seconds": 12.0,
        }
    )
    result = provider_settings()
    expected = RateLimits(concurrency=3, requests_per_minute=70, tokens_per_minute=9_000)
    assert (result.limits, result.timeout) == (expected, 12.0)


def test_each_worker_takes_the_share_of_an_endpoint_that_its_runs_are_of_all(db):
    gate = endpoints.gate_for(endpoint_of("http://a/v1", concurrency=12))
    mine, *others = (
        runs.queue_run(kind=RunKind.SYNTHESIS, title=f"{number}", request={}) for number in range(4)
    )
    lease = claim_run(mine.pk)
    assert lease is not None
    for other in others:
        claim_run(other.pk)
    with lease.beating():
        heartbeat.beat()
        assert gate.share == 0.25
        assert endpoints.gate_for(endpoint_of("http://new/v1")).share == 0.25
        for other in others[:2]:
            Run.objects.filter(pk=other.pk).update(state=RunState.FINISHED)
        heartbeat.beat()
        assert gate.share == 0.5


def test_a_claim_is_decided_by_the_row_itself_and_by_nothing_that_was_read_before(
    run, django_assert_max_num_queries
):
    with django_assert_max_num_queries(4) as result:
        assert claim_run(run.pk) is not None
    (update,) = (query["sql"] for query in result.captured_queries if query["sql"].startswith("UPDATE"))
    assert "SELECT" not in update
    assert claim_run(run.pk) is None


def test_one_sign_of_life_is_for_all_runs_of_the_process_and_for_no_other(db, django_assert_num_queries):
    mine = [runs.queue_run(kind=RunKind.SYNTHESIS, title=f"{n}", request={}) for n in range(3)]
    holds = [claim_run(each.pk) for each in mine]
    Run.objects.update(heartbeat_at=None)
    with holds[0].beating(), holds[1].beating():
        assert sorted(heartbeat.held().values()) == [mine[0].pk, mine[1].pk]
        with django_assert_num_queries(2):
            heartbeat.beat()
    alive = Run.objects.filter(heartbeat_at__isnull=False).order_by("pk")
    assert list(alive) == mine[:2]
    assert heartbeat.held() == {}
    assert not any(thread.name == "heartbeat of runs" for thread in threading.enumerate())


def test_a_worker_that_is_asked_to_stop_hands_back_what_stopped_and_it_counts_as_no_loss(
    run, sent, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(stopping, "_hand_back_the_rest", lambda: None)

    def executor(lease) -> None:
        stopping.ask()
        assert lease.cancelled()
        assert not lease.asked_to_stop()
        raise Cancelled("Stopped before attempt 2.")

    with django_capture_on_commit_callbacks(execute=True):
        ended = execute(run.pk, {RunKind.SYNTHESIS: executor})
    assert (ended.state, ended.claim, ended.claims) == (RunState.QUEUED, "", 0)
    assert ended.events.last().kind == "handed_back"
    assert sent[-1] == run.pk
    stopping.forget()
    again = execute(run.pk, {RunKind.SYNTHESIS: lambda lease: lease.finish({})})
    assert (again.state, again.claims) == (RunState.FINISHED, 1)


def test_a_run_that_somebody_cancelled_is_cancelled_also_while_its_worker_stops(run, monkeypatch):
    monkeypatch.setattr(stopping, "_hand_back_the_rest", lambda: None)

    def executor(lease) -> None:
        runs.request_cancel(run=run)
        stopping.ask()
        raise Cancelled("Stopped.")

    assert execute(run.pk, {RunKind.SYNTHESIS: executor}).state == RunState.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_a_run_that_does_not_stop_in_time_is_taken_from_its_worker(run, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"stop_seconds": 0.0})

    def executor(lease) -> None:
        stopping._hand_back_the_rest()
        lease.finish({})
        pytest.fail("the hold was lost")

    ended = execute(run.pk, {RunKind.SYNTHESIS: executor})
    assert (ended.state, ended.result) == (RunState.QUEUED, None)


def test_no_new_call_is_made_once_the_worker_is_asked_to_stop(run, model, monkeypatch):
    monkeypatch.setattr(stopping, "_hand_back_the_rest", lambda: None)
    server = model("first", "second")
    provider = provider_for(run, stopped=stopping.asked)
    provider.complete(ASK)
    stopping.ask()
    assert provider.complete(ASK).text == "first"
    with pytest.raises(Cancelled, match="before a call for schema"):
        provider.complete(ASK.replace(seed=2))
    assert len(server.seen) == 1


def test_a_lost_database_connection_hands_the_run_on_at_once(run, caplog):
    def executor(lease) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    ended = execute(run.pk, {RunKind.SYNTHESIS: executor})
    assert (ended.state, ended.claims) == (RunState.QUEUED, 1)
    assert "connection to the database was lost" in ended.events.last().text
    for _ in range(4):
        ended = execute(run.pk, {RunKind.SYNTHESIS: executor})
    assert (ended.state, ended.error_type) == (RunState.FAILED, "OperationalError")


def test_a_statement_is_repeated_on_a_new_connection_and_not_a_third_time(transactional_db, caplog):
    episodes = []

    def lost(*, times: int) -> int:
        episodes.append(connection.connection)
        if len(episodes) <= times:
            raise OperationalError("terminating connection due to administrator command")
        return Run.objects.count()

    assert connections.steadily(lambda: lost(times=1)) == 0
    assert len(episodes) == 2
    episodes.clear()
    with pytest.raises(OperationalError):
        connections.steadily(lambda: lost(times=2))
    assert len(episodes) == 2


def test_progress_makes_earlier_losses_count_for_nothing(run):
    Run.objects.filter(pk=run.pk).update(claims=3, losses=2.5)
    lease = claim_run(run.pk)
    assert lease.run.claims == 4
    completion = Completion(text="An answer")
    DatabaseRecordings(lease.run).keep("a" * 64, Recording(model="m", request=ASK, completion=completion))
    run.refresh_from_db()
    assert (run.claims, run.losses) == (1, 0)


def test_an_attempt_that_is_replayed_after_a_loss_is_not_recorded_twice(run):
    def attempt(number: int, reply: str) -> AttemptDocument:
        return AttemptDocument(stage="schema", number=number, author="model", reply=reply)

    lease = claim_run(run.pk)
    lease.keep_attempt(attempt(1, "first \x00"))
    Run.objects.filter(pk=run.pk).update(state=RunState.QUEUED, claim="")
    resumed = claim_run(run.pk)
    for number, reply in ((1, "first \x00"), (2, "second"), (1, "sent back")):
        resumed.keep_attempt(attempt(number, reply))
    assert list(AttemptRecord.objects.values_list("number", "reply")) == [
        (1, "first \u2400"),
        (2, "second"),
        (1, "sent back"),
    ]


def test_findings_are_condensed_by_the_model_that_the_settings_name(run, model, settings):
    model(Said("- [a] one cause"))
    request = SynthesisRequest(sentence="A desk", author="model")
    assert authors_for(request, run)["model"]._summariser is None
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"summary_model": "cheap"})
    author = authors_for(request, run)["model"]
    assert author._summariser.condense("- [a] long words\n" * 500) == "- [a] one cause"
    assert list(LlmCall.objects.values_list("model", "stage")) == [("cheap", "summary")]


def test_stage_limits_are_read_from_the_settings(settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"stage_limits": ["checks=3", "tools = 2"]})
    limits_in_use = stage_limits()
    assert stage_limits() is limits_in_use
    first, second, third = (limits_in_use.at("tools", lambda: True) for _ in range(3))
    with first, second, pytest.raises(Cancelled), third:
        pytest.fail("two are in it already")


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [
        (["checks"], InvalidInput, "WORLDWRIGHT_STAGE_LIMITS: 'checks' is invalid"),
        (["checks=many"], InvalidInput, "checks=2,tools=8"),
        (["proofs=2"], UnknownName, "proofs"),
        (["checks=0"], InvalidInput, "must be at least 1, not 0"),
    ],
)
def test_stage_limits_that_cannot_be_meant_are_named(settings, limits, error, message):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"stage_limits": limits})
    with pytest.raises(error, match=message):
        stage_limits()


def test_answers_are_let_go_when_their_run_is_whole(run):
    lease = claim_run(run.pk)
    other = runs.queue_run(kind=RunKind.SYNTHESIS, title="Another", request={})
    for number, owner in enumerate((lease.run, other)):
        LlmRecording.objects.create(key=f"{number}" * 64, document="{}", run=owner)
    from studio.services.synthesis.synthesis import forget_answers

    forget_answers(lease.run)
    assert list(LlmRecording.objects.values_list("run", flat=True)) == [other.pk]


def test_a_part_that_is_kept_is_progress(run, request):
    from synthesis.documents.environment import Provenance
    from synthesis.pipeline.part_store import StoredPart
    from synthesis.pipeline.recipe import Recipe

    Run.objects.filter(pk=run.pk).update(claims=4)
    lease = claim_run(run.pk)
    recipe = Recipe(stage="policy", author="model", settings={}, asked={}, reads={})
    store = DatabasePartStore(lease)
    store.keep(StoredPart.of(recipe, Policy(text="Be kind."), Provenance(author="model")))
    run.refresh_from_db()
    assert run.claims == 1
    assert store.find(recipe).read() == Policy(text="Be kind.")


def test_waiting_runs_are_announced_again_only_as_far_as_messages_are_missing(run, sent, monkeypatch):
    for number in range(4):
        runs.queue_run(kind=RunKind.SYNTHESIS, title=f"{number}", request={})
    Run.objects.update(created_at=timezone.now() - timedelta(hours=1))
    monkeypatch.setattr(dispatch, "waiting_messages", lambda queue: 3)
    assert len(runs.reap_runs().announced) == 2
    monkeypatch.setattr(dispatch, "waiting_messages", lambda queue: 9)
    assert runs.reap_runs().announced == ()
    assert len(sent) == 2
