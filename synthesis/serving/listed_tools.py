"""Listed tools: what an agent may call in a world, the tool that takes its final answer included."""

from __future__ import annotations

from pydantic import JsonValue

from synthesis.documents.answer_form import DESCRIPTION, PARAMETERS
from synthesis.documents.tool_schemas import plain_schema
from synthesis.serving.instances import Instances
from synthesis.worlds.world import World

NamedTool = tuple[str, str, dict[str, JsonValue]]
"""Name, description, JSON Schema of the arguments."""


def listed_tools(instances: Instances, world: World) -> list[NamedTool]:
    """The environment's tools in order, then the one that takes the answer where answers may have fields."""
    tools: list[NamedTool] = [
        (tool.name, tool.description, plain_schema(tool.input_schema)) for tool in world.tools
    ]
    submit = instances.submit_name(world)
    return [*tools, (submit, DESCRIPTION, PARAMETERS)] if submit else tools
