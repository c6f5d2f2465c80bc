"""Chat completions as bytes."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import ValidationError

from synthesis.llm import wire
from synthesis.llm.features import Features
from synthesis.llm.provider import CompletionRequest, Message, RequestedCall


def test_calls_and_their_results_go_out_as_they_came():
    call = RequestedCall(id="c1", name="find", arguments='{"a": 1}')
    messages = (
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", text="[]", tool_call_id="c1"),
    )
    sent = wire.body(CompletionRequest(messages=messages), "m", Features())["messages"]
    assert sent[0]["tool_calls"][0]["function"] == {"name": "find", "arguments": '{"a": 1}'}
    assert sent[1] == {"role": "tool", "content": "[]", "tool_call_id": "c1"}


def test_fields_a_server_leaves_out_are_no_trouble():
    answer = {"choices": [{"message": {"role": "assistant", "content": "hi"}}]}
    completion = wire.read_completion(json.dumps(answer).encode())
    assert (completion.text, completion.finish_reason, completion.usage.input_tokens) == ("hi", "other", 0)


def test_arguments_sent_as_an_object_are_read():
    function = {"name": "f", "arguments": {"x": 1}}
    answer = {"choices": [{"message": {"tool_calls": [{"function": function}]}}]}
    call = wire.read_completion(json.dumps(answer).encode()).tool_calls[0]
    assert (call.id, call.name, json.loads(call.arguments)) == ("call_1", "f", {"x": 1})


def test_half_of_a_surrogate_pair_is_the_models_output_with_a_replacement():
    answer = rb'{"choices": [{"message": {"content": "a \ud83d b \ud83d\ude00 \uDE00"}}]}'
    assert wire.read_completion(answer).text == "a \ufffd b \U0001f600 \ufffd"
    with pytest.raises(ValidationError):
        wire.read_completion(rb'{"error": "\ud83d"}')


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "999999"}, 3_600.0),
        ({"retry-after": "nan"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers, seconds):
    assert wire.retry_after(headers) == seconds


def test_retry_after_may_be_a_date():
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    wait = wire.retry_after({"retry-after": date})
    assert wait is not None
    assert 27 < wait <= 30
