"""Which models play which part: by the settings, by a request, and at other endpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr

from studio.models import LlmCall, Run, RunKind
from studio.services.llm.batch_budget import require_price
from studio.services.llm.pool import models_for, pool, split_models
from studio.services.llm.providers import provider_for
from studio.services.runs import runs
from studio.services.synthesis import synthesis
from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.provider import CompletionRequest, Message
from tests.openai_server import OpenAIServer, Refused

ASK = CompletionRequest(messages=(Message(role="user", text="Hello?"),), stage="judge")


@pytest.fixture
def variables(settings: Any) -> Callable[..., None]:
    def change(**values: Any) -> None:
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update=values)

    change(openai_api_key=SecretStr("key-123456"), model="gpt-5", openai_base_url=None)
    return change


def test_a_part_is_played_by_its_own_models_or_else_by_the_one_of_the_settings(
    variables: Callable[..., None],
) -> None:
    assert models_for("judge") == ("gpt-5",)
    assert models_for("second_author") == ()
    variables(judge_models=("gpt-5-mini", "gpt-5"))
    assert [each.model for each in pool("judge")] == ["gpt-5-mini", "gpt-5"]
    assert [each.model for each in pool("author")] == ["gpt-5"]
    assert [each.model for each in pool("judge", ("o3",))] == ["o3"]


def test_a_model_of_another_endpoint_has_its_address_key_and_limits(variables: Callable[..., None]) -> None:
    variables(
        openai_api_key=None,
        endpoints=SecretStr(
            '{"local": {"base_url": "http://host:8000/v1", "api_key": "k2", "concurrency": 3}}'
        ),
    )
    (found,) = pool("agent", ("qwen3:32b@local",))
    assert (found.model, found.base_url) == ("qwen3:32b", "http://host:8000/v1")
    assert (found.api_key.get_secret_value(), found.limits.concurrency) == ("k2", 3)
    assert "k2" not in repr(found) + found.model_dump_json()
    with pytest.raises(UnknownName, match="remote"):
        pool("agent", ("m@remote",))
    with pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
        pool("agent", ("gpt-5",))


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "cannot be read"), ('{"a": {"base_url": "ftp://x", "api_key": "sk-1"}}', "base_url")],
)
def test_endpoints_that_cannot_be_used_are_named_without_their_keys(
    variables: Callable[..., None], text: str, said: str
) -> None:
    variables(endpoints=SecretStr(text))
    with pytest.raises(InvalidInput, match=said) as raised:
        pool("agent", ("m@a",))
    assert "sk-1" not in str(raised.value)


def test_too_many_models_are_refused_and_each_counts_once() -> None:
    assert split_models(" a, b,a ,") == ("a", "b")
    with pytest.raises(InvalidInput, match="9 models"):
        split_models(",".join("abcdefghi"))


@pytest.mark.django_db
def test_the_next_model_of_a_pool_answers_and_both_calls_are_in_the_ledger(
    variables: Callable[..., None], run: Run
) -> None:
    with OpenAIServer(lambda body: Refused(402, "no funds") if body["model"] == "a" else "hello") as server:
        variables(openai_base_url=server.base_url, judge_models=("a", "b"))
        completion = provider_for(run, role="judge").complete(ASK)
    assert (completion.text, completion.model) == ("hello", "b")
    calls = LlmCall.objects.filter(run=run).order_by("pk").values_list("model", "outcome")
    assert list(calls) == [("a", "refused"), ("b", "answered")]


@pytest.mark.django_db
def test_a_request_keeps_its_models_and_has_a_second_author_where_one_is_named(
    variables: Callable[..., None],
) -> None:
    plain = synthesis.new_request(sentence="A library", author="model")
    assert plain.second_author == ""
    request = synthesis.new_request(
        sentence="A library", author="model", models=("o3",), second_models=("o4",)
    )
    assert (request.models, request.second_author) == (("o3",), "second model")
    assert synthesis.new_request(sentence="A library", second_models=("o4",)).second_author == ""
    with pytest.raises(UnknownName, match="nowhere"):
        synthesis.start_synthesis(request=request.replace(second_models=("x@nowhere",)))


def test_a_budget_in_money_needs_the_price_of_every_model(variables: Callable[..., None]) -> None:
    require_price("gpt-5", "gpt-5-mini@local")
    with pytest.raises(InvalidInput, match="WORLDWRIGHT_PRICES"):
        require_price("gpt-5", "home-made@local")


@pytest.fixture
def run(db: None) -> Run:
    request = synthesis.new_request(sentence="A library")
    return runs.queue_run(kind=RunKind.SYNTHESIS, title="A library", request=request)
