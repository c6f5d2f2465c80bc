"""An endpoint that fails in the middle of a synthesis, over real HTTP, with all the layers of a provider."""

from __future__ import annotations

import json

import pytest

from synthesis.errors import (
    AttemptsExhausted,
    Cancelled,
    ProviderOverloaded,
    ProviderRefused,
    ProviderUnreachable,
)
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.registry import ProviderSettings, make_provider
from synthesis.llm.retrying import RetryPolicy
from synthesis.pipeline.assembly import RunContext
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.part_store import MemoryPartStore
from tests.openai_server import Cut, Hang, OpenAIServer, Raw, Refused, Said
from tests.scripted_model import ScriptedModel

KEY = "sk-secret-123456"


@pytest.fixture
def asked(clinic, request_for):
    """Has the first three parts made by an endpoint that spoils replies; gives ledger, attempts and parts."""

    def make(spoilt, *, key=KEY, attempts=5):
        store, events, ledger = MemoryPartStore(), [], []
        with OpenAIServer(ScriptedModel(clinic, spoilt), key=KEY) as server:
            settings = ProviderSettings(model="clinic-model", base_url=server.base_url)
            endpoint = OpenAICompatible("clinic-model", key, base_url=server.base_url, timeout=2.0)
            policy = RetryPolicy(attempts=3, first_wait=0.01)
            provider = make_provider(settings, record=ledger.append, retry=policy, endpoint=endpoint)
            try:
                with pytest.raises(Cancelled):
                    synthesize(
                        request_for(attempts=attempts),
                        authors={"model": ModelAuthor(provider)},
                        context=RunContext(
                            store=store, on_event=events.append, cancelled=lambda: len(store) == 3
                        ),
                    )
            finally:
                endpoint.close()
                text = "".join(event.model_dump_json() for event in events)
                text += "".join(entry.model_dump_json() for entry in ledger)
                assert KEY not in text
        return ledger, [event.attempt for event in events if event.kind == "attempt_ended"], store

    return make


def always(reply):
    return [lambda good: reply] * 99


PASSING = {
    "429 with Retry-After": (Refused(429, "slow down", headers={"Retry-After": "0"}), "overloaded"),
    "429 without Retry-After": (Refused(429, "slow down"), "overloaded"),
    "408": (Refused(408, "too slow"), "overloaded"),
    "500": (Refused(500, "oops"), "overloaded"),
    "502": (Refused(502, "bad gateway"), "overloaded"),
    "a connection cut in the middle": (Cut(), "unreachable"),
    "a hanging connection": (Hang(20.0), "unreachable"),
}


@pytest.mark.parametrize("what", sorted(PASSING))
def test_what_passes_by_itself_costs_no_attempt(what, asked):
    reply, outcome = PASSING[what]
    ledger, attempts, _ = asked({"outlines": [lambda good: reply]})
    assert [entry.outcome for entry in ledger] == ["answered", outcome, "answered", "answered"]
    assert [(attempt.stage, attempt.number, attempt.passed) for attempt in attempts] == [
        ("scenario", 1, True),
        ("outlines", 1, True),
        ("policy", 1, True),
    ]


LASTING = {
    "401": (Refused(401, "no such key"), ProviderRefused, "OPENAI_API_KEY"),
    "403": (Refused(403, "not yours"), ProviderRefused, "WORLDWRIGHT_MODEL"),
    "404": (Refused(404, "no such model"), ProviderRefused, "WORLDWRIGHT_MODEL"),
    "429": (Refused(429, "slow down"), ProviderOverloaded, "asked 3 times"),
    "429 with Retry-After": (
        Refused(429, "slow down", headers={"Retry-After": "900"}),
        ProviderOverloaded,
        "slow down",
    ),
    "500": (Refused(500, "oops"), ProviderOverloaded, "asked 3 times"),
    "502": (Refused(502, "bad gateway"), ProviderOverloaded, "asked 3 times"),
    "a hanging connection": (Hang(20.0), ProviderUnreachable, "did not finish its reply within 2 seconds"),
    "a connection cut in the middle": (Cut(), ProviderUnreachable, "broke before the answer was whole"),
    "no completion": (Raw(b"<html>Welcome</html>"), ProviderRefused, "OPENAI_BASE_URL"),
}


@pytest.mark.parametrize("what", sorted(LASTING))
def test_what_lasts_ends_the_run_with_a_remedy_and_keeps_what_is_finished(what, asked, clinic, request_for):
    reply, error, message = LASTING[what]
    with pytest.raises(error, match=message):
        asked({"outlines": always(reply)})


REPLIES = {
    "an empty reply": (Said(""), "is empty"),
    "a refusal": (Said(refusal="I must decline."), "declines"),
    "a reply cut off by its length": (Said('{"tasks": [', finish_reason="length"), "cut off"),
    "five megabytes": (Said("x" * 5_000_000), "5,000,000 characters"),
    "JSON of another shape": (json.dumps({"tasks": 7}), "another shape"),
    "no JSON": ("Certainly!", "is not JSON"),
}


@pytest.mark.parametrize("what", sorted(REPLIES))
def test_a_reply_that_cannot_be_used_costs_one_attempt_and_is_told_to_the_author(what, asked):
    reply, message = REPLIES[what]
    _, attempts, _ = asked({"outlines": [lambda good: reply]})
    outlines = [attempt for attempt in attempts if attempt.stage == "outlines"]
    assert [attempt.passed for attempt in outlines] == [False, True]
    assert message in outlines[0].findings[0].message
    assert message in outlines[1].prompt
    assert len(outlines[0].reply) < 300_000


GERMAN = (
    "Die Praxis vergibt Termine an ihre Patienten, schreibt Rechnungen und mahnt sie an. Wer Termine spät "
    "absagt, zahlt eine Gebühr, die von der Leitung erlassen werden kann, wenn ein Grund vorliegt."
)


@pytest.mark.parametrize("stage", ["scenario", "policy"])
def test_a_reply_in_another_language_is_named_and_asked_for_again(stage, asked):
    field = {"scenario": "description", "policy": "text"}[stage]
    _, attempts, _ = asked({stage: [lambda good: json.dumps({**good, field: GERMAN})]})
    first, second = (attempt for attempt in attempts if attempt.stage == stage)
    assert "is not in English: 'Die Praxis vergibt" in first.findings[0].message
    assert second.passed


@pytest.mark.parametrize("what", sorted(REPLIES))
def test_a_model_that_always_replies_so_fails_after_its_attempts(what, asked):
    reply, message = REPLIES[what]
    with pytest.raises(AttemptsExhausted, match=message) as raised:
        asked({"outlines": always(reply)}, attempts=2)
    assert (raised.value.stage, raised.value.attempts) == ("outlines", 2)


def test_a_wrong_key_is_named_and_not_shown(asked):
    with pytest.raises(ProviderRefused, match="OPENAI_API_KEY") as raised:
        asked({}, key="sk-wrong-654321")
    assert "sk-wrong" not in str(raised.value)
