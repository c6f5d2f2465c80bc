"""A correction goes into what stands already."""

import pytest
from pydantic import ValidationError

from synthesis.pipeline.stages.policy import PolicyReply
from synthesis.pipeline.stages.seed_data import SeedDataReply
from synthesis.pipeline.stages.tools import ToolsReply

STANDING = SeedDataReply.model_validate(
    {
        "tables": [{"table": "a", "rows": [{"id": 1}]}, {"table": "b", "rows": [{"id": 1}]}],
        "actor": {"table": "a", "key": 1},
    }
)


def corrected(**values):
    return STANDING.merged(SeedDataReply.model_validate(values))


def test_only_the_pieces_of_a_correction_change():
    both = corrected(tables=[{"table": "b", "rows": [{"id": 2}]}, {"table": "c", "rows": []}])
    assert {name: piece.rows for name, piece in both.pieces.items()} == {
        "a": [{"id": 1}],
        "b": [{"id": 2}],
        "c": [],
    }
    assert both.actor == STANDING.actor


def test_a_correction_may_take_a_piece_away_and_change_what_is_no_piece():
    both = corrected(tables=[], remove=["b"], actor={"table": "a", "key": 2})
    assert list(both.pieces) == ["a"]
    assert both.actor.key == 2


def test_a_reply_of_one_piece_is_replaced():
    assert PolicyReply(text="old").merged(PolicyReply(text="new")).text == "new"


def test_a_name_that_stands_twice_is_refused():
    twice = [{"name": "find", "source": "def find(db): ..."}] * 2
    with pytest.raises(ValidationError, match="more than once: find"):
        ToolsReply.model_validate({"tools": twice})


def test_shared_definitions_are_merged_by_name():
    old = ToolsReply(shared="import re\n\nMAX = 5\n\n\ndef _a(x):\n    return x", tools=[])
    new = ToolsReply(shared="from typing import Literal\n\nMAX = 9\n\n\ndef _b():\n    return 1", tools=[])
    shared = old.merged(new).shared
    assert "MAX = 9" in shared
    assert "MAX = 5" not in shared
    for kept in ("import re", "from typing import Literal", "def _a", "def _b"):
        assert shared.count(kept) == 1


def test_it_shows_only_the_pieces_asked_for():
    shown = STANDING.only({"b"})
    assert [piece["table"] for piece in shown["tables"]] == ["b"]
    assert shown["actor"] == {"table": "a", "key": 1}
    assert "remove" not in shown
