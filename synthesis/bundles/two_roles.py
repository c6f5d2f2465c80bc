"""Two roles: a conversation in which only user and assistant speak, in turn.

The chat templates of Gemma, Gemma 3 and Cohere know no tool messages, some of them no system message either,
and stop where two messages of one role follow each other. Here tools, calls and results are text, in the
words of Hermes and Qwen 2.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from synthesis.bundles.conversation import json_text

_TOOLS = """# Tools

You may call functions. These are their signatures, one a line:
<tools>
{tools}
</tools>

For each call, write a JSON object with the function's name and its arguments within these tags:
<tool_call>
{{"name": <name>, "arguments": <object>}}
</tool_call>"""


def in_two_roles(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The messages with everything as text, beginning with the user.

    Args:
        messages: In the shape of chat completions, the arguments of calls as objects.
        tools: What the agent could call; described in the first message.
    """
    spoken = [message for message in messages if message["role"] != "system"]
    instructions = [str(message["content"]) for message in messages if message["role"] == "system"]
    if tools:
        instructions.append(_TOOLS.format(tools="\n".join(map(json_text, tools))))
    first = [("user", text) for text in instructions]
    return list(_joined([*first, *((_role(each), _text(each)) for each in spoken)]))


def _role(message: Mapping[str, Any]) -> str:
    return "assistant" if message["role"] == "assistant" else "user"


def _text(message: Mapping[str, Any]) -> str:
    content = str(message["content"] or "")
    if message["role"] == "tool":
        return f"<tool_response>\n{content}\n</tool_response>"
    calls = (call["function"] for call in message.get("tool_calls", ()))
    written = (json_text({"name": call["name"], "arguments": call["arguments"]}) for call in calls)
    return "\n".join([*([content] if content else []), *(f"<tool_call>\n{c}\n</tool_call>" for c in written)])


def _joined(turns: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """One message for all turns of one role that follow each other."""
    role, texts = "user", list[str]()
    for each, text in turns:
        if each != role:
            yield {"role": role, "content": "\n\n".join(texts)}
            role, texts = each, []
        texts.append(text)
    yield {"role": role, "content": "\n\n".join(texts)}
