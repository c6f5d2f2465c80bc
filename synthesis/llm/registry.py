"""The providers by name, and how one is put together from settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import Field, SecretStr

from synthesis.documents.document import Document
from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.budget import Budget, Budgeted
from synthesis.llm.feature_memory import FeatureMemory
from synthesis.llm.features import StructuredMode
from synthesis.llm.limited import Gate, Limited, RateLimits
from synthesis.llm.metered import LedgerEntry, Metered
from synthesis.llm.openai_compatible import DEFAULT_BASE_URL, REASONING_TOKENS, OpenAICompatible
from synthesis.llm.prices import PriceTable
from synthesis.llm.provider import Provider
from synthesis.llm.recorded import FolderRecordings, Recorded, Recordings
from synthesis.llm.retrying import Retrying, RetryPolicy
from synthesis.llm.stoppable import Stoppable


class ProviderSettings(Document):
    """Which endpoint and model, and what it allows."""

    provider: str = "openai_compatible"
    """A name in `PROVIDERS`."""
    model: str = ""
    """WORLDWRIGHT_MODEL."""
    api_key: SecretStr = Field(default=SecretStr(""), exclude=True)
    """OPENAI_API_KEY; excluded from dumps, fingerprints and representations."""
    base_url: str = DEFAULT_BASE_URL
    """OPENAI_BASE_URL."""
    timeout: float = Field(default=300.0, gt=0)
    """Seconds one answer may take."""
    structured: StructuredMode = "auto"
    reasoning_tokens: int = Field(default=REASONING_TOKENS, ge=0)
    """WORLDWRIGHT_REASONING_TOKENS: what a model that reasons may use for that beside its reply."""
    reasoning_effort: str = ""
    """WORLDWRIGHT_REASONING_EFFORT: how much such a model is to think; "" leaves it to the endpoint."""
    limits: RateLimits = RateLimits()
    remembered_in: Path | None = None
    """Folder in which it lasts what the endpoint takes."""
    recordings: Path | None = None
    """Folder of recordings, for the provider "recorded"."""


def open_endpoint(settings: ProviderSettings) -> OpenAICompatible:
    """The endpoint of some settings, with connections of its own.

    Raises:
        InvalidInput: A setting is missing or wrong; the text names it.
    """
    base_url, folder = settings.base_url or DEFAULT_BASE_URL, settings.remembered_in
    return OpenAICompatible(
        settings.model,
        settings.api_key.get_secret_value(),
        base_url=base_url,
        timeout=settings.timeout,
        structured=settings.structured,
        reasoning_tokens=settings.reasoning_tokens,
        reasoning_effort=settings.reasoning_effort,
        memory=FeatureMemory(folder, base_url, settings.model) if folder is not None else None,
    )


def _recorded(settings: ProviderSettings) -> Provider:
    if settings.recordings is None:
        raise InvalidInput('The provider "recorded" needs the folder of its recordings.')
    return Recorded(None, FolderRecordings(settings.recordings), model=settings.model or "recorded")


PROVIDERS: dict[str, Callable[[ProviderSettings], Provider]] = {
    "openai_compatible": open_endpoint,
    "recorded": _recorded,
}
"""Who can be asked, by name."""


def make_provider(
    settings: ProviderSettings,
    *,
    record: Callable[[LedgerEntry], None] | None = None,
    prices: PriceTable | None = None,
    budget: Budget | None = None,
    retry: RetryPolicy | None = None,
    recordings: Recordings | None = None,
    scope: str = "",
    gate: Gate | None = None,
    priority: int = 0,
    stopped: Callable[[], bool] | None = None,
    endpoint: Provider | None = None,
) -> Provider:
    """A provider with everything around it: ledger, budget, limits, retries, and recordings as a cache.

    Args:
        settings: Endpoint, model, limits.
        record: Takes one ledger entry per call that was really made.
        prices: What models cost; the listed prices when None.
        budget: Where to stop.
        retry: How often and how patiently to ask again.
        recordings: Where answers are kept; a resumed run replays them and pays for nothing twice.
        scope: Within which recordings count, for example a run's id.
        gate: The way to the endpoint that others in this process use too; one of its own when None.
        priority: Of its calls at the gate.
        stopped: Asked before each call that is really made; when it is so, `Cancelled` is raised instead.
        endpoint: The endpoint itself, where others use it as well and its connections are kept for all.

    Raises:
        UnknownName: No provider has that name.
        InvalidInput: A setting is missing or wrong; the text names it.
    """
    if settings.provider not in PROVIDERS:
        raise UnknownName("provider", settings.provider, list(PROVIDERS))
    provider = endpoint or PROVIDERS[settings.provider](settings)
    if settings.provider == "recorded":
        return provider
    provider = Metered(provider, record or _forget, prices=prices)
    if stopped is not None:
        provider = Stoppable(provider, stopped)
    if budget is not None:
        provider = Budgeted(provider, budget, prices=prices)
    limited = Limited(provider, gate or Gate(settings.limits), priority=priority)
    provider = Retrying(limited, retry or RetryPolicy())
    return Recorded(provider, recordings, scope=scope) if recordings is not None else provider


def _forget(entry: LedgerEntry) -> None:
    """No ledger is kept."""
