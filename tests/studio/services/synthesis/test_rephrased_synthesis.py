"""With the setting, a configured model rephrases requests of the author without one; else it is refused."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr

from studio.jobs import execute_run
from studio.models import RunState
from studio.services.synthesis import synthesis
from synthesis.errors import InvalidInput
from tests.openai_server import OpenAIServer

SENTENCE = "A boatyard stores yachts over winter and services engines"


def _request():
    return synthesis.new_request(sentence=SENTENCE, author="procedural", seed=3, targets={"tasks": 4})


@pytest.mark.slow
def test_requests_are_stored_as_the_model_says_them(db, settings) -> None:
    def reworded(body):
        asked = json.loads(body["messages"][-1]["content"])
        return json.dumps(
            {"requests": [{"id": each["id"], "text": f"Something else. {each['text']}"} for each in asked]}
        )

    with OpenAIServer(reworded) as server:
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={
                "rephrase": True,
                "openai_base_url": server.base_url,
                "openai_api_key": SecretStr("key"),
                "model": "m",
            }
        )
        run = execute_run(synthesis.start_synthesis(request=_request()).pk)
    assert run is not None
    assert (run.state, run.error) == (RunState.FINISHED, "")
    tasks = run.environment.current.parts.get(part="tasks").load().tasks
    assert all(task.instruction.startswith("Something else. ") for task in tasks)
    assert run.environment.current.parts.get(part="verifiers").load().of(tasks[0].id) is not None


def test_without_a_model_the_setting_is_refused_at_the_door(db, settings) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
        update={"rephrase": True, "openai_api_key": None, "openai_base_url": None, "model": None}
    )
    with pytest.raises(InvalidInput, match="WORLDWRIGHT_REPHRASE"):
        synthesis.start_synthesis(request=_request())
