"""Structured replies: a reply's text read as a document, tolerant of form and strict about content."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError

from synthesis.errors import ReplyUnreadable
from synthesis.llm.provider import Completion, CompletionRequest, ReplyFormat

MAX_REPLY_CHARACTERS = 1_000_000
"""A longer text is not read: no part of an environment is that long."""

MAX_PROBLEMS = 20
"""Problems told at once; more would only be scrolled past."""

_DECLINES = re.compile(
    r"(i['\u2019]?m|i am) (very |really )?(sorry|unable|not able)|sorry\b"
    r"|i (can['\u2019]?t|can ?not|won['\u2019]?t|will not|must decline)",
    re.IGNORECASE,
)
"""How models begin a text that declines; read only where the text holds no JSON at all."""

_FENCED = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)

Wanted = TypeVar("Wanted", bound=BaseModel)


@cache
def reply_format(wanted: type[BaseModel]) -> ReplyFormat:
    """The reply format that asks for such a model; made once, since it takes longer than most prompts."""
    return ReplyFormat(name=wanted.__name__, json_schema=_untitled(wanted.model_json_schema()))


def _untitled(schema: Any) -> Any:
    """The schema without the titles that only repeat the names; a property may be called so."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


def format_in_words(request: CompletionRequest) -> CompletionRequest:
    """The request with its reply format described in the first user message, where nothing else says it."""
    wanted = request.reply_format
    if wanted is None or wanted.in_prompt:
        return request
    schema = json.dumps(wanted.json_schema, ensure_ascii=False, separators=(",", ":"))
    described = f"\n\nReply with one JSON object. Its JSON Schema:\n\n{schema}"
    roles = [message.role for message in request.messages]
    place = roles.index("user") if "user" in roles else 0
    messages = [*request.messages]
    messages[place] = messages[place].replace(text=messages[place].text + described)
    return request.replace(messages=tuple(messages), reply_format=wanted.replace(in_prompt=True))


def read_reply(completion: Completion, wanted: type[Wanted]) -> Wanted:
    """The reply as that model.

    Raises:
        ReplyUnreadable: It is empty, a refusal, cut off, too long, prose, broken JSON, or JSON of another
            shape; the text tells its author what to do.
    """
    return validated(read_object(completion), wanted)


def read_object(completion: Completion) -> Any:
    """The reply's JSON object, of whatever shape.

    Raises:
        ReplyUnreadable: It is empty, a refusal, cut off, too long, prose or broken JSON.
    """
    text = completion.text.strip()
    if completion.finish_reason == "refusal":
        raise ReplyUnreadable(f"The reply declines the request: {text[:300] or 'without a reason'}")
    if completion.only_reasoning:
        raise ReplyUnreadable(
            f"The reply is reasoning only ({completion.usage.output_tokens or 'unknown'} tokens). "
            "Think shorter, and reply with one JSON object of the given shape."
        )
    if completion.finish_reason == "length":
        raise ReplyUnreadable(
            f"The reply was cut off after {completion.usage.output_tokens or 'too many'} tokens. "
            "Reply shorter: shorter texts, no comments, no repetition."
        )
    if not text:
        raise ReplyUnreadable("The reply is empty. Reply with one JSON object of the given shape.")
    if len(text) > MAX_REPLY_CHARACTERS:
        raise ReplyUnreadable(
            f"The reply has {len(text):,} characters; at most {MAX_REPLY_CHARACTERS:,} are read. "
            "Reply shorter."
        )
    return read_json(text)


def read_json(text: str) -> Any:
    """The one JSON object in a text: bare, fenced, or between other words; small slips are repaired.

    Raises:
        ReplyUnreadable: There is none, or it ends in the middle.
    """
    result = _candidate(text)
    start = result.find("{")
    if start < 0 and _DECLINES.match(text):
        raise ReplyUnreadable(f"The reply declines the request: {text[:300]}")
    if start < 0:
        raise ReplyUnreadable(
            f"The reply is not JSON: it begins with {text[:80]!r}. "
            "Reply with one JSON object and nothing else."
        )
    result = result[start:]
    try:
        return json.JSONDecoder(strict=False).raw_decode(result)[0]
    except ValueError as error:
        slip = str(error)
    # A repair would close the brackets of a reply that stopped half-way and so keep half a part.
    if not result.rstrip().endswith("}"):
        raise ReplyUnreadable(
            f"The reply's JSON ends in the middle, after {result[-60:]!r}. "
            "Reply with the whole object, shorter."
        )
    value = json_repair.loads(result, skip_json_loads=True)
    if not isinstance(value, dict) or not value:
        raise ReplyUnreadable(f"The reply's JSON cannot be read: {slip}.")
    return value


def _candidate(text: str) -> str:
    """The inside of the longest fence when the reply does not begin with the object itself."""
    if text.startswith("{"):
        return text
    fenced = [block for block in _FENCED.findall(text) if "{" in block]
    return max(fenced, key=len) if fenced else text


def validated(value: Any, wanted: type[Wanted]) -> Wanted:
    """The JSON value as that model.

    Raises:
        ReplyUnreadable: It has another shape; the text names the places.
    """
    try:
        return wanted.model_validate(value)
    except ValidationError as error:
        problems = [_problem(dict(one)) for one in error.errors(include_url=False)]
    more = f" And {len(problems) - MAX_PROBLEMS} more." if len(problems) > MAX_PROBLEMS else ""
    raise ReplyUnreadable("The reply's JSON has another shape. " + " ".join(problems[:MAX_PROBLEMS]) + more)


def _problem(error: dict[str, Any]) -> str:
    where = ".".join(str(step) for step in error["loc"]) or "the object"
    if error["type"] == "missing":
        return f"{where}: it is missing."
    return f"{where}: {error['msg']} (it is {str(error.get('input'))[:80]!r})."
