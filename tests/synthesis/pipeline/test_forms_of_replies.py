"""Replies in short, and in full as models may write them all the same."""

import pytest

from synthesis.pipeline.assembly import RunContext
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.stages.tools import ToolsStage


@pytest.mark.parametrize("in_full", [False, True])
def test_what_a_model_leaves_to_earlier_parts_it_may_write_all_the_same(
    in_full, endpoint, request_for, unproved, clinic, monkeypatch
):
    monkeypatch.setattr(ToolsStage, "optional_checks", frozenset())
    *_, author = endpoint(in_full=in_full)
    result = synthesize(request_for(), authors={"model": author}, context=RunContext())
    made = result.environment
    assert (result.attempts[-1].number, made.counts, made.tasks) == (1, clinic.counts, clinic.tasks)
    tools, before = (sorted(e.tools.tools, key=lambda tool: tool.name) for e in (made, clinic))
    assert [tool.name for tool in tools] == [tool.name for tool in before]
    assert (tools == before) is in_full
    assert (made.schema.sql.count("CREATE INDEX"), len(made.schema.tables)) == (6 if in_full else 25, 16)
    assert "REFERENCES" in made.schema.sql
