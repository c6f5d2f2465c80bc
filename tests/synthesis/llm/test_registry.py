"""A provider is put together from settings."""

from contextlib import closing

import pytest
from pydantic import SecretStr

from synthesis.errors import BudgetExhausted, InvalidInput, ProviderRefused, UnknownName
from synthesis.llm.budget import Budget, BudgetLimits
from synthesis.llm.provider import CompletionRequest, Message, Provider
from synthesis.llm.recorded import FolderRecordings, MemoryRecordings
from synthesis.llm.registry import PROVIDERS, ProviderSettings, make_provider
from synthesis.llm.retrying import RetryPolicy
from synthesis.llm.scripted import Scripted
from tests.openai_server import OpenAIServer, Refused

KEY = "sk-very-secret-123456789"
ASK = CompletionRequest(messages=(Message(role="user", text="?"),), stage="tools", attempt=3)


def connected(settings, **around):
    """A provider and its endpoint, whose connections are to be closed."""
    endpoint = PROVIDERS[settings.provider](settings)
    return closing(endpoint), make_provider(settings, endpoint=endpoint, **around)


def test_every_call_is_metered_and_an_answer_is_recorded():
    ledger, recordings = [], MemoryRecordings()
    with OpenAIServer([Refused(500), "yes"], key=KEY) as server:
        settings = ProviderSettings(model="m", api_key=SecretStr(KEY), base_url=server.base_url)
        open_while, provider = connected(
            settings, record=ledger.append, recordings=recordings, retry=RetryPolicy(first_wait=0.01)
        )
        with open_while:
            assert [provider.complete(ASK).text for _ in range(2)] == ["yes", "yes"]
        assert len(server.seen) == 2
    assert [(entry.outcome, entry.stage, entry.attempt) for entry in ledger] == [
        ("overloaded", "tools", 3),
        ("answered", "tools", 3),
    ]


def test_a_spent_budget_stops_before_the_endpoint_and_replays_for_nothing():
    recordings = MemoryRecordings()
    with OpenAIServer(["yes"]) as server:
        settings = ProviderSettings(model="m", api_key=SecretStr(KEY), base_url=server.base_url)
        budget = Budget(BudgetLimits(run_tokens=1))
        open_while, provider = connected(settings, budget=budget, recordings=recordings)
        with open_while:
            provider.complete(ASK)
            assert provider.complete(ASK).text == "yes"
            with pytest.raises(BudgetExhausted):
                provider.complete(ASK.replace(seed=1))
        assert len(server.seen) == 1


def test_a_recorded_provider_needs_no_endpoint(tmp_path):
    from synthesis.llm.recorded import Recorded

    Recorded(Scripted(["kept"], model="m"), FolderRecordings(tmp_path)).complete(ASK)
    replaying = make_provider(ProviderSettings(provider="recorded", model="m", recordings=tmp_path))
    assert replaying.complete(ASK).text == "kept"


def test_an_unknown_provider_is_named():
    with pytest.raises(UnknownName, match=r"no provider named 'oracle'. Known: openai_compatible, recorded"):
        make_provider(ProviderSettings(provider="oracle"))


@pytest.mark.parametrize("name", sorted(PROVIDERS))
def test_every_provider_is_one_and_names_its_model(name, tmp_path):
    settings = ProviderSettings(provider=name, model="m", api_key=SecretStr(KEY), recordings=tmp_path)
    provider = make_provider(settings)
    assert isinstance(provider, Provider)
    assert provider.model == "m"


def test_settings_never_show_the_key():
    settings = ProviderSettings(model="m", api_key=SecretStr(KEY))
    shown = (
        f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()} {settings.content()}"
    )
    assert KEY not in shown
    assert settings.fingerprint == settings.replace(api_key=SecretStr("another")).fingerprint


def test_a_missing_key_is_named():
    with pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
        make_provider(ProviderSettings(model="m"))


def test_the_key_is_in_no_ledger_entry():
    ledger = []
    with OpenAIServer(["never"], key="another-key") as server:
        settings = ProviderSettings(model="m", api_key=SecretStr(KEY), base_url=server.base_url)
        open_while, provider = connected(settings, record=ledger.append, recordings=MemoryRecordings())
        with open_while, pytest.raises(ProviderRefused, match="OPENAI_API_KEY"):
            provider.complete(ASK)
    assert [entry.outcome for entry in ledger] == ["refused"]
    assert "Incorrect API key provided: [key]" in ledger[0].error
    assert KEY not in ledger[0].model_dump_json()
