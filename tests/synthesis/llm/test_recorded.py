"""Record once, replay for ever."""

import threading
import time

import pytest

from synthesis.errors import InvalidInput, ProviderRefused
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import CompletionRequest, Message
from synthesis.llm.recorded import FolderRecordings, MemoryRecordings, Recorded
from synthesis.llm.scripted import Scripted
from tests.openai_server import OpenAIServer

ASK = CompletionRequest(messages=(Message(role="user", text="How many?"),), stage="tasks", attempt=1)


@pytest.fixture(params=["memory", "folder"])
def recordings(request, tmp_path):
    return MemoryRecordings() if request.param == "memory" else FolderRecordings(tmp_path / "recorded")


def test_it_asks_once_and_replays(recordings):
    scripted = Scripted(["seven", "eight"])
    recorded = Recorded(scripted, recordings)
    assert [recorded.complete(ASK).text for _ in range(3)] == ["seven"] * 3
    assert len(scripted.requests) == 1


def test_another_stage_or_attempt_with_the_same_question_is_the_same_question(recordings):
    recorded = Recorded(Scripted(["seven"]), recordings)
    recorded.complete(ASK)
    assert recorded.complete(ASK.replace(stage="", attempt=4)).text == "seven"


@pytest.mark.parametrize(
    "change", [{"seed": 2}, {"temperature": 0.5}, {"messages": (Message(role="user", text="?"),)}]
)
def test_another_question_is_asked_anew(recordings, change):
    recorded = Recorded(Scripted(["seven", "eight"]), recordings)
    recorded.complete(ASK)
    assert recorded.complete(ASK.replace(**change)).text == "eight"


def test_another_scope_or_model_is_asked_anew(recordings):
    Recorded(Scripted(["seven"]), recordings, scope="run-1").complete(ASK)
    assert Recorded(Scripted(["eight"]), recordings, scope="run-2").complete(ASK).text == "eight"
    assert Recorded(Scripted(["nine"], model="other"), recordings, scope="run-1").complete(ASK).text == "nine"


def test_without_a_provider_it_only_replays(recordings):
    Recorded(Scripted(["seven"]), recordings).complete(ASK)
    replaying = Recorded(None, recordings, model="scripted")
    assert replaying.complete(ASK).text == "seven"
    with pytest.raises(ProviderRefused, match="no recording"):
        replaying.complete(ASK.replace(seed=9))


def test_a_failure_is_not_recorded(recordings):
    recorded = Recorded(Scripted([ProviderRefused("no"), "yes"]), recordings)
    with pytest.raises(ProviderRefused):
        recorded.complete(ASK)
    assert recorded.complete(ASK).text == "yes"


def test_two_who_ask_the_same_at_once_are_answered_by_one_call(recordings):
    def slow(request):
        time.sleep(0.1)
        return "seven"

    scripted = Scripted(slow)
    recorded = Recorded(scripted, recordings)
    threads = [threading.Thread(target=recorded.complete, args=(ASK,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(scripted.requests) == 1


def test_a_damaged_recording_is_named(tmp_path):
    recordings = FolderRecordings(tmp_path)
    recorded = Recorded(Scripted(["seven"]), recordings)
    recorded.complete(ASK)
    next(tmp_path.glob("*.json")).write_text("{")
    with pytest.raises(InvalidInput, match="delete it to ask again"):
        recorded.complete(ASK)


def test_the_key_is_in_no_recording(tmp_path):
    key = "sk-very-secret-123456789"
    with OpenAIServer([f"so your key is {key}"], key=key) as server:
        endpoint = OpenAICompatible("m", key, base_url=server.base_url)
        Recorded(endpoint, FolderRecordings(tmp_path)).complete(ASK)
        endpoint.close()
    files = list(tmp_path.iterdir())
    assert len(files) == 1
    assert key not in files[0].name + files[0].read_text()
