"""Toolbox: how a long list of tools is put before a model.

Whole, as names with help on demand, by retrieval, or behind two tools that list and call (the form Agent
World Model trains with, arXiv 2602.10090). Tools of a toolbox's own (`list_tools`, `tool_help`, `find_tools`)
never reach the world: the toolbox answers them, and they are no steps of the episode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pydantic import JsonValue

from synthesis.documents.conversation import ToolOffer
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import Tool, ToolCall
from synthesis.errors import InvalidInput, UnknownName
from synthesis.matching import likeness

LISTED = 10
"""Tools that retrieval offers at a time."""


class Toolbox(Protocol):
    """Shows tools to a model. One object serves one episode at a time; `begin` makes it forget the last."""

    @property
    def name(self) -> str:
        """The way of showing with its settings, for records."""
        ...

    def begin(self, tools: Sequence[Tool], instruction: str) -> None:
        """A new episode with these tools starts."""
        ...

    def prompt_text(self) -> str:
        """What the system prompt says of the tools; may be empty."""
        ...

    def offers(self) -> tuple[ToolOffer, ...]:
        """What the model may call now."""
        ...

    def own(self, call: ToolCall) -> JsonValue | None:
        """The answer, when the call is the toolbox's own affair; None when it is for the world."""
        ...

    def meant(self, call: ToolCall) -> ToolCall:
        """The world's tool that a call is for."""
        ...


class WholeList:
    """Every tool is offered as it is, always."""

    name = "whole"

    def begin(self, tools: Sequence[Tool], instruction: str) -> None:  # noqa: ARG002 - the protocol's
        """Take up the tools."""
        self._offers = tuple(offer(tool) for tool in tools)

    def prompt_text(self) -> str:
        """Nothing: the offers say it."""
        return ""

    def offers(self) -> tuple[ToolOffer, ...]:
        """All of them."""
        return self._offers

    def own(self, call: ToolCall) -> JsonValue | None:  # noqa: ARG002 - the protocol's
        """It has no tools of its own."""
        return None

    def meant(self, call: ToolCall) -> ToolCall:
        """The call itself."""
        return call


class TwoTools:
    """`list_tools` and `call_tool`, nothing else: the agent reads the list of tools in its first turn."""

    name = "two-tools"
    LIST, CALL = "list_tools", "call_tool"

    def begin(self, tools: Sequence[Tool], instruction: str) -> None:  # noqa: ARG002 - the protocol's
        """Take up the tools."""
        self._tools = tuple(tools)

    def prompt_text(self) -> str:
        """How to reach the tools."""
        return f"The application's tools are listed by {self.LIST}; call one of them with {self.CALL}."

    def offers(self) -> tuple[ToolOffer, ...]:
        """The two."""
        arguments: dict[str, JsonValue] = {"type": "object", "description": "Its arguments by name."}
        named: dict[str, JsonValue] = {"type": "string", "description": "Name of the tool."}
        return (
            ToolOffer(
                name=self.LIST,
                description="List every tool of the application with the arguments it takes.",
                parameters=_schema({}),
            ),
            ToolOffer(
                name=self.CALL,
                description="Call one tool of the application.",
                parameters=_schema({"name": named, "arguments": arguments}, required=["name"]),
            ),
        )

    def own(self, call: ToolCall) -> JsonValue | None:
        """The list, and what is wrong with a call that names no tool of the application."""
        if call.name == self.LIST:
            return [_described(tool) for tool in self._tools]
        if call.name != self.CALL:
            return {"error": f"There is no tool {call.name!r}: there are {self.LIST} and {self.CALL}."}
        if not isinstance(call.arguments.get("name"), str):
            return {"error": f"{self.CALL} needs `name`, the name of a tool, as text."}
        if not isinstance(call.arguments.get("arguments") or {}, dict):
            return {"error": f"{self.CALL} needs `arguments` as an object of values by name."}
        return None

    def meant(self, call: ToolCall) -> ToolCall:
        """The tool that `call_tool` names."""
        arguments = call.arguments.get("arguments") or {}
        assert isinstance(arguments, dict)
        return ToolCall(name=str(call.arguments["name"]), arguments=arguments)


class NamesWithHelp:
    """The names with a line each; a tool can be called once its help was asked for."""

    name = "names"
    HELP = "tool_help"

    def begin(self, tools: Sequence[Tool], instruction: str) -> None:  # noqa: ARG002 - the protocol's
        """Take up the tools; none is open yet."""
        self._tools = {tool.name: tool for tool in tools}
        self._open: dict[str, Tool] = {}

    def prompt_text(self) -> str:
        """The names."""
        lines = "\n".join(f"- {tool.name}: {_first_line(tool)}" for tool in self._tools.values())
        return f"The application's tools, to be opened with {self.HELP} before their first call:\n\n{lines}"

    def offers(self) -> tuple[ToolOffer, ...]:
        """The help, and the tools that were opened."""
        names: dict[str, JsonValue] = {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "Names of tools.",
        }
        own = ToolOffer(
            name=self.HELP,
            description="Say what tools do and which arguments they take, and make them callable.",
            parameters=_schema({"names": names}, required=["names"]),
        )
        return (own, *(offer(tool) for tool in self._open.values()))

    def own(self, call: ToolCall) -> JsonValue | None:
        """The help; a call of another tool is for the world, opened or not."""
        if call.name != self.HELP:
            return None
        names = call.arguments.get("names")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            return {"error": f"{self.HELP} needs `names`, a list of names of tools."}
        asked = [str(name) for name in names]
        if unknown := [name for name in asked if name not in self._tools]:
            return {"error": f"There is no tool {', '.join(unknown)}."}
        self._open |= {name: self._tools[name] for name in asked}
        return [_described(self._tools[name]) for name in asked]

    def meant(self, call: ToolCall) -> ToolCall:
        """The call itself."""
        return call


class Retrieved:
    """The tools nearest to the instruction by their words (TF-IDF), and a search for more.

    Args:
        most: Tools offered at the start, and added by each search, at least 1.

    Raises:
        InvalidInput: The number is smaller than 1.
    """

    FIND = "find_tools"

    def __init__(self, most: int = LISTED) -> None:
        if most < 1:
            raise InvalidInput(f"Retrieval must offer at least 1 tool, not {most}.")
        self._most = most

    @property
    def name(self) -> str:
        """The way with its number."""
        return f"retrieved:{self._most}"

    def begin(self, tools: Sequence[Tool], instruction: str) -> None:
        """Take up the tools nearest to the instruction."""
        self._tools = {tool.name: tool for tool in tools}
        self._words = {tool.name: f"{tool.name.replace('_', ' ')} {tool.description}" for tool in tools}
        self._open: dict[str, Tool] = {}
        self._take(instruction)

    def prompt_text(self) -> str:
        """That there is more."""
        return (
            f"You are shown {len(self._open)} of the application's {len(self._tools)} tools; {self.FIND} "
            "finds others by what they do."
        )

    def offers(self) -> tuple[ToolOffer, ...]:
        """The search, and the tools that were found so far."""
        query: dict[str, JsonValue] = {"type": "string", "description": "What the tool is to do."}
        own = ToolOffer(
            name=self.FIND,
            description="Find tools of the application by what they do, and make them callable.",
            parameters=_schema({"query": query}, required=["query"]),
        )
        return (own, *(offer(tool) for tool in self._open.values()))

    def own(self, call: ToolCall) -> JsonValue | None:
        """The search; a call of another tool is for the world, found or not."""
        if call.name != self.FIND:
            return None
        query = call.arguments.get("query")
        if not isinstance(query, str) or not query.strip():
            return {"error": f"{self.FIND} needs `query`, a few words."}
        return [_described(tool) for tool in self._take(query)]

    def meant(self, call: ToolCall) -> ToolCall:
        """The call itself."""
        return call

    def _take(self, words: str) -> list[Tool]:
        """Open the nearest tools; equally near ones in their own order."""
        near = likeness(words, self._words)
        order = {name: place for place, name in enumerate(self._tools)}
        nearest = sorted(self._tools, key=lambda name: (-near[name], order[name]))[: self._most]
        tools = [self._tools[name] for name in nearest]
        self._open |= {tool.name: tool for tool in tools}
        return tools


def offer(tool: Tool) -> ToolOffer:
    """A tool of the environment as a model is offered it."""
    return ToolOffer(name=tool.name, description=tool.description, parameters=plain_schema(tool.input_schema))


def _described(tool: Tool) -> JsonValue:
    return {"name": tool.name, "description": tool.description, "parameters": plain_schema(tool.input_schema)}


def _first_line(tool: Tool) -> str:
    return tool.description.strip().partition("\n")[0]


def _schema(properties: Mapping[str, JsonValue], *, required: Sequence[str] = ()) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


TOOLBOXES: dict[str, Callable[..., Toolbox]] = {
    "whole": WholeList,
    "two-tools": TwoTools,
    "names": NamesWithHelp,
    "retrieved": Retrieved,
}


def make_toolbox(text: str) -> Toolbox:
    """A toolbox from its name: "whole", "two-tools", "names", "retrieved", "retrieved:8".

    Raises:
        UnknownName: There is no such toolbox.
        InvalidInput: Its number is none, or too small.
    """
    kind, _, size = text.partition(":")
    if kind not in TOOLBOXES:
        raise UnknownName("toolbox", kind, list(TOOLBOXES))
    if not size:
        return TOOLBOXES[kind]()
    if kind != "retrieved" or not size.isdecimal():
        raise InvalidInput(f"Toolbox {text!r}: only retrieved:N takes a number, for example retrieved:8.")
    return TOOLBOXES[kind](int(size))
