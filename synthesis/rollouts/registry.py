"""The agents by name, one visible table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from synthesis.errors import InvalidInput, UnknownName
from synthesis.rollouts.agent import Agent
from synthesis.rollouts.explorer import ExplorerAgent
from synthesis.rollouts.faulty import FaultyAgent
from synthesis.rollouts.no_op import NoOpAgent
from synthesis.rollouts.random_agent import RandomAgent
from synthesis.rollouts.reference import ReferenceAgent

MakeAgent = Callable[..., Agent]


def _chat(**options: Any) -> Agent:
    from synthesis.rollouts.chat import ChatAgent  # needs a model client, which a trainer may not have

    return ChatAgent(**options)


AGENTS: dict[str, MakeAgent] = {
    "reference": ReferenceAgent,
    "no-op": NoOpAgent,
    "random": RandomAgent,
    "explorer": ExplorerAgent,
    "faulty": FaultyAgent,
    "chat": _chat,
}
"""Name to maker. "faulty" may carry the kind of mistake: "faulty:wrong_row"."""


def make_agent(name: str, **options: Any) -> Agent:
    """A new agent; agents hold the state of one episode, so each rollout at a time needs its own.

    Args:
        name: One of `AGENTS`, for "faulty" with an optional kind after a colon.
        options: What that agent takes, for example `provider` and `history` for "chat".

    Raises:
        UnknownName: There is no such agent, or no such kind of mistake.
        InvalidInput: The agent does not take these options.
    """
    kind, _, variant = name.partition(":")
    if kind not in AGENTS or (variant and kind != "faulty"):
        raise UnknownName("agent", name, list(AGENTS))
    if variant:
        options["mistake"] = variant
    try:
        return AGENTS[kind](**options)
    except TypeError as error:
        raise InvalidInput(f"Agent {kind!r} cannot be made with {sorted(options)}: {error}") from error
