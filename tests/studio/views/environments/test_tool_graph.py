"""The tool graph: as a picture, and as a table that says the same."""

from __future__ import annotations

import shutil

import pytest

from studio.models import Role
from studio.presentation import box_diagram
from studio.presentation.box_diagram import Card, Link, drawn
from studio.presentation.tool_diagram import graph_of


@pytest.fixture
def page(as_, viewer, stored):
    def shown(address: str) -> str:
        answer = as_(viewer).get(f"/environments/{stored.name}/{address}")
        assert answer.status_code == 200
        return answer.content.decode()

    return shown


def test_every_tool_has_its_tables_in_the_list(page, stored) -> None:
    shown = page("tool-graph/")
    assert "return_item" in shown
    assert f'href="/environments/{stored.name}/data/table/loans/"' in shown
    assert "list_loans" in shown


def test_a_tools_page_names_the_tables_it_touches(page, stored) -> None:
    shown = page("tools/return_item/")
    assert shown.count(f'href="/environments/{stored.name}/data/table/loans/"') >= 2
    assert "/tool-graph/" in shown


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_the_picture_has_a_box_per_table_and_an_arrow_per_way(clinic) -> None:
    graph = graph_of(clinic.tools, clinic.schema)
    assert graph.diagram is not None
    assert {box.name for box in graph.diagram.boxes} == {table for table, _ in graph.groups}
    assert sum(len(tools) for _, tools in graph.groups) == len(clinic.tools.tools)
    assert graph.diagram.edges
    assert all(" feeds " in edge.title for edge in graph.diagram.edges)


def test_without_graphviz_the_table_stands_alone(page, monkeypatch) -> None:
    drawn.cache_clear()
    monkeypatch.setattr(box_diagram.shutil, "which", lambda _: None)
    assert "needs Graphviz" in page("tool-graph/")
    drawn.cache_clear()


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_names_never_reach_graphviz() -> None:
    hostile = '"]; n9 [label="x'
    picture = drawn((Card(hostile, ((hostile, "key"),)), Card("b", ())), (Link(0, 1, hostile),))
    assert picture is not None
    assert [box.name for box in picture.boxes] == [hostile, "b"]
    assert picture.edges[0].title == hostile


def test_a_role_is_needed(as_, person, stored) -> None:
    assert as_(person("stranger", None)).get(f"/environments/{stored.name}/tool-graph/").status_code == 403
    assert as_(person("vera", Role.VIEWER)).get(f"/environments/{stored.name}/tool-graph/").status_code == 200
