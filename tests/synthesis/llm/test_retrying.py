"""The one loop that asks again."""

import pytest

from synthesis.errors import ProviderOverloaded, ProviderRefused, ProviderUnreachable
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.provider import CompletionRequest, Message
from synthesis.llm.retrying import Retrying, RetryPolicy
from synthesis.llm.scripted import Scripted
from tests.openai_server import OpenAIServer, Refused

ASK = CompletionRequest(messages=(Message(role="user", text="?"),))


def retrying(*replies, **policy):
    waits = []
    scripted = Scripted(replies)
    return Retrying(scripted, RetryPolicy(**policy), sleep=waits.append, jitter=lambda: 0.5), scripted, waits


def test_it_asks_again_while_the_endpoint_is_busy():
    provider, scripted, waits = retrying(ProviderOverloaded("busy"), ProviderUnreachable("gone"), "at last")
    assert provider.complete(ASK).text == "at last"
    assert len(scripted.requests) == 3
    assert waits == [0.75, 1.5]


def test_it_waits_at_least_as_long_as_it_was_asked_to():
    provider, _, waits = retrying(ProviderOverloaded("busy", retry_after=20.0), "yes")
    provider.complete(ASK)
    assert 20.0 < waits[0] < 21.0


def test_it_does_not_repeat_what_was_refused():
    provider, scripted, waits = retrying(ProviderRefused("wrong key"), "never")
    with pytest.raises(ProviderRefused):
        provider.complete(ASK)
    assert (len(scripted.requests), waits) == (1, [])


def test_it_gives_up_with_the_last_error():
    provider, scripted, _ = retrying(*[ProviderOverloaded("still busy")] * 9, attempts=4)
    with pytest.raises(ProviderOverloaded, match=r"still busy \(asked 4 times\)"):
        provider.complete(ASK)
    assert len(scripted.requests) == 4


def test_it_gives_up_sooner_on_an_endpoint_that_is_not_there():
    provider, scripted, _ = retrying(*[ProviderUnreachable("no answer")] * 9, attempts_unreachable=2)
    with pytest.raises(ProviderUnreachable, match=r"no answer \(asked 2 times\)"):
        provider.complete(ASK)
    assert len(scripted.requests) == 2


def test_it_does_not_wait_longer_than_its_patience():
    provider, scripted, waits = retrying(
        ProviderOverloaded("busy", retry_after=1_000.0), "late", patience=100.0
    )
    with pytest.raises(ProviderOverloaded):
        provider.complete(ASK)
    assert (len(scripted.requests), waits) == (1, [])


def test_it_honours_retry_after_over_http():
    waits = []
    with OpenAIServer([Refused(429, headers={"Retry-After": "3"}), Refused(502), "here"]) as server:
        endpoint = OpenAICompatible("m", "key-123456", base_url=server.base_url)
        provider = Retrying(endpoint, sleep=waits.append, jitter=lambda: 0.0)
        assert provider.complete(ASK).text == "here"
        endpoint.close()
    assert waits == [3.05, 1.0]
