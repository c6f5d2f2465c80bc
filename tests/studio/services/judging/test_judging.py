"""Trajectories are judged again, every judgement is on record, and disagreement is work for people."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from pydantic import SecretStr

from studio.jobs import execute_run
from studio.models import AuthorKind, EnvironmentRecord, Run, RunState, TrajectoryRecord, VerdictRecord
from studio.services.environments.environments import store_environment
from studio.services.errors import Forbidden, Missing
from studio.services.judging import judge_figures, judging
from studio.services.rollouts import rollouts
from studio.services.rollouts.trajectories import load_judged
from studio.services.runs import runs
from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.provider import CompletionRequest
from synthesis.llm.scripted import Scripted
from tests.openai_server import OpenAIServer, Said


@pytest.fixture
def clinic_record(db, clinic) -> EnvironmentRecord:
    revision = store_environment(environment=clinic, author_kind=AuthorKind.HAND, reason="Imported.")
    record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
    tasks = [task.id for task in clinic.tasks.tasks][:3]
    run = rollouts.start_rollouts(record=record, agents=["reference", "no-op"], tasks=tasks)
    ended = execute_run(run.pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


@pytest.fixture
def model(monkeypatch, settings) -> Callable[..., Scripted]:
    """A judge model that says what a function of the request's number says."""
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"openai_api_key": SecretStr("test"), "model": "some-model"}
    )

    def make(label: Callable[[int, CompletionRequest], str]) -> Scripted:
        asked: list[CompletionRequest] = []

        def answer(request: CompletionRequest) -> str:
            asked.append(request)
            text = label(len(asked), request)
            return json.dumps({"label": text, "share": 0.5, "explanation": "Because."})

        scripted = Scripted(answer, model="some-model")
        monkeypatch.setattr(judging, "provider_for", lambda run, **_: scripted)
        return scripted

    return make


def judged(**more) -> Run:
    run = judging.start_judging(**more)
    ended = execute_run(run.pk)
    assert ended is not None
    return ended


def test_code_measures_anew_and_says_the_same_every_time(clinic_record):
    run = judged(strategy="code_only", environment=clinic_record, repeats=3)
    assert run.state == RunState.FINISHED, run.error
    assert (run.done, run.total, run.verdicts.count()) == (18, 18, 18)
    figures = run.result["reliability"]
    assert figures["pairwise_agreement"]["value"] == 1.0
    assert figures["flip_rate"]["value"] == 0.0
    assert figures["fleiss_kappa"]["value"] == 1.0
    assert run.result["disagreements"] == 0
    assert not TrajectoryRecord.objects.filter(disputed=True).exists()


def test_a_run_that_keeps_judgements_has_lost_no_worker_any_more(clinic_record):
    run = judging.start_judging(strategy="code_only", environment=clinic_record)
    Run.objects.filter(pk=run.pk).update(losses=2.0, claims=3)
    ended = execute_run(run.pk)
    assert (ended.losses, ended.claims) == (0.0, 1)


def test_code_does_not_repeat_what_is_stored_but_looks_again(clinic_record):
    wrong = TrajectoryRecord.objects.filter(agent="no-op").first()
    wrong.verdicts.update(label="completed")
    TrajectoryRecord.objects.filter(pk=wrong.pk).update(label="completed")
    run = judged(strategy="code_only", environment=clinic_record, repeats=2)
    assert [each.trajectory.pk for each in judge_figures.disagreements(run)] == [wrong.pk]


def test_rules_know_what_the_reference_solution_changes(clinic_record):
    run = judged(strategy="rules", environment=clinic_record, repeats=2)
    assert run.state == RunState.FINISHED, run.error
    reference = run.verdicts.filter(trajectory__agent="reference")
    assert {(verdict.label, verdict.judge) for verdict in reference} == {("completed", "rules")}
    assert not run.verdicts.filter(trajectory__agent="no-op", label="completed").exists()


def test_a_model_is_asked_anew_every_time_and_every_judgement_is_on_record(clinic_record, model):
    scripted = model(lambda _, __: "completed")
    run = judged(strategy="code_augmented", environment=clinic_record, repeats=4, sample=2)
    assert run.state == RunState.FINISHED, run.error
    assert len(scripted.requests) == 8
    assert len({request.messages[-1].text for request in scripted.requests}) == 8
    verdict = run.verdicts.first()
    assert (verdict.judge, verdict.model, verdict.strategy) == (
        "judge:some-model",
        "some-model",
        "code_augmented",
    )
    assert len(verdict.prompt_fingerprint) == 64
    assert run.result["input_tokens"] == sum(v.input_tokens for v in run.verdicts.all()) > 0
    assert {number for _, number in run.verdicts.values_list("trajectory", "number")} == {1, 2, 3, 4}


def test_repeats_reach_the_endpoint_and_the_ledger_and_are_never_answered_from_a_recording(
    clinic_record, settings
):
    text = Said('{"label": "completed", "share": 1.0, "explanation": "It is done."}')
    with OpenAIServer([text] * 6) as server:
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={
                "openai_api_key": SecretStr("key-123456"),
                "openai_base_url": server.base_url,
                "model": "some-model",
            }
        )
        run = judged(strategy="code_augmented", environment=clinic_record, repeats=3, sample=2)
        assert run.state == RunState.FINISHED, run.error
    calls = run.llm_calls.filter(stage="judge", outcome="answered")
    assert calls.count() == 6
    assert sum(call.input_tokens for call in calls) == run.result["input_tokens"] > 0
    assert run.result["reliability"]["pairwise_agreement"]["value"] == 1.0


def test_a_judge_that_decides_alone_sees_neither_code_nor_earlier_judges(clinic_record, model):
    judged(strategy="rules", environment=clinic_record, repeats=2)
    scripted = model(lambda _, __: "agent_error")
    judged(strategy="model_only", environment=clinic_record, repeats=2)
    assert scripted.requests
    assert not any("checks_by_code" in request.messages[-1].text for request in scripted.requests)


def test_flips_are_figures_beside_the_published_ones(clinic_record, model):
    model(lambda at, _: "completed" if at % 2 else "agent_error")
    run = judged(strategy="model_only", environment=clinic_record, repeats=2, sample=3)
    figures = run.result["reliability"]
    assert figures["pairwise_agreement"]["value"] == 0.0
    assert figures["flip_rate"]["value"] == 1.0
    assert figures["fleiss_kappa"]["value"] == -1.0
    assert run.result["published"] == {"pairwise_agreement": 0.955, "flip_rate": 0.092, "fleiss_kappa": 0.891}
    assert run.result["disagreements"] == 3


def test_disagreement_raises_the_environment_in_the_queue(clinic_record, model):
    before = clinic_record.risk
    model(lambda _, __: "environment_error")
    run = judged(strategy="code_augmented", environment=clinic_record, repeats=2)
    clinic_record.refresh_from_db()
    assert clinic_record.risk == before + 2 * 6
    assert TrajectoryRecord.objects.filter(disputed=True).count() == 6
    opinions = judge_figures.disagreements(run)
    assert {each.measured for each in opinions} >= {"completed"}
    assert all(each.judge_labels == {"environment_error": 2} for each in opinions)


def test_a_persons_word_settles_what_a_judge_said_but_not_what_code_said(clinic_record, model, reviewer):
    model(lambda _, __: "environment_error")
    run = judged(strategy="code_augmented", environment=clinic_record, repeats=2)
    record = TrajectoryRecord.objects.filter(agent="reference").first()
    clinic_record.refresh_from_db()
    before = clinic_record.risk
    judging.label_by_person(
        trajectory_id=record.pk, author=reviewer, label="completed", comment="It is done."
    )
    record.refresh_from_db()
    clinic_record.refresh_from_db()
    assert (record.disputed, clinic_record.risk) == (False, before - 2)
    judging.label_by_person(trajectory_id=record.pk, author=reviewer, label="agent_error")
    record.refresh_from_db()
    assert record.disputed
    assert record.verdicts.filter(author=reviewer).count() == 1
    people = next(each for each in judge_figures.comparisons(run) if each.key == "people")
    assert (people.both, people.same) == (1, 0)
    assert people.table == {("environment_error", "agent_error"): 1}
    judging.withdraw_label(trajectory_id=record.pk, author=reviewer)
    assert next(each for each in judge_figures.comparisons(run) if each.key == "people").share is None


def test_strategies_are_compared_with_each_other(clinic_record, model):
    rules = judged(strategy="rules", environment=clinic_record, repeats=2)
    model(lambda _, __: "completed")
    run = judged(strategy="model_only", environment=clinic_record, repeats=2)
    results = {each.key: each for each in judge_figures.comparisons(run)}
    assert set(results) == {"play", "people", "rules"}
    assert (results["rules"].run, results["rules"].both, results["rules"].same) == (rules.pk, 6, 3)
    assert results["play"].as_json()["confusion"]["completed"]["completed"] == 3


def test_the_bundle_carries_no_repetitions(clinic_record):
    judged(strategy="code_only", environment=clinic_record, repeats=5)
    record = TrajectoryRecord.objects.first()
    assert record.verdicts.count() == 6
    assert len(load_judged(record).verdicts) == 2


def test_a_run_that_was_lost_makes_only_the_judgements_that_are_left(clinic_record, model):
    scripted = model(lambda _, __: "completed")
    first = judged(strategy="model_only", environment=clinic_record, repeats=3, sample=2)
    first.verdicts.filter(number=2).delete()
    remaining = set(first.verdicts.values_list("pk", flat=True))
    asked = len(scripted.requests)
    Run.objects.filter(pk=first.pk).update(state=RunState.QUEUED, result=None)
    again = execute_run(first.pk)
    assert again.state == RunState.FINISHED
    assert remaining < set(again.verdicts.values_list("pk", flat=True))
    assert len(scripted.requests) == asked + 2


def test_a_run_that_is_to_stop_keeps_what_it_has(clinic_record):
    run = judging.start_judging(strategy="rules", environment=clinic_record)
    runs.request_cancel(run=run)
    Run.objects.filter(pk=run.pk).update(state=RunState.QUEUED)
    assert execute_run(run.pk).state == RunState.CANCELLED
    assert not VerdictRecord.objects.filter(run=run).exists()


def test_a_run_that_stops_half_way_raises_the_environment_all_the_same(clinic_record, model):
    def say(at: int, _: CompletionRequest) -> str:
        if at == 3:
            runs.request_cancel(run=run)
        return "environment_error"

    before = clinic_record.risk
    model(say)
    run = judging.start_judging(strategy="model_only", environment=clinic_record, repeats=2)
    assert execute_run(run.pk).state == RunState.CANCELLED
    assert run.verdicts.count() == 3
    clinic_record.refresh_from_db()
    assert clinic_record.risk == before + 2 * 2


def test_the_drawing_is_repeatable_and_leaves_out_what_never_played(clinic_record):
    broken = TrajectoryRecord.objects.first()
    TrajectoryRecord.objects.filter(pk=broken.pk).update(stop_reason="infrastructure_error")
    assert len(judging.draw(None, 100, 0)) == 5
    assert broken.pk not in judging.draw(clinic_record, 100, 0)
    assert judging.draw(None, 2, 7) == judging.draw(None, 2, 7)
    assert len({tuple(judging.draw(None, 2, seed)) for seed in range(20)}) > 1


def test_settings_say_how_many_and_how_often(clinic_record, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"judge_repeats": 4, "judge_sample": 3})
    run = judging.start_judging(strategy="rules")
    assert (run.request["repeats"], len(run.request["trajectories"]), run.total) == (4, 3, 12)


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ({"strategy": "dice"}, UnknownName, "no strategy named 'dice'"),
        ({"strategy": "person"}, UnknownName, "no strategy named 'person'"),
        ({"strategy": "rules", "repeats": 1}, InvalidInput, "at least 2 judgements"),
        ({"strategy": "rules", "sample": 0}, InvalidInput, "0 trajectories"),
        ({"strategy": "rules", "sample": 20_000, "repeats": 2}, InvalidInput, "20,000 trajectories"),
        ({"strategy": "model_only"}, InvalidInput, "OPENAI_API_KEY"),
        ({"strategy": "code_augmented"}, InvalidInput, "choose code_only or rules"),
    ],
)
def test_what_cannot_be_judged_is_refused_at_the_door(trajectory, settings, values, kind, message):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"openai_api_key": None})
    with pytest.raises(kind, match=message):
        judging.start_judging(**values)
    assert not Run.objects.exists()


def test_without_trajectories_there_is_nothing_to_judge(stored):
    with pytest.raises(InvalidInput, match="Run agents"):
        judging.start_judging(strategy="rules")


def test_labels_are_refused_by_name(trajectory, viewer, reviewer):
    with pytest.raises(Forbidden):
        judging.label_by_person(trajectory_id=trajectory.pk, author=viewer, label="completed")
    with pytest.raises(UnknownName, match="no label named 'unscored'"):
        judging.label_by_person(trajectory_id=trajectory.pk, author=reviewer, label="unscored")
    with pytest.raises(Missing):
        judging.label_by_person(trajectory_id=0, author=reviewer, label="completed")
    with pytest.raises(InvalidInput, match="4,000"):
        judging.label_by_person(
            trajectory_id=trajectory.pk, author=reviewer, label="completed", comment="x" * 4_001
        )
    assert not VerdictRecord.objects.filter(author=reviewer).exists()


def test_other_runs_are_no_judgements(stored):
    other = rollouts.start_rollouts(record=stored, agents=["no-op"])
    with pytest.raises(Missing, match="no judging run"):
        judge_figures.find(other.pk)
