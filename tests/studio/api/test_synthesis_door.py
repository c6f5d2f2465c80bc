"""What `synthesize` refuses at the door, whichever way it is asked for."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from studio.models import Run
from studio.services.synthesis import batches, synthesis
from synthesis.errors import InvalidInput


@pytest.fixture
def no_model(settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"openai_api_key": None, "model": "some-model"}
    )


WORDS = "Author 'model' asks a model. A model needs OPENAI_API_KEY"


def test_a_model_that_is_not_configured_is_refused_by_the_command_and_for_batches(db, no_model):
    with pytest.raises(CommandError, match=r"'model' asks a model.*OPENAI_API_KEY.*procedural"):
        call_command("synthesize", "A desk", author="model", no_wait=True)
    with pytest.raises(InvalidInput, match="asks a model"):
        batches.start_batch(seeds=["A desk"], count=1, author="model")
    assert not Run.objects.exists()


def test_a_model_that_is_not_configured_is_refused_by_page_and_api(db, no_model, api, lead, client):
    client.force_login(lead)
    page = client.post("/environments/new/", {"sentence": "A desk", "author": "model", "seed": "0"})
    assert page.status_code == 422
    assert "asks a model. A model needs OPENAI_API_KEY" in page.content.decode()
    answer = api(lead).post("/runs/synthesis", {"sentence": "A desk", "author": "model"})
    assert answer.status_code == 422
    assert WORDS in answer.content.decode()
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 10**23}, "seed must be a whole number from 0 to 9,223,372,036,854,775,807, not 1000"),
        ({"seed": -1}, "seed must be a whole number from 0 to"),
        ({"attempts": 21}, "attempts must be a whole number from 1 to 20, not 21"),
        ({"targets": {"tasks": 0}}, "tasks must be a whole number from 1 to 50, not 0"),
        ({"seed": "soon"}, "seed must be a whole number from 0 to"),
        ({"category": "x" * 81}, "category cannot be xxxx"),
    ],
)
def test_a_number_out_of_range_is_told_with_its_option_and_range(options, message):
    with pytest.raises(InvalidInput) as refused:
        synthesis.new_request(sentence="A desk", **options)
    assert message in str(refused.value)
    assert "pydantic" not in str(refused.value)


def test_the_api_says_the_range_of_a_seed(db, api, lead):
    answer = api(lead).post("/runs/synthesis", {"sentence": "A desk", "seed": 10**23})
    assert answer.status_code == 422
    assert "body.seed: the number does not fit into 64 bits" in answer.json()["message"]
    answer = api(lead).post("/runs/synthesis", {"sentence": "A desk", "seed": -1})
    assert "seed must be a whole number from 0" in answer.content.decode()


@pytest.mark.parametrize("count", [1, 2, 40, 50])
def test_the_tasks_that_a_program_asks_for_are_those_of_the_run(db, api, lead, count):
    answer = api(lead).post("/runs/synthesis", {"sentence": "A library lends books.", "tasks": count})
    assert answer.status_code == 202, answer.content
    assert Run.objects.get(pk=answer.json()["id"]).request["targets"]["tasks"] == count


@pytest.mark.parametrize("wrong", [{"tasks": 0}, {"tasks": 51}, {"tasks": "2"}, {"tasks": True}, {"task": 3}])
def test_what_a_synthesis_cannot_follow_is_refused_by_name(db, api, lead, wrong):
    answer = api(lead).post("/runs/synthesis", {"sentence": "A library lends books.", **wrong})
    assert answer.status_code == 422
    assert f"body.{next(iter(wrong))}" in answer.json()["message"]
    assert not Run.objects.exists()
