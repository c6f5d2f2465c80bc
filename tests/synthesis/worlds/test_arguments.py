"""Arguments are checked strictly, and the complaint names the parameter and what is allowed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field
from typing_extensions import TypedDict

from synthesis.worlds.arguments import validation_errors, without_nulls
from synthesis.worlds.worker.signature import Undescribed, describe


class Line(TypedDict):
    item: str
    amount: Annotated[int, Field(ge=1, le=9)]


def order(  # noqa: PLR0917 - one parameter of every kind
    db: Any,
    id: int,
    kind: Literal["new", "old"] = "new",
    note: str | None = None,
    share: float = 1.0,
    flag: bool = False,
    lines: Annotated[list[Line], Field(max_length=2)] = [],  # noqa: B006
    counts: dict[str, int] | None = None,
    code: Annotated[str, Field(pattern="^[A-Z]{2}$")] = "AB",
    pair: tuple[int, str] | None = None,
) -> dict[str, Any]:
    """Order.

    Args:
        id: A.
        kind: B.
        note: C.
        share: D.
        flag: E.
        lines: F.
        counts: G.
        code: H.
        pair: I.
    """
    return {}


SCHEMA = describe(order, mutates_state=False)["inputSchema"]


def test_null_stands_for_the_default_of_an_optional_parameter() -> None:
    given = {"id": 1, "kind": None, "note": None, "share": None}
    assert validation_errors(SCHEMA, given) == ""
    assert without_nulls(SCHEMA, given) == {"id": 1, "note": None}
    assert without_nulls(SCHEMA, {"id": 1}) == {"id": 1}


@pytest.mark.parametrize(
    "arguments",
    [
        {"id": 1},
        {"id": -(2**63), "kind": "old", "note": None, "share": 2, "flag": True},
        {"id": 1, "lines": [{"item": "x", "amount": 9}], "counts": {"a": 1}, "code": "XY", "pair": [1, "a"]},
    ],
)
def test_what_fits_passes(arguments: dict[str, Any]) -> None:
    assert validation_errors(SCHEMA, arguments) == ""


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"id": "1"}, "id must be an integer, not '1'"),
        ({"id": 1.0}, "id must be an integer, not 1.0"),
        ({"id": True}, "id must be an integer, not true"),
        ({"id": 2**63}, "id must be an integer from -9223372036854775808"),
        ({"kind": "other"}, "kind must be one of 'new', 'old', not 'other'"),
        ({"id": None}, "id must be an integer, not null"),
        ({"note": 5}, "note must be a text or null, not 5"),
        ({"share": "1"}, "share must be a number, not '1'"),
        ({"share": float("inf")}, "share must be a finite number"),
        ({"flag": 1}, "flag must be true or false, not 1"),
        ({"flag": "true"}, "flag must be true or false, not 'true'"),
        ({"lines": {}}, "lines must be a list, not {}"),
        ({"lines": [{"item": "x", "amount": 10}]}, "lines [0] .amount must be at most 9, not 10"),
        ({"lines": [{"item": "x"}]}, "lines [0] lacks amount"),
        ({"lines": [{"item": "x", "amount": 1}] * 3}, "lines must have at most 2 items, not 3"),
        ({"counts": {"a": "b"}}, "counts .a must be an integer"),
        ({"code": "abc"}, "code must match the pattern ^[A-Z]{2}$, not 'abc'"),
        ({"pair": [1]}, "pair must have at least 2 items"),
        ({"pair": ["a", "b"]}, "pair [0] must be an integer"),
        ({"note": "x\ud800"}, "note must be valid Unicode text"),
        ({"note": "x" * 20_001}, "note must have at most 20000 characters, not 20001"),
        ({"counts": {"\udfff": 1}}, "counts must be valid Unicode text"),
        ({"nothing": 1}, "'nothing' is not a parameter of this tool (parameters: id, kind"),
    ],
)
def test_what_does_not_fit_is_named_with_what_is_allowed(given: dict[str, Any], says: str) -> None:
    assert says in validation_errors(SCHEMA, {"id": 1, **given})


def test_every_problem_is_told_at_once() -> None:
    message = validation_errors(SCHEMA, {"kind": 1, "flag": 2})
    assert message.startswith("Invalid arguments: id is missing (an integer); kind must be")
    assert "; flag must be true or false" in message


def test_a_schema_holds_what_agents_need_and_no_titles() -> None:
    properties = SCHEMA["properties"]
    assert SCHEMA["required"] == ["id"]
    assert properties["kind"] == {
        "type": "string",
        "enum": ["new", "old"],
        "description": "B.",
        "default": "new",
    }
    assert properties["lines"]["items"]["properties"]["amount"] == {
        "type": "integer",
        "maximum": 9,
        "minimum": 1,
    }
    assert "title" not in str(SCHEMA)


def test_a_type_that_refers_to_itself_is_refused() -> None:
    def bad(db: Any, tree: Tree) -> dict[str, Any]:
        """Bad.

        Args:
            tree: T.
        """
        return {}

    with pytest.raises(Undescribed):
        describe(bad, mutates_state=False)


class Tree(TypedDict):
    children: list[Tree]
