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


SCRIPTED_USER, MODEL_USER = "user", "user=model"
"""Options of "chat" after the colon, beside the names of toolboxes."""


def _chat(variant: str = "", **options: Any) -> Agent:
    from synthesis.rollouts.chat import ChatAgent

    name = f"chat:{variant}" if variant else "chat"
    user_provider = options.pop("user_provider", None) or options.get("provider")
    return ChatAgent(name=name, **_chat_options(variant, user_provider), **options)


def _chat_options(variant: str, user_provider: Any) -> dict[str, Any]:
    """The options that "chat:two-tools,user" and the like stand for."""
    from synthesis.rollouts.toolbox import make_toolbox
    from synthesis.rollouts.user import ModelUser, ScriptedUser

    values: dict[str, Any] = {}
    for option in variant.split(",") if variant else ():
        if option == SCRIPTED_USER:
            values["user"] = ScriptedUser()
        elif option == MODEL_USER:
            values["user"] = ModelUser(user_provider)
        else:
            values["toolbox"] = make_toolbox(option)
    return values


def _interviewer(**options: Any) -> Agent:
    from synthesis.rollouts.interviewer import InterviewerAgent

    return InterviewerAgent(**options)


AGENTS: dict[str, MakeAgent] = {
    "reference": ReferenceAgent,
    "no-op": NoOpAgent,
    "random": RandomAgent,
    "explorer": ExplorerAgent,
    "faulty": FaultyAgent,
    "interviewer": _interviewer,
    "chat": _chat,
}
"""Name to maker. "faulty" may carry the kind of mistake: "faulty:wrong_row"; "chat" how it is shown its tools
("two-tools", "names", "retrieved:8") and that it speaks with a user ("user", "user=model"):
"chat:two-tools,user"."""
_VARIANT = {"faulty": "mistake", "chat": "variant"}
"""Agents that may carry something after a colon, and the option it becomes."""


def kind_of(name: str) -> str:
    """The name of an agent without its variant."""
    return name.partition(":")[0]


def make_agent(name: str, **options: Any) -> Agent:
    """A new agent; agents hold the state of one episode, so each rollout at a time needs its own.

    Args:
        name: One of `AGENTS`, for "faulty" and "chat" with an optional variant after a colon.
        options: What that agent takes, for example `provider` and `history` for "chat".

    Raises:
        UnknownName: There is no such agent, no such kind of mistake, no such toolbox.
        InvalidInput: The agent does not take these options.
    """
    kind, _, variant = name.partition(":")
    if kind not in AGENTS or (variant and kind not in _VARIANT):
        raise UnknownName("agent", name, list(AGENTS))
    if variant:
        options[_VARIANT[kind]] = variant
    try:
        return AGENTS[kind](**options)
    except TypeError as error:
        raise InvalidInput(f"Agent {kind!r} cannot be created with {sorted(options)}: {error}") from error
