"""Tool graph: links between tools that really exist, by values that really flow."""

from __future__ import annotations

from synthesis.procedural.composer import blueprint
from synthesis.procedural.tool_graph import shared_tables, tool_links
from synthesis.procedural.tool_source.module import tools_source
from synthesis.worlds.toolset import read_toolset

MADE = blueprint("A municipal library lends books, games and tools", 1)


def test_links_name_tools_and_parameters_that_exist():
    tools = {tool.name: tool for tool in read_toolset(tools_source(MADE)).tools}
    for link in tool_links(MADE):
        assert link.source in tools
        assert link.parameter in tools[link.target].input_schema["properties"]


def test_finding_a_party_feeds_what_is_done_for_it():
    party = MADE.entity("party")
    fed = {link.target for link in tool_links(MADE) if link.source == MADE.listing_tool(party)}
    created = [a for a in MADE.actions if any(c.entity == party.key for c in a.params)]
    assert created
    assert {action.name for action in created} <= fed


def test_every_tool_that_takes_a_key_can_be_fed():
    fed = {(link.target, link.parameter) for link in tool_links(MADE)}
    for action in MADE.actions:
        for column in action.params:
            if column.kind == "ref":
                assert (action.name, column.name) in fed


def test_tools_share_the_tables_they_read_and_change():
    shared = shared_tables(MADE)
    assert all(len(tools) == len(set(tools)) for tools in shared.values())
    assert any(len(tools) > 2 for tools in shared.values())
