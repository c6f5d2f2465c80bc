"""Odd endpoints under the whole pipeline: each ends in finished parts, or is named with its remedy."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from synthesis.errors import (
    Cancelled,
    PromptTooLong,
    ProviderOverloaded,
    ProviderRefused,
    ProviderUnreachable,
    WorldwrightError,
)
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.registry import ProviderSettings, make_provider
from synthesis.llm.retrying import RetryPolicy
from synthesis.pipeline.assembly import RunContext
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.part_store import MemoryPartStore
from tests.openai_server import OpenAIServer, Raw, Refused, Said
from tests.scripted_model import ScriptedModel


class FirstDay:
    """Has the first three parts of the clinic made by an endpoint that answers as a function says.

    Args:
        answer: Takes a request's body and the good reply, gives what is answered.
    """

    def __init__(self, clinic, request_for, answer):
        self.store, self.ledger, self.attempts = MemoryPartStore(), [], []
        model = ScriptedModel(clinic)

        def answered(body):
            stage = model.stage_of(body)
            system = [{"role": "system", "content": ""}] if body["messages"][0]["role"] != "system" else []
            whole = {**body, "messages": [*system, *body["messages"]]}
            return answer(body, lambda: json.dumps(model.good(stage, whole)))

        with OpenAIServer(answered) as self.server:
            settings = ProviderSettings(model="m", base_url=self.server.base_url)
            endpoint = OpenAICompatible("m", "sk-secret-123456", base_url=self.server.base_url, timeout=2.0)
            provider = make_provider(
                settings,
                record=self.ledger.append,
                retry=RetryPolicy(attempts=2, attempts_unreachable=2, first_wait=0.01),
                endpoint=endpoint,
            )
            try:
                synthesize(
                    request_for(attempts=2),
                    authors={"model": ModelAuthor(provider)},
                    context=RunContext(
                        store=self.store, on_event=self._heard, cancelled=lambda: len(self.store) == 3
                    ),
                )
            finally:
                endpoint.close()

    def _heard(self, event):
        if event.kind == "attempt_ended":
            self.attempts.append(event.attempt)


@pytest.fixture
def first_day(clinic, request_for):
    def run(answer):
        days = []

        class Kept(FirstDay):
            def __init__(self, *args):
                days.append(self)
                super().__init__(*args)

        try:
            Kept(clinic, request_for, answer)
        except WorldwrightError as error:
            return days[0], error
        raise AssertionError("It ends by its own wish or with an error.")

    return run


def without_system(body, good):
    roles = [message["role"] for message in body["messages"]]
    return Refused(400, "System role not supported") if "system" in roles else good()


def streaming_only(body, good):
    if not body.get("stream"):
        return Refused(400, "This model only supports streaming: stream must be true")
    chunk = {"choices": [{"index": 0, "delta": {"content": good()}, "finish_reason": "stop"}], "model": "m"}
    return Raw(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode(), content_type="text/event-stream")


def fenced(body, good):
    return f"Here it is:\n```json\n{good()}\n```\nAnything else?"


def thinking_inline(body, good):
    return f"<think>The clinic {{has}} rooms.</think>{good()}"


@pytest.mark.parametrize("answer", [without_system, streaming_only, fenced, thinking_inline])
def test_an_odd_endpoint_makes_the_parts_all_the_same(answer, first_day):
    day, error = first_day(answer)
    assert isinstance(error, Cancelled), error
    assert len(day.store) == 3
    assert all(attempt.passed for attempt in day.attempts)


def once(reply):
    """An endpoint that answers its second request so, and well before and afterwards."""
    asked = []

    def answer(body, good):
        asked.append(body)
        return (reply() if callable(reply) else reply) if len(asked) == 2 else good()

    return answer


def in_a_moment():
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    return Refused(429, "slow down", headers={"Retry-After": at})


RETRIED = {
    "no choice": Raw(b'{"choices": []}'),
    "429 with a date": in_a_moment,
    "an error of another form with status 200": Raw(b'{"error": {"code": 503, "message": "busy"}}'),
}


@pytest.mark.parametrize("what", sorted(RETRIED))
def test_what_asking_again_mends_costs_no_attempt_and_is_counted(what, first_day):
    day, error = first_day(once(RETRIED[what]))
    assert isinstance(error, Cancelled), error
    assert [attempt.passed for attempt in day.attempts] == [True] * 3
    assert sum(entry.outcome != "answered" for entry in day.ledger) == 1


SAID_SO = {
    "reasoning only": (Said("", reasoning="Let me think.", reasoning_tokens=90), "reasoning only"),
    "reasoning cut off": (
        Said("", reasoning="Let me", reasoning_tokens=90, finish_reason="length"),
        "reasoning only",
    ),
    "a content filter": (Said("", finish_reason="content_filter"), "declines"),
    "a refusal as text": (Said("I can't help with that."), "declines"),
    "a question": (Said("Certainly! Which clinic do you mean?"), "is not JSON"),
}


@pytest.mark.parametrize("what", sorted(SAID_SO))
def test_what_is_no_part_is_told_to_the_author_and_its_tokens_are_counted(what, first_day):
    reply, message = SAID_SO[what]
    day, error = first_day(once(reply))
    assert isinstance(error, Cancelled), error
    spoilt = [attempt for attempt in day.attempts if not attempt.passed]
    assert len(spoilt) == 1
    assert message in spoilt[0].findings[0].message
    assert len(day.ledger) == 4
    assert all(entry.usage.input_tokens for entry in day.ledger)


NAMED = {
    "401": (Refused(401, "who?"), ProviderRefused, "OPENAI_API_KEY"),
    "402": (Refused(402, "Insufficient Balance"), ProviderRefused, "no credit left"),
    "404, no such model": (
        Refused(404, "The model `m` does not exist"),
        ProviderRefused,
        "WORLDWRIGHT_MODEL",
    ),
    "413": (Refused(413, "Request too large"), PromptTooLong, "longer than 'm' takes"),
    "context": (Refused(400, "maximum context length is 512 tokens"), PromptTooLong, "longer than 'm' takes"),
    "429, no date": (Refused(429, "slow down"), ProviderOverloaded, "asked 2 times"),
    "503": (Refused(503, "overloaded"), ProviderOverloaded, "asked 2 times"),
    "no choice": (Raw(b'{"choices": []}'), ProviderUnreachable, "without a choice"),
    "HTML": (Raw(b"<html>Welcome</html>", content_type="text/html"), ProviderRefused, "OPENAI_BASE_URL"),
    "another form": (Raw(b'{"error": "model not loaded"}'), ProviderRefused, "model not loaded"),
}


@pytest.mark.parametrize("what", sorted(NAMED))
def test_what_lasts_is_named_with_its_remedy_and_what_is_finished_is_kept(what, first_day):
    reply, kind, message = NAMED[what]
    asked = []

    def answer(body, good):
        asked.append(body)
        return good() if len(asked) == 1 else reply

    day, error = first_day(answer)
    assert isinstance(error, kind), error
    assert message in str(error)
    assert len(day.store) == 1
    assert "sk-secret" not in str(error)
