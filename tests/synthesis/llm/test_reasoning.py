"""Models that reason: thoughts are kept, sent back where they are wanted, and have room of their own."""

import json

import pytest

from synthesis.errors import ReplyUnreadable
from synthesis.llm import wire
from synthesis.llm.features import Features
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import Completion, CompletionRequest, Message, Reasoning, RequestedCall
from synthesis.llm.structured import read_reply
from synthesis.pipeline.reply import Reply
from tests.openai_server import OpenAIServer, Refused, Said

USER = Message(role="user", text="Where is Ann?")
THOUGHT = Reasoning(text="I look for Ann.", field="reasoning_content")
CALLED = Message(role="assistant", tool_calls=(RequestedCall(id="c1", name="find"),), reasoning=THOUGHT)
RESULT = Message(role="tool", text="[]", tool_call_id="c1")


def read(**message):
    answer = {"choices": [{"message": message, "finish_reason": "stop"}]}
    return wire.read_completion(json.dumps(answer).encode())


def sent(*messages, **features):
    return wire.body(CompletionRequest(messages=messages), "m", Features(**features))["messages"]


@pytest.mark.parametrize(
    ("message", "text", "field"),
    [
        ({"content": "Hi", "reasoning_content": "Greet."}, "Hi", "reasoning_content"),
        ({"content": "Hi", "reasoning": "Greet."}, "Hi", "reasoning"),
        ({"content": "<think>\nGreet.\n</think>\n\nHi"}, "Hi", ""),
        ({"content": "Greet.\n</think>\n\nHi"}, "Hi", ""),
        ({"content": [{"type": "thinking", "thinking": "Greet."}, {"type": "text", "text": "Hi"}]}, "Hi", ""),
        ({"content": "<think>Greet."}, "", ""),
    ],
)
def test_thoughts_are_read_from_wherever_a_server_puts_them(message, text, field):
    completion = read(**message)
    assert (completion.text, completion.reasoning.text, completion.reasoning.field) == (text, "Greet.", field)


def test_text_that_only_speaks_of_thinking_stays_whole():
    assert read(content='{"html": "</think>"}').text == '{"html": "</think>"}'
    assert read(content="Hi").reasoning is None


def test_parts_with_signatures_go_back_as_they_came():
    items = [{"type": "reasoning.text", "text": "Look.", "signature": "s1"}, {"type": "reasoning.encrypted"}]
    completion = read(content="Hi", reasoning="Look.", reasoning_details=items)
    message = Message(role="assistant", text="Hi", reasoning=completion.reasoning)
    back = sent(USER, message)[1]
    assert (back["reasoning_details"], "reasoning" in back) == (items, False)


def test_thoughts_go_back_between_calls_and_not_after_the_user_spoke_again():
    assert sent(USER, CALLED, RESULT)[1]["reasoning_content"] == "I look for Ann."
    assert "reasoning_content" not in sent(USER, CALLED, RESULT, USER)[1]
    assert "reasoning_content" in sent(USER, CALLED, RESULT, USER, reasoning_sent="always")[1]
    assert "reasoning_content" not in sent(USER, CALLED, RESULT, reasoning_sent="never")[1]


def asking(server):
    return OpenAICompatible("m", "key-123456", base_url=server.base_url, timeout=5.0)


def test_an_endpoint_that_wants_all_thoughts_or_none_is_asked_so_from_then_on():
    def strict(body):
        missing = [m for m in body["messages"] if m["role"] == "assistant" and "reasoning_content" not in m]
        return Refused(400, "Missing `reasoning_content` field in the assistant message") if missing else "ok"

    def shy(body):
        told = any("reasoning_content" in message for message in body["messages"])
        return Refused(400, "messages.1: unexpected field reasoning_content") if told else "ok"

    request = CompletionRequest(messages=(USER, CALLED, RESULT, USER, CALLED, RESULT))
    for answer, wanted in ((strict, "always"), (shy, "never")):
        with OpenAIServer(answer) as server:
            provider = asking(server)
            assert [provider.complete(request).text for _ in range(2)] == ["ok", "ok"]
            assert provider.features.reasoning_sent == wanted
            assert len(server.seen) == 3
            provider.close()


def test_reasoning_that_fills_a_replys_limit_gets_an_allowance_from_then_on():
    def answer(body):
        if body["max_completion_tokens"] < 1_000:
            return Said("", finish_reason="length", completion_tokens=50, reasoning_tokens=50, reasoning="Hm")
        return Said("In Bern.", completion_tokens=400, reasoning_tokens=380, reasoning="Ann, Ann ...")

    with OpenAIServer(answer) as server:
        provider = asking(server)
        request = CompletionRequest(messages=(USER,), max_output_tokens=50)
        completion = provider.complete(request)
        assert (completion.text, completion.usage.output_tokens) == ("In Bern.", 450)
        assert completion.usage.reasoning_tokens == 430
        provider.complete(request)
        limits = [seen.body["max_completion_tokens"] for seen in server.seen]
        assert limits == [50, 16_434, 16_434]
        provider.close()


def test_a_model_that_does_not_reason_keeps_its_limit():
    with OpenAIServer([Said("long", finish_reason="length")]) as server:
        provider = asking(server)
        request = CompletionRequest(messages=(USER,), max_output_tokens=50)
        assert [provider.complete(request).finish_reason for _ in range(2)] == ["length", "length"]
        assert [seen.body["max_completion_tokens"] for seen in server.seen] == [50, 50]
        provider.close()


def test_a_model_with_responses_only_is_asked_there_and_gets_its_sealed_thoughts_back():
    first = Said(tool_calls=(("find", "{}"),), reasoning="Look.", reasoning_tokens=7, cached_tokens=3)
    with OpenAIServer([first, Said("In Bern.")], paths=("/responses",)) as server:
        provider = asking(server)
        completion = provider.complete(CompletionRequest(messages=(USER,)))
        assert (completion.tool_calls[0].name, completion.reasoning.text) == ("find", "Look.")
        assert (completion.usage.reasoning_tokens, completion.usage.cached_tokens) == (7, 3)
        reply = Message(role="assistant", tool_calls=completion.tool_calls, reasoning=completion.reasoning)
        result = Message(role="tool", text="[]", tool_call_id=completion.tool_calls[0].id)
        assert provider.complete(CompletionRequest(messages=(USER, reply, result))).text == "In Bern."
        kinds = [item.get("type", item.get("role")) for item in server.seen[-1].body["input"]]
        assert kinds == ["user", "reasoning", "function_call", "function_call_output"]
        assert server.seen[-1].body["input"][1]["encrypted_content"] == "sealed"
        assert [seen.path for seen in server.seen] == ["/v1/responses"] * 2
        provider.close()


def test_a_reply_of_reasoning_alone_is_named():
    with pytest.raises(ReplyUnreadable, match="reasoning only"):
        read_reply(Completion(reasoning=THOUGHT), Reply)
