"""AnswerForm: how an agent gives its final answer, the same for every task, and what is taken of it.

A schema of its own per task would give away what is asked: a task whose right answer is to decline has no
values. So there is one, and names of values are the agent's own words.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, Literal

from pydantic import JsonValue, ValidationError

from synthesis.documents.trajectory import FinalAnswer

AnswerForm = Literal["text", "structured", "both"]
"""Free text; fields; or text with fields beside it."""

SUBMIT_ANSWER = "submit_answer"
"""The tool by which fields are given."""
OTHER_NAME = "submit_final_answer"
"""What it is called where the application has a tool of that name."""
LONGEST_TEXT = 100_000
MOST_VALUES = 100
_LONGEST_NAME = 200
_LONGEST_VALUES = 100_000
"""Bytes of all values as JSON."""

DESCRIPTION = (
    "Give the final answer to the user. It ends the task: call it once, when everything is done or cannot "
    "be done."
)
PARAMETERS: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "The answer to the user, in one or two sentences."},
        "outcome": {
            "type": "string",
            "enum": ["done", "declined", "not_possible"],
            "description": "done: it was done or answered. declined: it must not be done. not_possible: it "
            "cannot be done.",
        },
        "reason": {"type": "string", "description": "Why, where it was declined or is not possible."},
        "values": {
            "type": "object",
            "description": "What the user asked to be told, each by a short name in the request's words: "
            "amounts as decimals (170.50), days as YYYY-MM-DD, times as HH:MM. Empty where nothing was "
            "asked.",
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        },
    },
    "required": ["text", "outcome"],
    "additionalProperties": False,
}
"""JSON Schema of the tool's arguments."""

FORM_TEXTS: dict[AnswerForm, str] = {
    "text": "Answer in plain text. Where something is declined or not possible, say so with the reason.",
    "structured": "Answer in fields: outcome (done, declined or not_possible), reason, and values: what was "
    "asked to be told, by name. Free text beside them is not read.",
    "both": "Answer in plain text, or in fields: text, outcome (done, declined or not_possible), reason, and "
    "values: what was asked to be told, by name. Values that are given decide; the text must agree with "
    "them.",
}
"""What agents are told about the answer."""


class UnfitAnswer(ValueError):
    """An answer in fields that do not have the right form; the text says what is wrong."""


def tool_name(names: Collection[str]) -> str:
    """What the tool is called beside the application's own tools."""
    return OTHER_NAME if SUBMIT_ANSWER in names else SUBMIT_ANSWER


def read_answer(given: Mapping[str, Any]) -> FinalAnswer:
    """An answer from its fields as they came over the wire.

    Raises:
        UnfitAnswer: A field is unknown or of another type, or there is too much of it.
    """
    try:
        answer = FinalAnswer.model_validate(
            {name: value for name, value in given.items() if value is not None}
        )
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in problem["loc"])
        raise UnfitAnswer(
            f"{place or 'The answer'}: {problem['msg']}. Fields: {', '.join(FinalAnswer.model_fields)}."
        ) from error
    except RecursionError as error:
        raise UnfitAnswer("values: nested too deeply.") from error
    _check_size(answer)
    return answer


def _check_size(answer: FinalAnswer) -> None:
    if len(answer.text) > LONGEST_TEXT or len(answer.reason or "") > LONGEST_TEXT:
        raise UnfitAnswer(f"text, reason: at most {LONGEST_TEXT:,} characters each.")
    if len(answer.values) > MOST_VALUES:
        raise UnfitAnswer(f"values: at most {MOST_VALUES}.")
    for name, value in answer.values.items():
        if not name.strip() or len(name) > _LONGEST_NAME:
            raise UnfitAnswer(f"values: a name has 1 to {_LONGEST_NAME} characters.")
        if isinstance(value, dict) or (
            isinstance(value, list) and any(isinstance(each, dict | list) for each in value)
        ):
            raise UnfitAnswer(f"values.{name}: a text, a number, true, false or a list of these.")
    if len(json.dumps(answer.values)) > _LONGEST_VALUES:
        raise UnfitAnswer(f"values: at most {_LONGEST_VALUES:,} bytes as JSON.")


def has_fields(answer: FinalAnswer) -> bool:
    """Whether an answer is more than its text."""
    return answer.outcome is not None or answer.reason is not None or bool(answer.values)


def fields_of(answer: FinalAnswer) -> dict[str, JsonValue]:
    """An answer as the arguments of the tool that takes it."""
    fields: dict[str, JsonValue] = answer.model_dump(mode="json")
    return fields


def taken(answer: FinalAnswer, form: AnswerForm) -> FinalAnswer:
    """What of an answer is measured under a form: its text alone, its fields alone, or all of it."""
    if form == "text":
        return FinalAnswer(text=answer.text)
    if form == "structured":
        return FinalAnswer(outcome=answer.outcome, reason=answer.reason, values=answer.values)
    return answer
