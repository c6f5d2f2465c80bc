"""The verifier of a task that changes nothing follows from its facts, or from what blocks it."""

import json

import pytest

from synthesis.documents.finding import Finding
from synthesis.llm.scripted import Scripted
from synthesis.pipeline.author import Ask
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.stages.answer_verifier import answer_verifier, follows_from_task
from synthesis.pipeline.stages.registry import STAGES
from tests.scripted_model import ScriptedModel, drafted


def task_of(clinic, kind):
    return next(task for task in clinic.tasks.tasks if task.kind == kind)


@pytest.mark.parametrize("kind", ["write", "mixed", "read", "refuse"])
def test_it_follows_where_the_answer_alone_decides(clinic, kind):
    assert follows_from_task(task_of(clinic, kind)) is (kind in ("read", "refuse"))


def test_it_does_not_follow_where_facts_or_reasons_are_missing_or_only_a_part_is_declined(clinic):
    read, refuse = task_of(clinic, "read"), task_of(clinic, "refuse")
    assert not follows_from_task(read.replace(answer_facts=()))
    assert not follows_from_task(refuse.replace(blocking=()))
    assert not follows_from_task(read.replace(blocking=refuse.blocking))


def test_checks_are_named_apart_and_of_no_great_length(clinic):
    read = task_of(clinic, "read")
    fact = read.answer_facts[0]
    long = fact.replace(name="x" * 120)
    source = answer_verifier(read.replace(answer_facts=(fact, fact, long))).source
    assert [f"'fact {number} is told'" in source for number in (1, 2, 3)] == [True] * 3


def test_they_decide_as_verifiers_must(clinic, request_for):
    stage, draft = STAGES["verifiers"], drafted(clinic)
    following = [task for task in clinic.tasks.tasks if follows_from_task(task)]
    assert len(following) == 3
    others = [one for one in clinic.verifiers.verifiers if one.task_id not in {t.id for t in following}]
    part = clinic.verifiers.replace(verifiers=(*others, *map(answer_verifier, following)))
    assert stage.check(part, draft, request_for()) == ()


def written_by(reply, clinic, request_for, **ask):
    provider = Scripted([json.dumps(reply)])
    stage, draft = STAGES["verifiers"], drafted(clinic)
    written = ModelAuthor(provider).write(Ask(stage=stage, draft=draft, request=request_for(), **ask))
    return written, provider.requests[0]


def test_a_model_is_asked_for_the_others_alone(clinic, request_for):
    replies = ScriptedModel(clinic).replies["verifiers"]
    wanted = STAGES["verifiers"].wanted(drafted(clinic))
    written, request = written_by(replies.only({*wanted}), clinic, request_for)
    assert request.pieces == wanted
    assert len(wanted) == 7
    assert {one.task_id for one in written.part.verifiers} == {task.id for task in clinic.tasks.tasks}
    refuse = task_of(clinic, "refuse")
    assert f'"id":"{refuse.id}"' not in request.messages[1].text.partition("Write one verifier")[2]


def test_one_that_a_model_writes_unasked_is_taken(clinic, request_for):
    replies = ScriptedModel(clinic).replies["verifiers"]
    written, _ = written_by(replies.only({*replies.pieces}), clinic, request_for)
    assert {one.task_id: one for one in written.part.verifiers} == {
        one.task_id: one for one in clinic.verifiers.verifiers
    }


def test_one_that_is_blamed_is_shown_before_it_is_corrected(clinic, request_for):
    refuse = task_of(clinic, "refuse")
    finding = Finding(part="verifiers", check="x", message="Too kind.", where=refuse.id)
    others = tuple(one for one in clinic.verifiers.verifiers if one.task_id != refuse.id)
    own = answer_verifier(refuse)
    draft = drafted(clinic).with_part("verifiers", clinic.verifiers.replace(verifiers=(*others, own)))
    provider = Scripted([json.dumps({"verifiers": []})])
    ask = Ask(stage=STAGES["verifiers"], draft=draft, request=request_for(), findings=(finding,))
    ModelAuthor(provider).write(ask)
    assert provider.requests[0].pieces == (refuse.id,)
    (shown,) = json.loads(provider.requests[0].messages[2].text)["verifiers"]
    assert shown["source"] == own.source


def test_where_no_task_changes_anything_all_are_asked_for(clinic):
    draft = drafted(clinic)
    tasks = tuple(task for task in clinic.tasks.tasks if follows_from_task(task))
    draft = draft.with_part("tasks", clinic.tasks.replace(tasks=tasks))
    assert STAGES["verifiers"].wanted(draft) == tuple(task.id for task in tasks)
