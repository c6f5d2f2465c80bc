"""A model that is down is stood in for, left alone for a while, and asked again."""

import pytest

from synthesis.errors import (
    BudgetExhausted,
    InvalidInput,
    PromptTooLong,
    ProviderOverloaded,
    ProviderRefused,
    ProviderUnreachable,
)
from synthesis.llm.fallback import Fallback
from synthesis.llm.provider import CompletionRequest, Message
from synthesis.llm.scripted import Scripted

ASK = CompletionRequest(messages=(Message(role="user", text="Hello?"),))


def scripted(name, *replies):
    return Scripted(list(replies), model=name)


@pytest.mark.parametrize(
    "down", [ProviderUnreachable("gone"), ProviderOverloaded("busy"), ProviderRefused("402")]
)
def test_the_next_model_answers_for_one_that_is_down_and_says_so(down):
    second = scripted("b", "hello")
    pool = Fallback([scripted("a", down), second])
    completion = pool.complete(ASK)
    assert (completion.text, completion.answered_by, pool.model) == ("hello", "b", "a")


def test_one_that_is_down_rests_and_is_then_asked_first_again():
    now = [0.0]
    first = scripted("a", ProviderUnreachable("gone"), "back")
    pool = Fallback([first, scripted("b", "one", "two")], rest=60, clock=lambda: now[0])
    assert [pool.complete(ASK).text for _ in range(2)] == ["one", "two"]
    assert len(first.requests) == 1
    now[0] = 61.0
    assert pool.complete(ASK).text == "back"


def test_when_all_are_down_each_says_why_and_resting_ones_are_asked_as_well():
    first = scripted("a", ProviderRefused("a: no credit"), ProviderRefused("a: no credit"))
    pool = Fallback(
        [first, scripted("b", ProviderOverloaded("b: busy", retry_after=3), ProviderOverloaded("b"))]
    )
    with pytest.raises(
        ProviderOverloaded, match=r"None of 2 models answered\. a: no credit Then: b: busy"
    ) as raised:
        pool.complete(ASK)
    assert raised.value.retry_after == 3
    with pytest.raises(ProviderOverloaded):
        pool.complete(ASK)
    assert len(first.requests) == 2


@pytest.mark.parametrize("error", [PromptTooLong("too long"), BudgetExhausted("spent")])
def test_what_no_other_model_may_answer_is_raised(error):
    second = scripted("b", "hello")
    with pytest.raises(type(error)):
        Fallback([scripted("a", error), second]).complete(ASK)
    assert not second.requests


def test_a_pool_without_models_is_refused():
    with pytest.raises(InvalidInput):
        Fallback([])
