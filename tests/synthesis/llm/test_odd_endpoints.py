"""Endpoints as they are: without tools or system role, streaming only, with errors of other forms."""

import json
import os
from contextlib import closing

import pytest

from synthesis.errors import PromptTooLong, ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm.feature_memory import FeatureMemory
from synthesis.llm.features import Features
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import CompletionRequest, Message, RequestedCall, ToolOffer
from synthesis.llm.registry import ProviderSettings, open_endpoint
from tests.openai_server import OpenAIServer, Raw, Refused, Said

ASK = CompletionRequest(
    messages=(Message(role="system", text="Be brief."), Message(role="user", text="Hello?"))
)
TOOL = ToolOffer(name="find", description="Find people.", parameters={"type": "object"})


@pytest.fixture
def talk():
    opened = []

    def start(answer, **settings):
        server = OpenAIServer(answer if callable(answer) else [answer])
        server.__enter__()
        provider = OpenAICompatible("m", "key-123456", base_url=server.base_url, timeout=5.0, **settings)
        opened.append((server, provider))
        return server, provider

    yield start
    for server, provider in opened:
        provider.close()
        server.__exit__(None, None, None)


def test_without_tools_calls_are_asked_for_in_words_and_read_from_them(talk):
    def answer(body):
        if "tools" in body:
            return Refused(400, "m does not support tools")
        return 'I look.\n<tool_call>\n{"name": "find", "arguments": {"name": "Ann"}}\n</tool_call>'

    server, provider = talk(answer)
    call = RequestedCall(id="c0", name="find", arguments="{}")
    request = ASK.replace(
        messages=(
            *ASK.messages,
            Message(role="assistant", tool_calls=(call,)),
            Message(role="tool", text="[]", tool_call_id="c0"),
        ),
        tools=(TOOL,),
    )
    for _ in range(2):
        reply = provider.complete(request)
        assert (reply.text, reply.finish_reason) == ("I look.", "tool_calls")
        assert [(each.name, json.loads(each.arguments)) for each in reply.tool_calls] == [
            ("find", {"name": "Ann"})
        ]
    assert len(server.seen) == 3
    messages = server.seen[-1].body["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert '"name":"find"' in messages[0]["content"]
    assert messages[3]["content"] == "<tool_response>\n[]\n</tool_response>"


def test_a_call_in_words_that_cannot_be_read_keeps_what_was_written(talk):
    _, provider = talk(
        lambda body: (
            Refused(400, "tools are not supported") if "tools" in body else "<tool_call>{find Ann</tool_call>"
        )
    )
    call = provider.complete(ASK.replace(tools=(TOOL,))).tool_calls[0]
    assert call.arguments == "{find Ann"


def test_without_a_system_role_its_text_begins_the_first_message(talk):
    def answer(body):
        roles = [message["role"] for message in body["messages"]]
        return Refused(400, "System role not supported") if "system" in roles else "ok"

    server, provider = talk(answer)
    assert [provider.complete(ASK).text for _ in range(2)] == ["ok", "ok"]
    assert server.seen[-1].body["messages"] == [{"role": "user", "content": "Be brief.\n\nHello?"}]
    assert len(server.seen) == 3


def test_a_temperature_that_is_not_taken_is_left_out(talk):
    server, provider = talk(
        lambda body: Refused(400, "Unsupported value: 'temperature'") if "temperature" in body else "ok"
    )
    assert provider.complete(ASK.replace(temperature=0.2, seed=3)).text == "ok"
    assert server.seen[-1].body["seed"] == 3


def events(*deltas, usage=None):
    chunks = [{"choices": [{"index": 0, "delta": delta}], "model": "m"} for delta in deltas]
    chunks[-1]["choices"][0]["finish_reason"] = "tool_calls"
    last = {"choices": [], "usage": usage}
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in (*chunks, last)]
    return Raw("".join([*lines, "data: [DONE]\n\n"]).encode(), content_type="text/event-stream")


def test_an_endpoint_that_only_streams_is_read_whole(talk):
    def answer(body):
        if not body.get("stream"):
            return Refused(400, "This model only supports streaming: stream must be true")
        function = {"name": "find", "arguments": '{"name"'}
        return events(
            {"reasoning_content": "Hm, "},
            {"reasoning_content": "Ann."},
            {"content": "I "},
            {"content": "look."},
            {"tool_calls": [{"index": 0, "id": "c1", "function": function}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": ': "Ann"}'}}]},
            usage={"prompt_tokens": 5, "completion_tokens": 9},
        )

    server, provider = talk(answer)
    reply = provider.complete(ASK.replace(tools=(TOOL,)))
    assert (reply.text, reply.reasoning.text, reply.usage.output_tokens) == ("I look.", "Hm, Ann.", 9)
    assert reply.tool_calls[0].arguments == '{"name": "Ann"}'
    provider.complete(ASK)
    assert [bool(seen.body.get("stream")) for seen in server.seen] == [False, True, True]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, your messages have 9000."),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (413, "Request too large"),
        (400, "the request exceeds the available context size"),
    ],
)
def test_a_prompt_beyond_the_context_is_named_with_what_helps(talk, status, message):
    server, provider = talk(Refused(status, message))
    with pytest.raises(PromptTooLong, match=r"longer than 'm' takes.*WORLDWRIGHT_MODEL"):
        provider.complete(ASK)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("status", "message"), [(402, "Insufficient Balance"), (429, "You exceeded your current quota")]
)
def test_an_account_without_credit_is_not_asked_again(talk, status, message):
    _, provider = talk(Refused(status, message))
    with pytest.raises(ProviderRefused, match="no credit left"):
        provider.complete(ASK)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"detail": "no such model: m"}', "no such model: m"),
        (b'{"error": "model not loaded"}', "model not loaded"),
        (b'{"errors": [{"message": "bad model"}]}', "bad model"),
        (
            b"<html><head><style>p {}</style></head><body><h1>502</h1>Bad gateway &amp; more</body></html>",
            "Bad gateway & more",
        ),
        (b"model is gone", "model is gone"),
    ],
)
def test_errors_of_other_forms_are_told_in_their_own_words(talk, body, said, monkeypatch):
    from tests import openai_server

    monkeypatch.setattr(openai_server, "_error", lambda *_: body)
    _, provider = talk(Refused(418))
    with pytest.raises(ProviderRefused, match=said):
        provider.complete(ASK)


def test_no_choice_and_errors_with_status_200_are_worth_another_try_where_that_helps(talk):
    _, provider = talk(Raw(b'{"choices": []}'))
    with pytest.raises(ProviderUnreachable, match="without a choice"):
        provider.complete(ASK)
    _, provider = talk(Raw(b'{"error": {"code": 502, "message": "upstream failed"}}'))
    with pytest.raises(ProviderOverloaded, match="502: upstream failed"):
        provider.complete(ASK)


def test_an_unknown_model_stays_the_error_although_another_api_is_tried(talk):
    server, provider = talk(Refused(404, "no such thing"))
    with pytest.raises(ProviderRefused, match="404: no such thing"):
        provider.complete(ASK)
    assert [seen.path for seen in server.seen] == ["/v1/chat/completions"]


def test_a_page_of_html_with_status_200_points_to_the_address(talk):
    _, provider = talk(Raw(b"<html>Welcome</html>", content_type="text/html"))
    with pytest.raises(ProviderRefused, match="OPENAI_BASE_URL"):
        provider.complete(ASK)


def test_what_was_found_out_is_not_lost_to_a_reply_that_reasons(talk):
    def answer(body):
        if "temperature" in body:
            return Refused(400, "temperature is not supported")
        return Said("ok", reasoning="Hm.")

    _, provider = talk(answer)
    provider.complete(ASK.replace(temperature=0.5))
    assert (provider.features.temperature, provider.features.reasons) == (False, True)


def test_what_was_found_out_lasts_for_the_next_process(tmp_path):
    def answer(body):
        return Refused(400, "temperature is not supported") if "temperature" in body else Said("ok")

    with OpenAIServer(answer) as server:
        settings = ProviderSettings(
            model="m", api_key="key-123456", base_url=server.base_url, remembered_in=tmp_path / "endpoints"
        )
        for _ in range(2):
            with closing(open_endpoint(settings)) as provider:
                provider.complete(ASK.replace(temperature=0.5))
        assert ["temperature" in seen.body for seen in server.seen] == [True, False, False]
        with closing(open_endpoint(settings.replace(model="other"))) as other:
            assert other.features.temperature
    (kept,) = (tmp_path / "endpoints").iterdir()
    assert "key-123456" not in kept.read_text()


@pytest.mark.parametrize("spoilt", ["old", "broken", "gone"])
def test_what_is_remembered_no_more_is_found_out_anew(tmp_path, spoilt):
    memory = FeatureMemory(tmp_path, "http://localhost/v1", "m")
    memory.keep(Features(temperature=False))
    assert memory.find() == Features(temperature=False)
    (path,) = tmp_path.iterdir()
    if spoilt == "old":
        os.utime(path, (0, 0))
    elif spoilt == "broken":
        path.write_text("{")
    else:
        path.unlink()
    assert memory.find() is None


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path):
    (tmp_path / "file").write_text("")
    FeatureMemory(tmp_path / "file", "http://localhost/v1", "m").keep(Features())


def test_streams_that_break_off_are_no_completion(talk):
    _, provider = talk(Raw(b'data: {"error": {"code": 503, "message": "busy"}}\n\n'))
    with pytest.raises(ProviderOverloaded, match="busy"):
        provider.complete(ASK)
    _, provider = talk(Raw(b"data: {\n\n"))
    with pytest.raises(ProviderRefused):
        provider.complete(ASK)
