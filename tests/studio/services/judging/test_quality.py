"""Grades of a judge model: asked for as a run, kept with their cost, summed up beside people's."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from studio import jobs
from studio.models import EnvironmentRecord, QualityRecord, Review, ReviewDecision, ReviewState, Run, RunState
from studio.services.judging import quality
from studio.services.review import questions
from synthesis.documents.quality import Bug, Grade, QualityGrade
from synthesis.errors import InvalidInput
from tests.openai_server import OpenAIServer
from tests.studio.questions_scene import QUESTIONS, ask

BUG = {"kind": "unhandled_edge_input", "part": "tools", "where": "list_loans", "description": "No limit."}


def reply(score: int = 4, **changes: object) -> str:
    graded = {"score": score, "reason": "It has two tools."}
    names = ("task_feasibility", "data_alignment", "toolset_completeness")
    return json.dumps({**dict.fromkeys(names, graded), "bugs": [BUG], "blocked_tasks": [], **changes})


@pytest.fixture
def endpoint(settings):
    """A server that grades; the studio's settings point at it."""

    def started(*replies: object) -> OpenAIServer:
        server = OpenAIServer(replies)
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={
                "openai_api_key": SecretStr("key-123456"),
                "openai_base_url": server.base_url,
                "model": "grader",
            }
        )
        return server

    return started


def grade_of(record: EnvironmentRecord, *scores: int, bugs: int = 0, blocked: tuple[str, ...] = ()):
    names = ("task_feasibility", "data_alignment", "toolset_completeness")
    assert record.current is not None
    return QualityGrade(
        environment=record.current.fingerprint,
        grades={name: Grade(score=s, reason="So.") for name, s in zip(names, scores, strict=True)},
        bugs=(Bug.model_validate(BUG),) * bugs,
        blocked_tasks=blocked,
        judge="judge:grader",
        model="grader",
        prompt_fingerprint="0" * 64,
    )


def test_the_judge_answers_the_questions_of_the_proof_and_people_see_it(stored, endpoint, reviewer):
    ask(stored)
    said = {"question": QUESTIONS[1].id, "answer": "no", "explanation": "Too vague.", "quotes": ["Be kind."]}
    with endpoint(reply(), json.dumps({"answers": [said]})):
        jobs.execute_run(quality.start_grading(environment=stored).pk)
    grade = QualityRecord.objects.get().load()
    assert [(each.question, each.answer, each.by) for each in grade.answers] == [
        (said["question"], "no", "judge")
    ]
    first, second = questions.asked(record=stored, user=reviewer)
    assert first.judge is None
    assert (second.judge.note, second.judge.quotes, second.answer) == ("Too vague.", ("Be kind.",), "")


def test_a_grade_without_readable_answers_is_a_grade(stored, endpoint):
    ask(stored)
    with endpoint(reply(), "no", "no"):
        ended = jobs.execute_run(quality.start_grading(environment=stored).pk)
    assert ended is not None
    assert ended.result == {"graded": 1, "unreadable": 0}
    assert QualityRecord.objects.get().load().answers == ()


def test_without_a_model_nothing_is_queued_and_the_variable_is_named(stored):
    with pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
        quality.start_grading()


def test_a_run_asks_the_endpoint_and_keeps_the_grade_with_its_reasons(stored, endpoint):
    with endpoint(reply()) as server:
        run = quality.start_grading(environment=stored)
        ended = jobs.execute_run(run.pk)
    assert ended is not None
    assert (ended.state, ended.result) == (RunState.FINISHED, {"graded": 1, "unreadable": 0})
    record = QualityRecord.objects.get()
    assert record.run_id == run.pk
    assert set(record.scores.values()) == {4}
    assert record.bug_kinds == ["unhandled_edge_input"]
    assert record.load().grades["data_alignment"].reason == "It has two tools."
    assert "def return_item" in server.seen[0].body["messages"][1]["content"]
    assert run.llm_calls.get().stage == "quality"


def test_a_run_that_keeps_grades_has_lost_no_worker_any_more(stored, endpoint):
    with endpoint(reply()):
        run = quality.start_grading(environment=stored)
        Run.objects.filter(pk=run.pk).update(losses=2.0, claims=3)
        ended = jobs.execute_run(run.pk)
    assert (ended.losses, ended.claims) == (0.0, 1)


def test_a_reply_that_cannot_be_read_is_told_and_no_grade(stored, endpoint):
    with endpoint("Good.", "Very good."):
        run = quality.start_grading(environment=stored)
        ended = jobs.execute_run(run.pk)
    assert ended is not None
    assert ended.result == {"graded": 0, "unreadable": 1}
    assert not QualityRecord.objects.exists()
    assert ended.events.filter(kind="grade_unreadable").count() == 1


def test_a_sample_is_drawn_alike_for_a_seed_and_bounded(stored, endpoint):
    with endpoint():
        with pytest.raises(InvalidInput, match="1 to 5,000"):
            quality.start_grading(sample=0)
        run = quality.start_grading(sample=7, seed=3)
    assert run.request == {"revisions": [stored.current_id], "seed": 3}


def test_the_summary_counts_the_newest_grade_of_each_environment_and_people_beside(stored, reviewer):
    quality.store_grade(revision=stored.current, grade=grade_of(stored, 1, 1, 1))
    quality.store_grade(
        revision=stored.current, grade=grade_of(stored, 3, 4, 5, bugs=2, blocked=("count_the_loans",))
    )
    Review.objects.create(
        environment=stored,
        revision=stored.current,
        reviewer=reviewer,
        state=ReviewState.SUBMITTED,
        decision=ReviewDecision.APPROVE,
        scores={"task_feasibility": 5, "data_alignment": 2, "toolset_completeness": 3},
    )
    quality_summary = quality.summary()
    assert (quality_summary.environments, quality_summary.bugs, quality_summary.buggy) == (1, 2, 1.0)
    assert (quality_summary.blocked, quality_summary.tasks) == (1, stored.current.tasks)
    assert [(c.judged, c.people, c.grades) for c in quality_summary.criteria] == [
        (3, 5, 1),
        (4, 2, 1),
        (5, 3, 1),
    ]
    assert quality_summary.kinds[0][0] == "unhandled_edge_input"
    details = quality_summary.as_json()
    assert details["published"]["AWM"]["data_alignment"] == 4.04


def test_a_grade_of_another_revision_is_refused(stored):
    strange = grade_of(stored, 3, 3, 3).replace(environment="0" * 64)
    with pytest.raises(InvalidInput, match="another revision"):
        quality.store_grade(revision=stored.current, grade=strange)
