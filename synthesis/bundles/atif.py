"""atif: trajectories in the Agent Trajectory Interchange Format 1.8 (Harbor RFC 0001), one JSON file each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from synthesis.bundles.archive import write_folder, write_zip
from synthesis.bundles.conversation import (
    MALFORMED_ARGUMENTS,
    ChatTurn,
    functions_of,
    judged_trajectories,
    messages_of,
    outcome,
    system_prompt,
    task_of,
    turns,
)
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput

SCHEMA_VERSION = "ATIF-v1.8"


class AtifCodec:
    """Trajectories for Harbor and everything that reads its format."""

    name = "atif"
    title = "ATIF 1.8 trajectories, a folder of JSON files (Harbor)"
    loss: tuple[str, ...] = (
        "the environment itself (schema, rows, tool code, verifiers), checks and reviews",
        "the rows each step changed",
        "verdicts after the first that was scored",
    )
    reads = False
    suffix = ".zip"

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write a folder, or a zip when the path ends in .zip.

        Raises:
            InvalidInput: The bundle holds no trajectories, or the path is taken or cannot be written.
        """
        files = {
            f"{number:05d}-{judged.trajectory.task_id}.json": orjson.dumps(document(bundle, judged))
            for number, judged in enumerate(judged_trajectories(bundle), start=1)
        }
        if path.suffix.lower() == ".zip":
            return write_zip(files, path, folder=bundle.environment.name)
        return write_folder(files, path)

    def read(self, path: Path) -> Bundle:
        """Refuses: a trajectory does not hold its environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")


def document(bundle: Bundle, judged: JudgedTrajectory) -> dict[str, Any]:
    """One trajectory as an ATIF document; absent values are left out."""
    environment, trajectory = bundle.environment, judged.trajectory
    task = task_of(bundle, judged)
    messages = _recorded(bundle, judged) if trajectory.conversation else _followed(bundle, judged)
    # ATIF wants an agent's version; ours are identified by name and model.
    agent: dict[str, Any] = {
        "name": trajectory.agent,
        "version": "1",
        "tool_definitions": functions_of(environment, judged),
    }
    if trajectory.model is not None:
        agent["model_name"] = trajectory.model
    return {
        "schema_version": SCHEMA_VERSION,
        "session_id": trajectory.fingerprint,
        "trajectory_id": trajectory.fingerprint,
        "agent": agent,
        "steps": [{"step_id": number, **step} for number, step in enumerate(messages, start=1)],
        "final_metrics": {
            **_tokens(_total(judged), "total_"),
            "total_steps": len(messages),
        },
        "extra": {
            "environment": environment.name,
            "environment_fingerprint": trajectory.environment,
            "task_id": task.id,
            "seed": trajectory.seed,
            **outcome(judged),
        },
    }


def _followed(bundle: Bundle, judged: JudgedTrajectory) -> list[dict[str, Any]]:
    """The steps of an agent that recorded no conversation."""
    return [
        {"source": "system", "message": system_prompt(bundle.environment)},
        {"source": "user", "message": task_of(bundle, judged).instruction},
        *(_step(turn, by_model=judged.trajectory.model is not None) for turn in turns(judged)),
    ]


def _recorded(bundle: Bundle, judged: JudgedTrajectory) -> list[dict[str, Any]]:
    """One step per message; what came back for calls is part of the reply that asked for them."""
    messages: list[dict[str, Any]] = []
    used, sampled = _usage_by_reply(judged), _sampled_by_reply(judged)
    for message in messages_of(bundle, judged, reasoning=True):
        if message["role"] == "tool":
            results = messages[-1].setdefault("observation", {"results": []})["results"]
            results.append({"source_call_id": message["tool_call_id"], "content": message["content"]})
        elif message["role"] == "assistant":
            reply = _reply(message, next(used, None), by_model=judged.trajectory.model is not None)
            if tokens := next(sampled, {}):
                reply["metrics"] = {**reply.get("metrics", {}), **tokens}
            messages.append(reply)
        else:
            messages.append({"source": message["role"], "message": message["content"]})
    return messages


def _reply(message: dict[str, Any], usage: Usage | None, *, by_model: bool) -> dict[str, Any]:
    step: dict[str, Any] = {
        "source": "agent",
        "message": message["content"],
        "llm_call_count": int(by_model),
    }
    if thought := message.get("reasoning_content"):
        step["reasoning_content"] = thought
    if usage is not None:
        step["metrics"] = _tokens(usage)
    if calls := message.get("tool_calls"):
        step["tool_calls"] = [
            {
                "tool_call_id": call["id"],
                "function_name": call["function"]["name"],
                "arguments": _arguments(call["function"]["arguments"]),
            }
            for call in calls
        ]
    return step


def _usage_by_reply(judged: JudgedTrajectory) -> Iterator[Usage | None]:
    """What led to a step was used by the last reply before it: the record adds up replies without a step."""
    trajectory = judged.trajectory
    assert trajectory.conversation is not None
    replies = trajectory.conversation.turns
    for reply, after in itertools.zip_longest(replies, replies[1:]):
        led = (after is None or after.step > reply.step) and reply.step <= len(trajectory.steps)
        yield trajectory.steps[reply.step - 1].usage if led else None


def _sampled_by_reply(judged: JudgedTrajectory) -> Iterator[dict[str, Any]]:
    """The sampled tokens of each reply, where they were recorded."""
    conversation = judged.trajectory.conversation
    assert conversation is not None
    for reply in (message for message in conversation.messages if message.role == "assistant"):
        tokens = reply.sampled
        details = {"logprobs": [*tokens.logprobs]} if tokens else {}
        yield details | ({"completion_token_ids": [*tokens.ids]} if tokens and tokens.ids else {})


def _arguments(read: dict[str, Any]) -> dict[str, Any]:
    """The arguments as they are; what was no object is stored whole under "text"."""
    return {"text": read[MALFORMED_ARGUMENTS]} if read.keys() == {MALFORMED_ARGUMENTS} else read


def _step(turn: ChatTurn, *, by_model: bool) -> dict[str, Any]:
    step: dict[str, Any] = {"source": "agent", "message": turn.text, "extra": {"status": turn.step.status}}
    if not by_model:
        step["llm_call_count"] = 0
    elif turn.step.usage is not None:
        step["llm_call_count"] = 1
        step["metrics"] = _tokens(turn.step.usage)
    if turn.call is not None:
        called = {
            "tool_call_id": turn.call_id,
            "function_name": turn.call.name,
            "arguments": turn.call.arguments,
        }
        step["tool_calls"] = [called]
        step["observation"] = {"results": [{"source_call_id": turn.call_id, "content": turn.observation}]}
    return step


def _tokens(usage: Usage | None, prefix: str = "") -> dict[str, Any]:
    if usage is None:
        return {}
    details: dict[str, Any] = {
        f"{prefix}prompt_tokens": usage.input_tokens,
        f"{prefix}completion_tokens": usage.output_tokens,
        f"{prefix}cached_tokens": usage.cached_tokens,
    }
    if usage.reasoning_tokens:
        details["extra"] = {f"{prefix}reasoning_tokens": usage.reasoning_tokens}
    if usage.cost is not None:
        details["total_cost_usd" if prefix else "cost_usd"] = usage.cost
    return details


def _total(judged: JudgedTrajectory) -> Usage | None:
    used = [step.usage for step in judged.trajectory.steps if step.usage is not None]
    return sum(used[1:], used[0]) if used else None
