"""A batch is a run with children; it ends with the last of them and loses none."""

from __future__ import annotations

import pytest

from studio.jobs import JOBS, execute_most_urgent, execute_run
from studio.models import Run, RunKind, RunState
from studio.services.runs import runs
from studio.services.runs.batch_summary import summarise
from studio.services.synthesis import batches
from synthesis.errors import AttemptsExhausted, InvalidInput, UnknownName
from synthesis.pipeline.attempt import Attempt

synthesis_job = JOBS[RunKind.SYNTHESIS]


@pytest.fixture(autouse=True)
def quick_synthesis(monkeypatch) -> None:
    """Children that end at once: well, unless their sentence says that they fail."""

    def executor(lease) -> None:
        sentence = lease.run.request["sentence"]
        lease.note("stage_started", stage="schema")
        broken = "broken" in sentence and lease.run.retry_of is None
        lease.keep_attempt(Attempt(stage="schema", number=1, author="model", reply=sentence))
        if broken:
            raise AttemptsExhausted("schema", (), 5)
        lease.note("part_stored", stage="schema")
        lease.finish({"environment": "desk"})

    monkeypatch.setitem(JOBS, RunKind.SYNTHESIS, executor)


def start(*seeds: str, count: int, **more) -> Run:
    batch = batches.start_batch(seeds=seeds, count=count, **more)
    assert execute_run(batch.pk) is not None
    batch.refresh_from_db()
    return batch


def finish(batch: Run) -> Run:
    while execute_most_urgent() is not None:
        pass
    batch.refresh_from_db()
    return batch


def test_every_seed_gets_its_turn_before_the_next_round(db):
    batch = start("a desk", "a shop", count=5)
    requests = [child.request for child in batch.children.order_by("id")]
    assert [(request["sentence"], request["seed"]) for request in requests] == [
        ("a desk", 0),
        ("a shop", 0),
        ("a desk", 1),
        ("a shop", 1),
        ("a desk", 2),
    ]
    assert (batch.state, batch.done, batch.total) == (RunState.RUNNING, 0, 5)


def test_a_sentence_that_cannot_be_read_is_refused_with_the_reason_and_the_others_go_on(db, monkeypatch):
    def reached(*_: object, **__: object) -> None:
        raise InvalidInput("reached the author")

    monkeypatch.setattr("synthesis.pipeline.driver.synthesize", reached)
    monkeypatch.setitem(JOBS, RunKind.SYNTHESIS, synthesis_job)
    batch = finish(start("What does a bakery do?", "A bakery bakes bread", count=2))
    errors = [child.error for child in batch.children.order_by("id")]
    assert errors[0].startswith("This is a question.")
    assert errors[1].startswith("reached the author")


def test_it_ends_with_its_last_child(db):
    batch = finish(start("a desk", count=3))
    assert (batch.state, batch.done) == (RunState.FINISHED, 3)
    assert batch.result == {"finished": 3, "failed": 0, "cancelled": 0}


def test_a_waiting_batch_does_not_count_as_lost(db):
    batch = start("a desk", count=1)
    assert batch.pk not in runs.reap_runs().requeued
    assert batch.state == RunState.RUNNING


def test_failures_are_counted_and_a_retry_takes_the_place_of_what_it_retries(db):
    batch = finish(start("a desk", "a broken desk", count=2))
    assert batch.result == {"finished": 1, "failed": 1, "cancelled": 0}
    summary = summarise(batch)
    (cause,) = summary.causes
    assert (cause.error, cause.stage, cause.count) == ("AttemptsExhausted", "schema", 1)
    assert cause.run == batch.children.get(state=RunState.FAILED).pk
    assert "schema" in cause.example
    runs.retry(run=batch.children.get(state=RunState.FAILED))
    batch.refresh_from_db()
    assert (batch.state, batch.finished_at) == (RunState.RUNNING, None)
    batch = finish(batch)
    assert (batch.state, batch.result["finished"], batch.total) == (RunState.FINISHED, 2, 2)


def test_a_batch_of_failures_has_failed(db):
    batch = finish(start("a broken desk", count=2))
    assert (batch.state, batch.error) == (RunState.FAILED, "None of its runs finished.")


def test_cancelling_it_ends_it_when_nothing_of_it_runs_any_more(db):
    batch = start("a desk", count=3)
    execute_run(batch.children.first().pk)
    runs.request_cancel(run=batch)
    batch.refresh_from_db()
    assert batch.state == RunState.CANCELLED
    assert batch.result == {"finished": 1, "failed": 0, "cancelled": 2}


def test_a_batch_that_never_began_is_cancelled_at_once(db):
    batch = batches.start_batch(seeds=["a desk"], count=2)
    assert runs.request_cancel(run=batch).state == RunState.CANCELLED


def test_a_paused_batch_begins_nothing_and_goes_on_when_resumed(db):
    batch = start("a desk", count=2)
    runs.pause(run=batch)
    assert execute_most_urgent() is None
    runs.resume(run=batch)
    assert finish(batch).state == RunState.FINISHED


def test_the_most_urgent_run_goes_first(db):
    batch = start("a desk", count=2)
    urgent = runs.queue_run(kind=RunKind.SYNTHESIS, title="now", request={"sentence": "now"}, priority=10)
    assert execute_most_urgent() == urgent
    assert execute_most_urgent().parent == batch


def test_the_summary_counts_stages_attempts_and_first_attempts(db):
    batch = finish(start("a desk", "a broken desk", count=4))
    summary = summarise(batch)
    (schema,) = [stage for stage in summary.stages if stage.stage == "schema"]
    assert (schema.reached, schema.passed, schema.attempts) == (4, 2, 4)
    assert schema.first_attempts == 1.0
    assert schema.published_first_attempts == 0.883
    assert (summary.states["finished"], summary.states["failed"]) == (2, 2)
    assert summary.corrections == 0.0
    assert summary.per_hour is not None


@pytest.mark.slow
def test_the_summary_costs_as_many_queries_for_any_size(db, django_assert_max_num_queries):
    batch = finish(start("a desk", count=12))
    with django_assert_max_num_queries(5):
        summarise(batch)


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ({"seeds": ["a desk"], "count": 0}, InvalidInput, "0 environments"),
        ({"seeds": ["a desk"], "count": 10_001}, InvalidInput, "10,001 environments"),
        ({"seeds": ["a desk"], "count": 3, "first_seed": 2**63 - 2}, InvalidInput, "use the random seeds"),
        ({"seeds": [" ", ""], "count": 1}, InvalidInput, "no seed"),
        ({"seeds": ["a desk"], "count": 1, "author": "shakespeare"}, UnknownName, "shakespeare"),
        ({"seeds": ["x" * 20_000], "count": 1}, InvalidInput, "20,000"),
        (
            {"seeds": ["a desk"], "count": 5, "author": "model", "expand": False},
            InvalidInput,
            "need an expansion",
        ),
    ],
)
def test_what_cannot_be_made_is_refused_at_the_door(db, values, kind, message):
    with pytest.raises(kind, match=message):
        batches.start_batch(**values)
    assert not Run.objects.exists()


def test_duplicates_among_the_seeds_are_left_out(db):
    assert start("a desk", "A  desk", count=2).request["seeds"] == ["a desk"]
