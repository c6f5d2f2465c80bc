"""A batch within its own budget, over real HTTP: it stops, says so, and goes on paying for nothing twice."""

from __future__ import annotations

import json
import random

import pytest
from pydantic import SecretStr

from studio.jobs import execute_run
from studio.models import CandidateDecision, LlmCall, RunEvent, RunState, SimilarityMethod
from studio.services.errors import Conflict
from studio.services.llm.batch_budget import batch_limits
from studio.services.llm.providers import budget_of
from studio.services.llm.spend import budget_pause
from studio.services.runs import runs
from studio.services.runs.batch_summary import summarise
from studio.services.synthesis import batch_reading, batches
from synthesis.errors import BudgetExhausted, InvalidInput
from tests.batch_scene import make_batch
from tests.openai_server import OpenAIServer, Said


def described(name: str) -> str:
    """A text that is like no other name's text."""
    letters = random.Random(name)
    return " ".join("".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(40))


def answer(body):
    """Proposes ten scenarios a round, the second of them like the first; paints nothing."""
    prompt = body["messages"][0]["content"]
    if '"score"' in json.dumps(body["response_format"]):
        reply = {"score": 2 if "Painting" in prompt else 9, "cannot": ["painting"], "can": ["loans"]}
    else:
        names = ["Tool Shop", "Tool Store", "Painting Robot", "Zoo", "Clinic", "School"]
        texts = {name: described(name) for name in names} | {"Tool Store": described("Tool Shop") + " again"}
        reply = {
            "scenarios": [
                {"name": name, "category": "retail", "description": texts[name], "seed": ""} for name in names
            ]
        }
    return Said(json.dumps(reply), prompt_tokens=1_000, completion_tokens=100)


@pytest.fixture
def endpoint(settings):
    with OpenAIServer(answer) as server:
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={
                "openai_base_url": server.base_url,
                "openai_api_key": SecretStr("key-123456"),
                "model": "gpt-5",
            }
        )
        yield server


def start(**more):
    return batches.start_batch(seeds=["A shop"], count=4, author="model", **more)


def test_an_expansion_stops_at_the_budget_and_goes_on_when_it_is_raised(db, endpoint):
    batch = start(budget_tokens=3_000)
    execute_run(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.paused_at is not None) == (RunState.QUEUED, True)
    held = budget_pause(batch, summarise(batch))
    assert held is not None
    assert "The budget of this batch is spent: 3,300 of 3,000 tokens." in held.message
    assert [(limit.span, limit.kind, limit.spent) for limit in held.reached] == [("batch", "tokens", 3_300)]
    calls = LlmCall.objects.count()
    assert calls == len(endpoint.seen) == 3

    batches.set_budget(batch=batch, cost=None, tokens=100_000)
    runs.resume(run=batch)
    execute_run(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.children.count()) == (RunState.RUNNING, 4)
    asked = [seen.body["messages"][0]["content"] for seen in endpoint.seen]
    assert len(asked) == len(set(asked)) == LlmCall.objects.count()


def test_a_rejected_candidate_keeps_its_neighbour_and_a_kept_one_its_run(db, endpoint):
    batch = start()
    execute_run(batch.pk)
    results = {each.name: each for each in batch_reading.candidates_of(batch)}
    duplicate, candidate = results["Tool Store"], results["Tool Shop"]
    assert (duplicate.decision, duplicate.neighbour, duplicate.method) == (
        "duplicate",
        candidate,
        "characters",
    )
    assert (duplicate.round, candidate.resembled >= 1) == (1, True)
    assert results["Painting Robot"].decision == "unsuitable"
    assert results["Painting Robot"].suitability["level"] == "low"
    for name in ("Tool Shop", "Zoo", "Clinic", "School"):
        assert results[name].run.request["sentence"] == results[name].description
    assert duplicate.run is None


def test_an_expansion_that_stalls_is_told_on_its_page(db, endpoint):
    batch = batches.start_batch(seeds=["A shop"], count=9, author="model")
    execute_run(batch.pk)
    message = batch_reading.stall_of(batch.events.order_by("-id"))
    assert "no new scenarios were proposed" in message
    assert batch.children.count() < 9


def test_the_budget_of_a_batch_counts_what_all_its_runs_spent(db):
    batch = make_batch()
    batch.request["budget"] = {"cost": 1.0}
    batch.save()
    waiting = batch.children.filter(state="queued").first()
    with pytest.raises(BudgetExhausted, match=r"budget of this batch is spent: \$1\.\d\d of \$1\.00"):
        budget_of(waiting).require()
    batch.request["budget"] = {"cost": 100.0, "tokens": 1_000_000}
    batch.save()
    budget_of(batch.children.get(pk=waiting.pk)).require()


def test_a_budget_that_lets_nothing_begin_is_refused(db, endpoint):
    for wrong in ({"budget_cost": 0.0}, {"budget_tokens": 0}, {"budget_cost": float("nan")}):
        with pytest.raises(InvalidInput, match="too small to start anything"):
            start(**wrong)


def test_the_budget_of_a_batch_that_is_over_stays(db):
    with pytest.raises(Conflict, match="already over"):
        batches.set_budget(batch=make_batch(over=True), cost=None, tokens=5)


def test_going_on_tells_workers_again_of_all_that_waits(db, sent, django_capture_on_commit_callbacks):
    batch = make_batch()
    waiting = set(batch.children.filter(state="queued").values_list("pk", flat=True))
    with django_capture_on_commit_callbacks(execute=True):
        runs.go_on(run=batch)
    assert set(sent) == waiting
    with pytest.raises(Conflict, match="already over"):
        runs.go_on(run=make_batch(over=True))


def test_resuming_lets_go_of_every_run_that_is_held_back(db, sent, django_capture_on_commit_callbacks):
    batch = make_batch(held=True)
    with django_capture_on_commit_callbacks(execute=True):
        runs.go_on(run=batch)
    assert set(sent) == set(batch.children.filter(state="queued").values_list("pk", flat=True))
    assert not batch.children.filter(paused_at__isnull=False).exists()
    assert RunEvent.objects.filter(run=batch, kind="resumed").exists()


def test_what_a_retried_run_spent_is_not_forgotten(db, sent):
    batch = make_batch()
    before = summarise(batch)
    runs.retry_failed(batch=batch)
    after = summarise(batch)
    assert after.cost == before.cost
    assert (after.states["failed"], after.states["queued"]) == (0, before.states["queued"] + 2)
    with pytest.raises(Conflict, match="No run of batch"):
        runs.retry_failed(batch=batch)


def test_an_embedding_model_finds_duplicates_and_its_calls_stand_in_the_ledger(db, endpoint, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"embedding_model": "embedder"})
    batch = start()
    execute_run(batch.pk)
    methods = set(batch.candidates.values_list("method", flat=True))
    assert methods - {""} == {SimilarityMethod.EMBEDDING}
    twin = batch.candidates.get(name="Tool Store")
    assert twin.decision == CandidateDecision.DUPLICATE
    asked = LlmCall.objects.filter(run=batch, stage="embedding")
    assert asked.count() > 0
    assert set(asked.values_list("model", "outcome")) == {("embedder", "answered")}


def test_the_limits_of_an_expansion_are_settings(db, endpoint, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"least_suitability": 10})
    batch = start()
    execute_run(batch.pk)
    assert not batch.candidates.filter(decision=CandidateDecision.ACCEPTED).exists()


@pytest.mark.parametrize(
    "given", [{"cost": 0.01}, {"cost": 5.0}, {"tokens": 1}, {"cost": 2.0, "tokens": 9}, {}]
)
def test_limits_are_kept_as_they_are_given(given):
    assert batch_limits(**given) == given


@pytest.mark.parametrize("given", [{"cost": 0.0}, {"cost": 0.009}, {"cost": float("nan")}, {"tokens": 0}])
def test_a_limit_that_allows_nothing_is_refused(given):
    with pytest.raises(InvalidInput, match="too small to start anything"):
        batch_limits(**given)
