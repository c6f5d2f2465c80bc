"""Runs: recorded trajectories as the folders that the format's agent writes and its verifier reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from synthesis.bundles.awm.folder import key_of
from synthesis.documents.bundle import Bundle
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step, Trajectory
from synthesis.worlds.world import World


def run_files(
    bundle: Bundle, world: World, tasks: Sequence[Task], *, prompts: Sequence[str]
) -> dict[str, bytes]:
    """The files of every trajectory of these tasks, each in a folder of its own.

    Args:
        bundle: Whose trajectories they are.
        world: Its world, in which the calls are made again for the database they end with.
        tasks: The tasks in the order of their indices.
        prompts: What agents are told of each.
    """
    indices = {task.id: index for index, task in enumerate(tasks)}
    files: dict[str, bytes] = {}
    for number, judged in enumerate(bundle.trajectories, start=1):
        trajectory = judged.trajectory
        if (index := indices.get(trajectory.task_id)) is None:
            continue
        place = f"{key_of(bundle.environment.name)}/task_{index}/run_{number}"
        record = run_record(trajectory, index, prompts[index])
        files[f"{place}/trajectory.json"] = orjson.dumps(record, option=orjson.OPT_INDENT_2)
        with world.instance(seed=trajectory.seed) as instance:
            files[f"{place}/initial.db"] = instance.snapshot().image
            for call in trajectory.calls:
                instance.call(call.name, call.arguments)
            files[f"{place}/final.db"] = instance.snapshot().image
    return files


def run_record(trajectory: Trajectory, index: int, prompt: str) -> dict[str, Any]:
    """One trajectory.json: its messages end with the assistant's final text, which is the answer."""
    steps = list(_steps(trajectory))
    messages = [{"role": "user", "content": prompt}]
    for step in steps:
        messages.append({"role": "assistant", "content": step["content"]})
        if response := step.get("tool_response"):
            messages.append({"role": "tool", **response})
    return {
        "scenario": key_of(trajectory.environment_name),
        "task_id": index,
        "task": prompt,
        "model": trajectory.model or trajectory.agent,
        "api_url": "",
        "max_iterations": max(len(steps), 1),
        "temperature": 0.0,
        "total_iterations": len(steps),
        "timestamp": "",
        "trajectory": steps,
        "messages": messages,
    }


def _steps(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    for step in trajectory.steps:
        shown = {"iteration": step.index, "role": "assistant", "content": _content(step), "tool_calls": []}
        if isinstance(step.action, ToolCall):
            call = {"id": f"call_{step.index}", "name": "call_tool", "arguments": _arguments(step.action)}
            response = {"tool_call_id": call["id"], "content": _observed(step)}
            yield {**shown, "tool_calls": [call], "tool_response": response}
        else:
            yield {**shown, "is_final": isinstance(step.action, FinalAnswer)}
    if trajectory.steps and not isinstance(trajectory.steps[-1].action, FinalAnswer):
        # Readers take the last message of the assistant for its answer: here it gave none.
        last = trajectory.steps[-1].index + 1
        yield {"iteration": last, "role": "assistant", "content": "", "tool_calls": [], "is_final": True}


def _content(step: Step) -> str:
    """What the assistant wrote; a call stands in the text, as the format's agent writes it."""
    if isinstance(step.action, FinalAnswer | Malformed):
        return step.action.text
    call = orjson.dumps({"name": "call_tool", "arguments": _arguments(step.action)}).decode()
    thought = f"{step.thought}\n" if step.thought else ""
    return f"{thought}<tool_call>\n{call}\n</tool_call>"


def _arguments(call: ToolCall) -> dict[str, str]:
    return {"tool_name": call.name, "arguments": orjson.dumps(call.arguments).decode()}


def _observed(step: Step) -> str:
    text = orjson.dumps(step.observation).decode()
    return text if step.status == "ok" else f"Error: {text}"
