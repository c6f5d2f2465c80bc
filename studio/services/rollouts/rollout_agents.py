"""Rollout agents: who plays, chosen by name and settings, and recreated for every episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.conf import settings
from pydantic import Field

from studio.services.llm.providers import provider_settings
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.provider import Completion, CompletionRequest, Provider
from synthesis.rollouts.agent import Agent
from synthesis.rollouts.faulty import MISTAKES
from synthesis.rollouts.history import SlidingWindow, make_history
from synthesis.rollouts.registry import AGENTS, make_agent

ASKING = frozenset({"chat"})
"""Agents that ask a model, in every variant; the others are scripted."""

SHOWN = ("chat:two-tools", "chat:names", "chat:retrieved:8", "chat:user")
"""Variants of the agent that asks a model which are offered to people; programs may name any."""


class AgentSettings(Document):
    """What an agent that asks a model is made with; scripted agents need none of it."""

    model: str = ""
    """Models separated by commas, each further one for when those before it are down; those of the settings
    when empty."""
    user_model: str = ""
    """The same for a user that a model plays; the agent's own model when neither is set."""
    history: str = ""
    """A policy like "full", "window:3" or "tokens:16000"; the window of the settings when empty."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    call_seconds: float = Field(default=120.0, gt=0, le=3_600)
    """Longest wait for one answer of the model."""


def agent_names() -> list[str]:
    """Every agent there is, with ways to show a model its tools and every kind of planted mistake."""
    faulty = [f"faulty:{mistake}" for mistake in MISTAKES]
    return [name for name in AGENTS if name != "faulty"] + list(SHOWN) + faulty


def asks_a_model(name: str) -> bool:
    """Whether an agent of that name asks a model."""
    return name.partition(":")[0] in ASKING


def recorded_name(name: str) -> str:
    """The name under which what an agent did is kept: "faulty" is kept with its kind of mistake."""
    return make_agent(name, **({"provider": _Nobody()} if asks_a_model(name) else {})).name


def require_agents(
    names: Sequence[str], chosen: AgentSettings | None = None, *, project_id: int | None = None
) -> None:
    """Pass when every name is an agent's and the settings can be used.

    Args:
        names: Of agents.
        chosen: For those that ask a model.
        project_id: Whose keys count; of the project to which what is made now belongs when None.

    Raises:
        UnknownName: No agent, mistake or history policy has such a name.
        InvalidInput: A history policy's number is none, or an agent asks a model and no key or model is set.
    """
    for name in names:
        if name.partition(":")[0] not in AGENTS:
            raise UnknownName("agent", name, list(AGENTS))
        recorded_name(name)
    if chosen is not None and chosen.history:
        make_history(chosen.history)
    asking = next(filter(asks_a_model, names), None)
    if chosen is not None and asking is not None:
        provider_settings(
            model=chosen.model,
            role="agent",
            project_id=project_id,
            asking=f"Agent {asking!r}",
            otherwise="choose a scripted agent",
        )


def maker_of(
    name: str, chosen: AgentSettings, provider: Provider | None, user_provider: Provider | None = None
) -> Callable[[], Agent]:
    """Makes agents of a name; each plays one episode at a time.

    Args:
        name: As in the table of agents.
        chosen: For agents that ask a model.
        provider: Who is asked.
        user_provider: Who plays the user of an agent that talks to a model; the same when None.

    Raises:
        InvalidInput: The agent asks a model and there is no provider.
    """
    if not asks_a_model(name):
        return lambda: make_agent(name)
    if provider is None:
        raise InvalidInput(f"Agent {name!r} needs a model, and none is configured.")
    variables = settings.WORLDWRIGHT
    window = SlidingWindow(variables.history_window)
    history = make_history(chosen.history) if chosen.history else window
    return lambda: make_agent(
        name,
        provider=provider,
        user_provider=user_provider,
        history=history,
        response_tokens=variables.response_tokens,
        context_tokens=variables.context_tokens,
        temperature=chosen.temperature,
        logprobs=variables.agent_logprobs,
    )


class _Nobody:
    """Stands in for a provider while an agent's name is looked at."""

    model = ""

    def complete(self, request: CompletionRequest) -> Completion:
        """Never asked."""
        raise NotImplementedError
