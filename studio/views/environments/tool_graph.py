"""The tool graph of one environment: which tool's result another needs, and which tables they share."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse

from studio.models import Act
from studio.presentation.downloads import svg_response
from studio.presentation.plain_language import PlainLanguage
from studio.presentation.tool_diagram import graph_of
from studio.services.environments.environments import load_part
from studio.templatetags.shell import shows_code
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
    words = None if shows_code(request) else PlainLanguage(record)
    graph = graph_of(toolset, cast("Schema", load_part(record.current, "schema")), words)
    if request.GET.get("file") == "svg" and graph.diagram:
        return svg_response(f"{record.name}_tools", graph.diagram, f"Tools of {record.title}")
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
