"""A correction goes into what stands already."""

import json

import pytest
from pydantic import ValidationError

from synthesis.errors import ReplyUnreadable
from synthesis.llm.provider import Completion
from synthesis.pipeline.reply import read_pieces
from synthesis.pipeline.stages.policy import PolicyReply
from synthesis.pipeline.stages.seed_data import SeedDataReply
from synthesis.pipeline.stages.tool_specs import ToolSpecsReply
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


OLD = ToolsReply(
    shared="import os\nimport re\n\nMAX = 5\n\n\ndef _a(x):\n    return re.sub(x, x, x)",
    tools=[{"name": "f", "source": "def f(db):\n    return _a(MAX)"}],
)


def test_batches_add_to_what_is_shared():
    new = ToolsReply(shared="from typing import Literal\n\nMAX = 9\n\n\ndef _b():\n    return 1", tools=[])
    shared = OLD.extended(new).shared
    assert "MAX = 5" not in shared
    for remaining in ("MAX = 9", "import os", "import re", "from typing import Literal", "def _a", "def _b"):
        assert shared.count(remaining) == 1


def test_an_import_can_be_taken_out_again():
    replaced = OLD.merged(ToolsReply(shared="import re\n\nMAX = 5", tools=[]))
    removed = OLD.merged(ToolsReply(remove=["os"], tools=[]))
    for both in (replaced, removed):
        assert "import os" not in both.module()
        assert "import re" in both.module()
        assert "def _a" in both.module()


def test_one_bad_piece_costs_no_other():
    specs = [
        {"name": name, "resource": "crews", "summary": "Lists."} for name in ("list_a", "listB", "list_c")
    ]
    reply, problems = read_pieces(Completion(text=json.dumps({"tools": specs})), ToolSpecsReply)
    assert list(reply.pieces) == ["list_a", "list_c"]
    assert list(problems) == ["listB"]
    assert problems["listB"].piece == specs[1]


@pytest.mark.parametrize("text", ['{"tools": [{"name": "listB"}]}', '{"tools": 3}', "{}"])
def test_a_reply_of_which_no_piece_fits_is_not_read(text):
    with pytest.raises(ReplyUnreadable):
        read_pieces(Completion(text=text), ToolSpecsReply)


def test_it_shows_only_the_pieces_asked_for():
    shown = STANDING.only({"b"})
    assert [piece["table"] for piece in shown["tables"]] == ["b"]
    assert shown["actor"] == {"table": "a", "key": 1}
    assert "remove" not in shown


INVOICES = [{"id": number, "owner_id": 101, "total": number} for number in range(1_001, 1_016)]


@pytest.mark.parametrize(
    ("given", "count", "owner"),
    [
        ([{"id": 1_015, "owner_id": 102, "total": 5}], 15, 102),
        ([{"id": 1_015, "owner_id": 102, "total": 5}, {"id": 1_099, "owner_id": 1, "total": 1}], 16, 102),
        ([*INVOICES[:-2], {"id": 1_015, "owner_id": 102, "total": 5}], 14, 102),
        ([{"id": 7, "owner_id": 1, "total": 1}], 16, 101),
        ([{"id": number, "owner_id": 1, "total": 1} for number in range(1, 12)], 11, None),
        ([], 0, None),
    ],
)
def test_one_corrected_row_takes_no_other_row_away(given, count, owner):
    standing = SeedDataReply.model_validate({"tables": [{"table": "invoices", "rows": INVOICES}]})
    both = standing.merged(SeedDataReply.model_validate({"tables": [{"table": "invoices", "rows": given}]}))
    rows = both.pieces["invoices"].rows
    assert len(rows) == count
    assert {row["id"]: row["owner_id"] for row in rows}.get(1_015) == owner
