"""A model puts requests in other words; what names other things than before is not taken."""

from __future__ import annotations

import json

import pytest

from synthesis.documents.environment import Draft
from synthesis.documents.tasks import Tasks
from synthesis.llm.scripted import Scripted
from synthesis.pipeline.author import Ask
from synthesis.pipeline.authors.procedural import ProceduralAuthor
from synthesis.pipeline.authors.rephrasing import RephrasingAuthor, names_the_same
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stages.registry import STAGES
from synthesis.procedural.business.author import Size, compose
from synthesis.verification.checks import check_environment

SENTENCE = "A boatyard stores yachts over winter and services engines"


@pytest.fixture(scope="module")
def world():
    return compose(SENTENCE, seed=3, size=Size(tasks=4))


def _ask(world) -> Ask:
    draft = Draft()
    for name in ("scenario", "schema", "seed_data", "tools", "policy"):
        draft = draft.with_part(name, getattr(world, name))
    request = SynthesisRequest(sentence=SENTENCE, seed=3, author="procedural", targets={"tasks": 4})
    return Ask(stage=STAGES["tasks"], draft=draft, request=request)


def test_what_keeps_names_numbers_and_days_is_taken_and_the_rest_stays(world) -> None:
    first, second, *others = world.tasks.tasks
    better = f"Would you see to this for me? {first.instruction}"
    worse = f"{second.instruction} And send 17 copies."
    reply = {"requests": [{"id": first.id, "text": better}, {"id": second.id, "text": worse}]}
    provider = Scripted([json.dumps(reply)], model="m")
    written = RephrasingAuthor(ProceduralAuthor(), provider).write(_ask(world))
    assert isinstance(written.part, Tasks)
    texts = [task.instruction for task in written.part.tasks]
    assert texts == [better, second.instruction, *(task.instruction for task in others)]
    assert (written.model, written.calls) == ("m", 1)
    assert first.instruction in json.loads(provider.requests[0].messages[1].text)[0]["text"]


def test_an_unreadable_reply_leaves_the_requests_as_they_were(world) -> None:
    written = RephrasingAuthor(ProceduralAuthor(), Scripted(["No."], model="m")).write(_ask(world))
    assert written.part == world.tasks


def test_rephrased_requests_are_proved(world) -> None:
    reply = [{"id": task.id, "text": f"Something else. {task.instruction}"} for task in world.tasks.tasks]
    author = RephrasingAuthor(ProceduralAuthor(), Scripted([json.dumps({"requests": reply})], model="m"))
    part = author.write(_ask(world)).part
    assert isinstance(part, Tasks)
    assert all(task.instruction.startswith("Something else. ") for task in part.tasks)
    report = check_environment(world.replace(tasks=part))
    assert [finding.message for finding in report.findings if finding.blocks] == []


def test_only_tasks_have_another_recipe() -> None:
    plain = ProceduralAuthor()
    author = RephrasingAuthor(plain, Scripted([], model="m"))
    assert author.recipe(STAGES["tools"]) == plain.recipe(STAGES["tools"])
    assert author.recipe(STAGES["tasks"])["rephrased"][0] == "m"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("For Ada Moor, please close TX-12 by 6 August 2026; it costs 12.50.", True),
        ("For Ada Moor, please close TX-13 by 6 August 2026; it costs 12.50.", False),
        ("For Ada Moor, please close TX-12 by 7 August 2026; it costs 12.50.", False),
        ("For Ada Moor, please close TX-12 by 6 August 2026; it costs 12.60.", False),
        ("For Ida Moor, please close TX-12 by 6 August 2026; it costs 12.50.", False),
    ],
)
def test_names_the_same(other: str, same: bool) -> None:
    text = "Please close TX-12 for Ada Moor by 6 August 2026. The cost is 12.50."
    assert names_the_same(text, other) is same
