"""Prompted tools: tool calls in words, for endpoints without a field for tools.

The form is the one that Hermes and Qwen models are trained on: `<tool_call>{"name": ..., "arguments": {...}}
</tool_call>` in a reply, `<tool_response>` around a result.
"""

from __future__ import annotations

import json
import re

from synthesis.llm.provider import Completion, CompletionRequest, Message, RequestedCall, ToolOffer

_CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)

_HOW = """\
# Tools

To call tools, write one block for each call and nothing after the last one:

<tool_call>
{{"name": "the tool's name", "arguments": {{"an_argument": "its value"}}}}
</tool_call>

The results come back in <tool_response> blocks. These are the tools, one JSON object in each line:

{tools}"""


def in_words(request: CompletionRequest) -> CompletionRequest:
    """The request with its tools, calls and results as text."""
    described = _HOW.format(tools="\n".join(map(_line, request.tools)))
    messages = [_in_words(message) for message in request.messages]
    if messages[0].role == "system":
        messages[0] = messages[0].replace(text=f"{messages[0].text}\n\n{described}")
    else:
        messages.insert(0, Message(role="system", text=described))
    return request.replace(messages=tuple(messages), tools=())


def _line(tool: ToolOffer) -> str:
    return json.dumps(tool.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":"))


def _in_words(message: Message) -> Message:
    if message.role == "tool":
        return Message(role="user", text=f"<tool_response>\n{message.text}\n</tool_response>")
    if not message.tool_calls:
        return message
    calls = [
        f'<tool_call>\n{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}\n</tool_call>'
        for call in message.tool_calls
    ]
    return message.replace(text="\n".join([message.text, *calls]).strip(), tool_calls=())


def read_calls(completion: Completion) -> Completion:
    """The completion with the calls in its text as calls; one that cannot be read keeps its own words."""
    written = _CALL.findall(completion.text)
    if not written:
        return completion
    calls = tuple(_read(text, number) for number, text in enumerate(written, start=1))
    finish = "tool_calls" if completion.finish_reason == "stop" else completion.finish_reason
    return completion.replace(
        text=_CALL.sub("", completion.text).strip(), tool_calls=calls, finish_reason=finish
    )


def _read(text: str, number: int) -> RequestedCall:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return RequestedCall(id=f"call_{number}", name="(unreadable)", arguments=text)
    arguments = value.get("arguments", {})
    return RequestedCall(
        id=f"call_{number}",
        name=value["name"],
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
    )
