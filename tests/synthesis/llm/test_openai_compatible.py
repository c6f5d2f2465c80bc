"""The endpoint over real HTTP: what goes out, what comes back, and every way it can fail."""

import logging
import time

import pytest

from synthesis.errors import InvalidInput, ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm import openai_compatible
from synthesis.llm.features import Features, adapted
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import CompletionRequest, Message, ReplyFormat, ToolOffer
from tests.openai_server import Cut, Hang, OpenAIServer, Raw, Refused, Said

KEY = "sk-very-secret-123456789"
ASK = CompletionRequest(messages=(Message(role="user", text="Hello?"),))
FORMATTED = ASK.replace(reply_format=ReplyFormat(name="Answer", json_schema={"type": "object"}))


@pytest.fixture
def talk():
    opened = []

    def start(*replies, key=None, **settings):
        server = OpenAIServer(replies[0] if len(replies) == 1 and callable(replies[0]) else replies, key=key)
        server.__enter__()
        settings = {"timeout": 5.0, **settings}
        provider = OpenAICompatible("some-model", KEY, base_url=server.base_url, **settings)
        opened.append((server, provider))
        return server, provider

    yield start
    for server, provider in opened:
        provider.close()
        server.__exit__(None, None, None)


def test_it_answers_with_text_and_usage(talk):
    server, provider = talk(Said("Good day", prompt_tokens=11, completion_tokens=3, cached_tokens=4))
    completion = provider.complete(ASK)
    assert (completion.text, completion.finish_reason, completion.model) == ("Good day", "stop", "some-model")
    used = completion.usage
    assert (used.input_tokens, used.output_tokens, used.cached_tokens) == (11, 3, 4)
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.seen[0].body["messages"] == [{"role": "user", "content": "Hello?"}]


def test_it_sends_tools_and_reads_parallel_calls(talk):
    server, provider = talk(Said(tool_calls=(("find", '{"name": "Ann"}'), ("now", "not json"))))
    offer = ToolOffer(name="find", description="Find people.", parameters={"type": "object"})
    completion = provider.complete(ASK.replace(tools=(offer,), max_output_tokens=50, seed=7))
    assert [(call.name, call.arguments) for call in completion.tool_calls] == [
        ("find", '{"name": "Ann"}'),
        ("now", "not json"),
    ]
    assert completion.finish_reason == "tool_calls"
    body = server.seen[0].body
    assert body["tools"][0]["function"]["name"] == "find"
    assert (body["max_completion_tokens"], body["seed"]) == (50, 7)


def test_it_steps_down_when_a_schema_is_not_supported(talk):
    def answer(body):
        if body.get("response_format", {}).get("type") == "json_schema":
            return Refused(400, "response_format json_schema is not supported here")
        return "{}"

    server, provider = talk(answer)
    assert provider.complete(FORMATTED).text == "{}"
    provider.complete(FORMATTED)
    asked = [seen.body.get("response_format", {}).get("type") for seen in server.seen]
    assert asked == ["json_schema", "json_object", "json_object"]
    said = [seen.body["messages"][0]["content"].count('{"type":"object"}') for seen in server.seen]
    assert said == [0, 1, 1]  # the schema is sent once: beside the messages, or in them


def test_a_schema_that_the_prompt_holds_is_not_sent_beside_it(talk):
    server, provider = talk("{}")
    described = FORMATTED.replace(reply_format=FORMATTED.reply_format.replace(in_prompt=True))
    provider.complete(described)
    assert server.seen[0].body["response_format"] == {"type": "json_object"}
    assert server.seen[0].body["messages"][0]["content"] == "Hello?"


def test_a_model_is_told_how_much_to_think_where_its_endpoint_knows_it(talk):
    server, provider = talk("yes", reasoning_effort="low")
    provider.complete(ASK)
    assert server.seen[0].body["reasoning_effort"] == "low"

    def unknown(body):
        return (
            Refused(400, "Unrecognized argument: reasoning_effort") if "reasoning_effort" in body else "yes"
        )

    server, provider = talk(unknown, reasoning_effort="low")
    assert [provider.complete(ASK).text for _ in range(2)] == ["yes", "yes"]
    assert ["reasoning_effort" in seen.body for seen in server.seen] == [True, False, False]


def test_an_effort_that_the_model_does_not_have_is_for_people_to_change(talk):
    message = "Unsupported value: 'reasoning_effort' does not support 'huge'. Supported values are: 'low'."
    _, provider = talk(Refused(400, message), reasoning_effort="huge")
    with pytest.raises(ProviderRefused, match="Supported values are: 'low'"):
        provider.complete(ASK)


DESCRIBED = FORMATTED.replace(reply_format=FORMATTED.reply_format.replace(in_prompt=True))


def formats(server):
    return [seen.body.get("response_format", {}).get("type") for seen in server.seen]


@pytest.mark.parametrize("structured", ["auto", "json_schema"])
def test_a_server_that_takes_schemas_and_no_json_mode_is_sent_the_schema(talk, structured):
    def answer(body):
        if body.get("response_format", {}).get("type") == "json_object":
            return Refused(400, "'response_format.type' must be 'json_schema' or 'text'")
        return "{}"

    server, provider = talk(answer, structured=structured)
    assert [provider.complete(each).text for each in (DESCRIBED, DESCRIBED, FORMATTED)] == ["{}"] * 3
    assert formats(server) == ["json_object", "json_schema", "json_schema", "json_schema"]


def test_a_server_that_takes_no_json_mode_and_no_schema_is_asked_in_words_alone(talk):
    def answer(body):
        return Refused(400, "response_format: not supported") if "response_format" in body else "{}"

    server, provider = talk(answer)
    assert [provider.complete(DESCRIBED).text for _ in range(2)] == ["{}", "{}"]
    assert formats(server) == ["json_object", "json_schema", None, None]


def test_a_refusal_that_speaks_of_effort_where_none_was_sent_teaches_nothing(talk):
    _, provider = talk(Refused(400, "the best effort tier is full for reasoning"))
    with pytest.raises(ProviderRefused, match="best effort"):
        provider.complete(ASK)
    assert provider.features.effort
    asked = (400, "the best effort tier is full", ASK)
    assert adapted(Features(), *asked) is None
    assert adapted(Features(), *asked, reasoning_effort="low") == Features(effort=False)


def test_it_asks_without_a_format_when_none_is_supported(talk):
    server, provider = talk(
        lambda body: Refused(400, "unknown field response_format") if "response_format" in body else "{}"
    )
    assert provider.complete(FORMATTED).text == "{}"
    assert "response_format" not in server.seen[-1].body


def test_an_older_name_of_a_field_is_used_where_the_new_one_is_unknown(talk):
    def answer(body):
        if "max_completion_tokens" in body:
            return Refused(422, "Unrecognized request argument: max_completion_tokens")
        return "short"

    server, provider = talk(answer)
    limited = ASK.replace(max_output_tokens=9)
    assert [provider.complete(limited).text for _ in range(2)] == ["short", "short"]
    assert [seen.body.get("max_tokens") for seen in server.seen] == [None, 9, 9]


@pytest.mark.parametrize(
    ("status", "setting"),
    [
        (401, "OPENAI_API_KEY"),
        (403, "WORLDWRIGHT_MODEL"),
        (404, "OPENAI_BASE_URL"),
        (400, "WORLDWRIGHT_MODEL"),
    ],
)
def test_a_refusal_names_the_setting_to_change(talk, status, setting):
    _, provider = talk(Refused(status, "no such thing"))
    with pytest.raises(ProviderRefused, match=f"answered {status}: no such thing.*{setting}"):
        provider.complete(ASK)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_a_busy_endpoint_is_worth_another_try(talk, status):
    _, provider = talk(Refused(status, "later", headers={"Retry-After": "7"}))
    with pytest.raises(ProviderOverloaded, match=str(status)) as raised:
        provider.complete(ASK)
    assert raised.value.retry_after == 7.0


def test_a_busy_endpoint_may_not_say_how_long(talk):
    _, provider = talk(Refused(429, "slow down"))
    with pytest.raises(ProviderOverloaded) as raised:
        provider.complete(ASK)
    assert raised.value.retry_after is None


def test_it_does_not_retry_by_itself(talk):
    server, provider = talk(Refused(500))
    with pytest.raises(ProviderOverloaded):
        provider.complete(ASK)
    assert len(server.seen) == 1


def test_an_endpoint_that_is_not_there_is_named():
    provider = OpenAICompatible("m", KEY, base_url="http://127.0.0.1:9/v1", timeout=5.0)
    with pytest.raises(ProviderUnreachable, match=r"127\.0\.0\.1:9.*OPENAI_BASE_URL"):
        provider.complete(ASK)
    provider.close()


def test_a_hanging_endpoint_is_left_in_time(talk):
    _, provider = talk(Hang(20.0), timeout=0.4)
    started = time.monotonic()
    with pytest.raises(ProviderUnreachable, match=r"within 0\.4 seconds"):
        provider.complete(ASK)
    assert time.monotonic() - started < 5


def test_a_connection_cut_in_the_middle_is_told(talk):
    _, provider = talk(Cut())
    with pytest.raises(ProviderUnreachable, match="broke before the answer was whole"):
        provider.complete(ASK)


@pytest.mark.parametrize(
    "body",
    [b"<html>Welcome</html>", b"[]", b'{"choices": [{"message": {"content": 5}}]}', b""],
)
def test_an_answer_that_is_no_completion_points_to_the_address(talk, body):
    _, provider = talk(Raw(body))
    with pytest.raises(ProviderRefused, match="OPENAI_BASE_URL"):
        provider.complete(ASK)


def test_an_empty_answer_is_a_completion_without_text(talk):
    _, provider = talk(Said(""))
    assert provider.complete(ASK).text == ""


def test_a_refusal_of_the_model_is_a_finish_reason(talk):
    _, provider = talk(Said(refusal="I cannot help with that"))
    completion = provider.complete(ASK)
    assert (completion.finish_reason, completion.text) == ("refusal", "I cannot help with that")


def test_a_reply_of_five_megabytes_arrives_whole(talk):
    _, provider = talk(Said("x" * 5_000_000, finish_reason="length"))
    completion = provider.complete(ASK)
    assert (len(completion.text), completion.finish_reason) == (5_000_000, "length")


def test_a_reply_without_end_is_cut_off(talk, monkeypatch):
    monkeypatch.setattr(openai_compatible, "MAX_REPLY_BYTES", 100_000)
    _, provider = talk(Said("x" * 1_000_000))
    with pytest.raises(ProviderRefused, match="longer than 100,000 bytes"):
        provider.complete(ASK)


def test_the_key_is_in_no_text(talk, caplog):
    caplog.set_level(logging.DEBUG)
    _, provider = talk(Said("fine"), key="another-key")
    with pytest.raises(ProviderRefused) as refused:
        provider.complete(ASK)
    assert "Incorrect API key provided: [key]" in str(refused.value)
    _, echoing = talk(Said(f"your key is {KEY}"))
    assert echoing.complete(ASK).text == "your key is [key]"
    shown = OpenAICompatible("m", KEY, base_url="http://user:hunter2-password@127.0.0.1:9/v1?token=abc")
    with pytest.raises(ProviderUnreachable) as unreachable:
        shown.complete(ASK)
    shown.close()
    everything = f"{refused.value!r} {unreachable.value!r} {provider!r} {shown!r} {caplog.text}"
    assert KEY not in everything
    assert "hunter2" not in f"{unreachable.value!r} {shown!r}"


@pytest.mark.parametrize(
    ("model", "key", "url", "setting"),
    [
        ("", KEY, "http://localhost/v1", "WORLDWRIGHT_MODEL"),
        ("m", "", "http://localhost/v1", "OPENAI_API_KEY"),
        ("m", KEY, "localhost:8000", "OPENAI_BASE_URL"),
    ],
)
def test_a_missing_setting_is_named(model, key, url, setting):
    with pytest.raises(InvalidInput, match=setting):
        OpenAICompatible(model, key, base_url=url)
