"""Sampled tokens: asked for where wanted, read in every form endpoints give them, forgone where refused."""

import json

import pytest

from synthesis.llm import responses_wire, streamed, wire
from synthesis.llm.features import Features, adapted
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import CompletionRequest, Message, SampledTokens
from tests.openai_server import OpenAIServer, Raw, Refused

ASKED = CompletionRequest(messages=(Message(role="user", text="Where is Ann?"),), logprobs=True)
TOKENS = [{"token": "In", "logprob": -0.5, "top_logprobs": []}, {"token": " Bern", "logprob": -1.25}]
SAMPLED = SampledTokens(texts=("In", " Bern"), logprobs=(-0.5, -1.25))
MESSAGE = {"role": "assistant", "content": "In Bern"}


def answer(**choice):
    return json.dumps({"choices": [{"message": MESSAGE, "finish_reason": "stop", **choice}]}).encode()


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"logprobs": {"content": TOKENS}}, SAMPLED),
        ({"logprobs": {"content": TOKENS}, "token_ids": [7, 9]}, SAMPLED.replace(ids=(7, 9))),
        ({"logprobs": {"content": TOKENS}, "token_ids": [7]}, SAMPLED),
        ({"logprobs": {"content": None}}, None),
        ({"logprobs": None, "token_ids": None}, None),
        ({}, None),
    ],
)
def test_they_are_read_where_they_are_given(choice, expected):
    completion = wire.read_completion(answer(**choice))
    assert (completion.text, completion.sampled) == ("In Bern", expected)


def test_a_stream_gives_them_piece_by_piece():
    pieces = [
        {"delta": {"content": token["token"]}, "logprobs": {"content": [token]}, "token_ids": [place]}
        for place, token in enumerate(TOKENS)
    ]
    body = b"".join(b"data: " + json.dumps({"choices": [piece]}).encode() + b"\n\n" for piece in pieces)
    completion = wire.read_completion(streamed.whole(body))
    assert (completion.text, completion.sampled) == ("In Bern", SAMPLED.replace(ids=(0, 1)))


def test_the_responses_api_gives_them_with_the_text():
    content = {"type": "output_text", "text": "In Bern", "logprobs": TOKENS}
    body = {"output": [{"type": "message", "content": [content]}], "status": "completed"}
    assert responses_wire.read_completion(json.dumps(body).encode()).sampled == SAMPLED
    asked = responses_wire.body(ASKED, "m", Features())
    assert "message.output_text.logprobs" in asked["include"]
    assert "logprobs" not in json.dumps(responses_wire.body(ASKED.replace(logprobs=False), "m", Features()))


def test_an_endpoint_that_refuses_is_asked_without_and_remembered():
    refused = Refused(400, "'logprobs' is not supported with this model.")
    with OpenAIServer([refused, Raw(answer()), Raw(answer(logprobs={"content": TOKENS}))]) as server:
        provider = OpenAICompatible("m", "key-123456", base_url=server.base_url)
        assert provider.complete(ASKED).sampled is None
        provider.complete(ASKED)
        assert [seen.body.get("logprobs") for seen in server.seen] == [True, None, None]
    assert adapted(Features(logprobs=False), 400, "logprobs", ASKED) is None


def test_who_does_not_want_them_asks_as_before():
    plain = ASKED.replace(logprobs=False)
    assert "logprobs" not in wire.body(plain, "m", Features())
    assert "logprobs" not in plain.content()
