"""Conversation: a trajectory as the chat that it was, for the formats that models are trained on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import JsonValue

from synthesis.documents.answer_form import DESCRIPTION, PARAMETERS, SUBMIT_ANSWER, fields_of, has_fields
from synthesis.documents.briefing import briefing_of
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.conversation import Conversation, Message
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import Tool, ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step
from synthesis.errors import InvalidInput
from synthesis.rollouts.training_samples import is_trainable, scored


@dataclass(frozen=True)
class ChatTurn:
    """One step of the agent: what it wrote, what it called, what came back."""

    step: Step
    text: str
    call: ToolCall | None
    observation: str | None
    """JSON text of what the tool brought; None where nothing was called."""

    @property
    def call_id(self) -> str:
        """The id by which the result names its call."""
        return f"call_{self.step.index}"


def turns(judged: JudgedTrajectory) -> list[ChatTurn]:
    """The agent's steps in order."""
    return [_turn(step) for step in judged.trajectory.steps]


def _turn(step: Step) -> ChatTurn:
    match step.action:
        case ToolCall() as call:
            return ChatTurn(step, step.thought, call, json_text(step.observation))
        case FinalAnswer() as answer if has_fields(answer):
            submitted = ToolCall(name=SUBMIT_ANSWER, arguments=fields_of(answer))
            return ChatTurn(step, step.thought, submitted, json_text({"status": "submitted"}))
        case FinalAnswer(text=text) | Malformed(text=text):
            return ChatTurn(step, text, None, None)


def system_prompt(environment: Environment) -> str:
    """What an agent is told of an environment before its task: the application, its clock, its policy, whom
    it acts for and how to answer.

    A chat agent's own prompt is in the conversation it recorded; for others, this one says the same facts.
    """
    return briefing_of(environment, form="text").text()


def task_of(bundle: Bundle, judged: JudgedTrajectory) -> Task:
    """The task a trajectory was played for.

    Raises:
        InvalidInput: It belongs to another environment.
    """
    trajectory = judged.trajectory
    task = bundle.environment.task(trajectory.task_id)
    if task is None:
        raise InvalidInput(
            f"A trajectory belongs to task {trajectory.task_id!r}, which {bundle.environment.name} lacks."
        )
    return task


def judged_trajectories(bundle: Bundle) -> tuple[JudgedTrajectory, ...]:
    """The trajectories of a bundle.

    Raises:
        InvalidInput: It has none.
    """
    if not bundle.trajectories:
        raise InvalidInput(
            f"The bundle of {bundle.environment.name} contains no trajectories; run agents first."
        )
    return bundle.trajectories


def outcome(judged: JudgedTrajectory) -> dict[str, JsonValue]:
    """What a trajectory was worth: the first scored verdict decides; a failed measurement is no score."""
    verdict, answer = scored(judged), judged.trajectory.final_answer
    return {
        "reward": verdict.reward if verdict else None,
        "label": verdict.label if verdict else "unscored",
        "basis": verdict.basis if verdict else None,
        "trainable": is_trainable(judged),
        "stop_reason": judged.trajectory.stop_reason,
        **({"answer": fields_of(answer)} if has_fields(answer) else {}),
    }


def identity(bundle: Bundle, judged: JudgedTrajectory) -> dict[str, JsonValue]:
    """Which try at which task of which environment a line of data is from.

    Raises:
        InvalidInput: The trajectory belongs to another environment.
    """
    trajectory, task = judged.trajectory, task_of(bundle, judged)
    return {
        "environment": bundle.environment.name,
        "environment_fingerprint": trajectory.environment,
        "task_id": task.id,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "split": task.split,
        "agent": trajectory.agent,
        "model": trajectory.model,
        "seed": trajectory.seed,
        "user": trajectory.conversation.user if trajectory.conversation else "",
    }


def messages_of(bundle: Bundle, judged: JudgedTrajectory, *, reasoning: bool = False) -> list[dict[str, Any]]:
    """The whole conversation: as it was recorded, or as it follows from the steps.

    Args:
        bundle: Whose environment it was played in.
        judged: The trajectory.
        reasoning: Whether replies hold what the model thought, as `reasoning_content`.

    Raises:
        InvalidInput: The trajectory belongs to another environment.
    """
    task = task_of(bundle, judged)
    recorded = judged.trajectory.conversation
    if recorded is None:
        return [*opening(bundle.environment, task), *replies(judged)]
    texts = [chat_message(message, recorded, reasoning=reasoning) for message in _answered(recorded)]
    if not texts or texts[0]["role"] != "system":
        texts.insert(0, {"role": "system", "content": system_prompt(bundle.environment)})
    return texts


def _answered(conversation: Conversation) -> list[Message]:
    """The messages without calls that nothing came back for: a limit kept them from being made."""
    answered = {message.tool_call_id for message in conversation.messages if message.role == "tool"}
    return [
        message.replace(tool_calls=tuple(call for call in message.tool_calls if call.id in answered))
        for message in conversation.messages
    ]


MALFORMED_ARGUMENTS = "malformed_arguments"
"""The one argument of a call whose own arguments were no JSON object; it holds them as written."""


def has_malformed_arguments(judged: JudgedTrajectory) -> bool:
    """Whether a call in its conversation was written with arguments that are no JSON object."""
    recorded = judged.trajectory.conversation
    return recorded is not None and any(
        _object(call.arguments) is None for message in _answered(recorded) for call in message.tool_calls
    )


def read_arguments(written: str) -> dict[str, JsonValue]:
    """A call's arguments as the object that was written; an object that holds them as text where it was none.

    Chat templates walk through the arguments of every call, and one they cannot read stops the loading.
    """
    read = _object(written)
    return {MALFORMED_ARGUMENTS: written} if read is None else read


def _object(written: str) -> dict[str, JsonValue] | None:
    """The JSON object that a text is, or None; no text at all is an object without fields."""
    if not written.strip():
        return {}
    try:
        read = orjson.loads(written)
        orjson.dumps(read)
    except (ValueError, TypeError):  # what can be read may be nested too deep to be written
        return None
    return read if isinstance(read, dict) else None


def chat_message(message: Message, conversation: Conversation, *, reasoning: bool = False) -> dict[str, Any]:
    """A recorded message in the shape of chat completions, but with the arguments of its calls as objects.

    Chat templates render objects: text would be quoted once more, or stop those that walk through the fields.
    Those of models that reason read `reasoning_content`.

    Args:
        message: What is written.
        conversation: Whose calls name the tools of its results.
        reasoning: Whether a reply holds what the model thought.
    """
    if message.role == "tool":
        names = {call.id: call.name for text in conversation.messages for call in text.tool_calls}
        return {
            "role": "tool",
            "tool_call_id": message.tool_call_id,
            "name": names.get(message.tool_call_id or "", ""),
            "content": message.text,
        }
    details: dict[str, Any] = {"role": message.role, "content": message.text}
    if reasoning and message.reasoning is not None and message.reasoning.text:
        details["reasoning_content"] = message.reasoning.text
    if message.tool_calls:
        details["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": read_arguments(call.arguments)},
            }
            for call in message.tool_calls
        ]
    return details


def functions_of(
    environment: Environment, judged: JudgedTrajectory, offered: Collection[str] | None = None
) -> list[dict[str, Any]]:
    """The tools the agent could call, as functions.

    Args:
        environment: Whose tools.
        judged: The trajectory; one that recorded nothing was offered every tool.
        offered: Names of the tools of one turn; by default those of any turn.
    """
    recorded = judged.trajectory.conversation
    if offered is None and recorded is not None:
        offered = {name for turn in recorded.turns for name in turn.offered}
    if recorded is None or not offered:
        submitting = recorded is None and has_fields(judged.trajectory.final_answer)
        more = [submit_function()] if submitting else []
        return [*(function_of(tool) for tool in environment.tools.tools), *more]
    own = [
        {"name": offer.name, "description": offer.description, "parameters": offer.parameters}
        for offer in recorded.tools
        if offer.name in offered
    ]
    return [
        *({"type": "function", "function": function} for function in own),
        *(function_of(tool) for tool in environment.tools.tools if tool.name in offered),
    ]


def opening(environment: Environment, task: Task) -> list[dict[str, Any]]:
    """The messages before the first reply."""
    return [
        {"role": "system", "content": system_prompt(environment)},
        {"role": "user", "content": task.instruction},
    ]


def replies(judged: JudgedTrajectory) -> list[dict[str, Any]]:
    """What the agent wrote and what came back, as messages of chat completions.

    Calls that a model asked for in one reply stand in one message, as they were seen.
    """
    messages: list[dict[str, Any]] = []
    grouped: list[list[ChatTurn]] = []
    for turn in turns(judged):
        if grouped and _same_reply(grouped[-1][-1], turn, by_model=judged.trajectory.model is not None):
            grouped[-1].append(turn)
        else:
            grouped.append([turn])
    for group in grouped:
        message: dict[str, Any] = {"role": "assistant", "content": group[0].text}
        if called := [turn for turn in group if turn.call is not None]:
            message["tool_calls"] = [_called(turn) for turn in called]
        messages.append(message)
        messages += [_result(turn) for turn in called]
    return messages


def _same_reply(before: ChatTurn, turn: ChatTurn, *, by_model: bool) -> bool:
    """Whether a model asked for two calls in one reply: what it used and wrote is recorded with the first."""
    both_call = before.call is not None and turn.call is not None
    return by_model and both_call and turn.step.usage is None and not turn.text


def _called(turn: ChatTurn) -> dict[str, Any]:
    assert turn.call is not None
    function = {"name": turn.call.name, "arguments": turn.call.arguments}
    return {"id": turn.call_id, "type": "function", "function": function}


def _result(turn: ChatTurn) -> dict[str, Any]:
    assert turn.call is not None
    return {
        "role": "tool",
        "tool_call_id": turn.call_id,
        "name": turn.call.name,
        "content": turn.observation,
    }


def function_of(tool: Tool) -> dict[str, Any]:
    """A tool as OpenAI's function calling describes it."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": plain_schema(tool.input_schema),
    }
    return {"type": "function", "function": function}


def submit_function() -> dict[str, Any]:
    """The tool that takes an answer in fields, as OpenAI's function calling describes it."""
    function = {"name": SUBMIT_ANSWER, "description": DESCRIPTION, "parameters": PARAMETERS}
    return {"type": "function", "function": function}


def json_text(value: Any) -> str:
    """A value as compact JSON text."""
    return orjson.dumps(value).decode()
