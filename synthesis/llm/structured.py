"""Structured replies: a reply's text read as a document, tolerant of form and strict about content."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError

from synthesis.errors import ReplyUnreadable
from synthesis.llm.provider import Completion, ReplyFormat

MAX_REPLY_CHARACTERS = 1_000_000
"""A longer text is not read: no part of an environment is that long."""

MAX_PROBLEMS = 20
"""Problems told at once; more would only be scrolled past."""

_FENCED = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)

Wanted = TypeVar("Wanted", bound=BaseModel)


@cache
def reply_format(wanted: type[BaseModel]) -> ReplyFormat:
    """The reply format that asks for such a model; made once, since it takes longer than most prompts."""
    return ReplyFormat(name=wanted.__name__, json_schema=wanted.model_json_schema())


def read_reply(completion: Completion, wanted: type[Wanted]) -> Wanted:
    """The reply as that model.

    Raises:
        ReplyUnreadable: It is empty, a refusal, cut off, too long, prose, broken JSON, or JSON of another
            shape; the text tells its author what to do.
    """
    text = completion.text.strip()
    if completion.finish_reason == "refusal":
        raise ReplyUnreadable(f"The reply declines the request: {text[:300] or 'without a reason'}")
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
    return _validated(read_json(text), wanted)


def read_json(text: str) -> Any:
    """The one JSON object in a text: bare, fenced, or between other words; small slips are repaired.

    Raises:
        ReplyUnreadable: There is none, or it ends in the middle.
    """
    found = _candidate(text)
    start = found.find("{")
    if start < 0:
        raise ReplyUnreadable(
            f"The reply is no JSON: it begins with {text[:80]!r}. "
            "Reply with one JSON object and nothing else."
        )
    found = found[start:]
    try:
        return json.JSONDecoder(strict=False).raw_decode(found)[0]
    except ValueError as error:
        slip = str(error)
    # A repair would close the brackets of a reply that stopped half-way and so keep half a part.
    if not found.rstrip().endswith("}"):
        raise ReplyUnreadable(
            f"The reply's JSON ends in the middle, after {found[-60:]!r}. "
            "Reply with the whole object, shorter."
        )
    value = json_repair.loads(found, skip_json_loads=True)
    if not isinstance(value, dict) or not value:
        raise ReplyUnreadable(f"The reply's JSON cannot be read: {slip}.")
    return value


def _candidate(text: str) -> str:
    """The inside of the longest fence when the reply does not begin with the object itself."""
    if text.startswith("{"):
        return text
    fenced = [block for block in _FENCED.findall(text) if "{" in block]
    return max(fenced, key=len) if fenced else text


def _validated(value: Any, wanted: type[Wanted]) -> Wanted:
    try:
        return wanted.model_validate(value)
    except ValidationError as error:
        problems = [_problem(dict(one)) for one in error.errors(include_url=False)]
    more = f" And {len(problems) - MAX_PROBLEMS} more." if len(problems) > MAX_PROBLEMS else ""
    raise ReplyUnreadable("The reply's JSON has another shape. " + " ".join(problems[:MAX_PROBLEMS]) + more)


def _problem(error: dict[str, Any]) -> str:
    where = ".".join(str(step) for step in error["loc"]) or "the object"
    return f"{where}: {error['msg']} (it is {str(error.get('input'))[:80]!r})."
