"""The tool graph of one environment: which tool's answer another needs, and which tables they share."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse

from studio.models import Act
from studio.presentation.tool_diagram import graph_of
from studio.services.environments.environments import load_part
from studio.views.access import requires
from studio.views.environments.environment_shell import find, page
from synthesis.documents.schema import Schema
from synthesis.documents.tools import Toolset


@requires(Act.VIEW)
def environment_tool_graph(request: HttpRequest, name: str) -> HttpResponse:
    """The picture, and the same as a table: per tool what it touches, what feeds it, what it feeds."""
    record = find(name)
    assert record.current is not None
    toolset = cast("Toolset", load_part(record.current, "tools"))
    graph = graph_of(toolset, cast("Schema", load_part(record.current, "schema")))
    feeds: dict[str, set[str]] = {}
    fed_by: dict[str, set[str]] = {}
    for link in graph.links:
        feeds.setdefault(link.source, set()).add(link.target)
        fed_by.setdefault(link.target, set()).add(link.source)
    context = {
        "graph": graph,
        "rows": [
            {
                "tool": tool,
                "tables": graph.tables[tool.name],
                "feeds": sorted(feeds.get(tool.name, ())),
                "fed_by": sorted(fed_by.get(tool.name, ())),
            }
            for tool in toolset.tools
        ],
    }
    return page(request, record, "environment_tools", "environments/tool_graph.html", context)
