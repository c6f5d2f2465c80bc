"""Tool source: what is generated compiles in the sandbox, is described, and refuses in words."""

from __future__ import annotations

import re

import pytest

from synthesis.procedural.composer import blueprint
from synthesis.procedural.tool_source.module import tools_source
from synthesis.worlds.toolset import read_toolset, toolset_findings


@pytest.mark.parametrize(
    "sentence", ["courier firm", "language school", "energy supplier meters", "law office"]
)
def test_every_tool_compiles_and_is_described(sentence):
    assert toolset_findings(tools_source(blueprint(sentence, 2))) == ()


def test_reading_tools_are_told_from_writing_ones():
    made = blueprint("courier firm", 2)
    tools = read_toolset(tools_source(made)).tools
    writing = {tool.name for tool in tools if tool.mutates_state}
    assert writing == {action.name for action in made.actions}


def test_no_slot_of_the_catalogue_is_left_in_the_code():
    for seed in range(6):
        source = tools_source(blueprint("staffing agency with volunteers and vouchers", seed))
        assert not re.search(r"\{[a-z ]*~", source)
        assert "{$" not in source
        assert "{=" not in source


def test_only_helpers_that_are_called_are_written():
    source = tools_source(blueprint("courier firm", 2))
    for name in re.findall(r"^def (_\w+)\(", source, re.MULTILINE):
        assert source.count(f"{name}(") > 1
