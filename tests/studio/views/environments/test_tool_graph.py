"""The tool graph: as a picture, and as a table that says the same."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from studio.models import Role
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


def test_the_picture_has_a_box_per_table_and_an_arrow_per_way(clinic) -> None:
    graph = graph_of(clinic.tools, clinic.schema)
    assert graph.diagram is not None
    assert {box.name for box in graph.diagram.boxes} == {table for table, _ in graph.groups}
    assert sum(len(tools) for _, tools in graph.groups) == len(clinic.tools.tools)
    assert graph.diagram.edges
    assert all(" feeds " in edge.title for edge in graph.diagram.edges)


def test_the_picture_says_titles_and_the_expert_view_names(as_, viewer, stored) -> None:
    client = as_(viewer)
    address = f"/environments/{stored.name}/tool-graph/"
    assert ">return_item</text>" not in client.get(address).content.decode()
    assert ">Return item</text>" in client.get(address).content.decode()
    client.cookies["view"] = "expert"
    assert ">return_item</text>" in client.get(address).content.decode()


@pytest.mark.parametrize("address", ["tool-graph/", "schema/"])
def test_a_picture_is_a_file_too(as_, viewer, stored, address) -> None:
    answer = as_(viewer).get(f"/environments/{stored.name}/{address}?file=svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Content-Disposition"].endswith('.svg"')
    picture = ElementTree.fromstring(answer.content)
    words = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert "Loans" in words


def test_the_schema_is_told_without_types_and_statements(as_, viewer, stored) -> None:
    client = as_(viewer)
    shown = client.get(f"/environments/{stored.name}/schema/").content.decode()
    assert "CREATE TABLE" not in shown
    assert "INTEGER" not in shown
    client.cookies["view"] = "expert"
    shown = client.get(f"/environments/{stored.name}/schema/").content.decode()
    assert "INTEGER" in shown


def test_a_role_is_needed(as_, person, stored) -> None:
    assert as_(person("stranger", None)).get(f"/environments/{stored.name}/tool-graph/").status_code == 403
    assert as_(person("vera", Role.VIEWER)).get(f"/environments/{stored.name}/tool-graph/").status_code == 200
