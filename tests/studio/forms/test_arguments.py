"""A tool's schema as fields: nested objects and lists come and go, and come to the same arguments."""

from __future__ import annotations

import pytest

from studio.forms.arguments import DEEPEST, tree, with_item, without_item
from studio.forms.scratch import CallForm, RawForm
from synthesis.documents.tools import Tool

LINE = {
    "type": "object",
    "properties": {"item": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["item", "count"],
}
ADDRESS = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "floor": {"type": "integer"}},
    "required": ["street"],
}
SCHEMA = {
    "type": "object",
    "properties": {
        "address": ADDRESS,
        "lines": {"type": "array", "items": LINE},
        "pace": {"enum": ["slow", "fast"]},
        "gift": {"type": "boolean"},
        "notes": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "billing": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
    },
    "required": ["address", "lines"],
    "$defs": {"Address": ADDRESS},
}
ARGUMENTS = {
    "address": {"street": "Quay 3"},
    "lines": [{"item": "drill", "count": 1}, {"item": "saw", "count": 2}],
    "pace": "fast",
    "gift": False,
    "notes": ["Ring twice."],
}


@pytest.fixture
def tool() -> Tool:
    return Tool(name="order_items", description="", input_schema=SCHEMA, mutates_state=True)


def sent(form: CallForm) -> dict[str, str]:
    """What a browser would send of a form as it stands."""
    fields = {name: field.initial for name, field in form.fields.items() if field.initial is not None}
    counts = {f"{node.path}.#": len(node.children) for top in form.nodes for node in top.lists()}
    return {name: str(value) for name, value in (fields | counts).items()}


def test_arguments_become_fields_and_fields_the_same_arguments(tool) -> None:
    form = CallForm(sent(CallForm(tool=tool, values=ARGUMENTS)), tool=tool)
    assert form.is_valid(), form.errors
    assert form.arguments() == ARGUMENTS


def test_an_empty_form_asks_for_what_is_required_and_leaves_out_the_rest(tool) -> None:
    empty = CallForm({}, tool=tool)
    assert set(empty.errors) == {"arg.address.street"}
    form = CallForm({"arg.address.street": "Quay 3"}, tool=tool)
    assert form.is_valid()
    assert form.arguments() == {"address": {"street": "Quay 3"}, "lines": []}


def test_an_optional_group_is_left_out_until_something_stands_in_it(tool) -> None:
    form = CallForm({"arg.address.street": "Quay 3", "arg.billing.street": "Mill 1"}, tool=tool)
    assert form.is_valid()
    assert form.arguments()["billing"] == {"street": "Mill 1"}


def test_an_item_is_added_and_taken_away_and_the_others_move_up(tool) -> None:
    fields = sent(CallForm(tool=tool, values=ARGUMENTS))
    longer = CallForm(with_item(fields, "arg.lines"), tool=tool)
    assert [child.label for child in longer.nodes[1].children] == ["lines 1", "lines 2", "lines 3"]
    shorter = CallForm(without_item(fields, "arg.lines.0"), tool=tool)
    assert shorter.is_valid()
    assert shorter.arguments()["lines"] == [{"item": "saw", "count": 2}]


@pytest.mark.parametrize("path", ["arg.lines.9", "arg.lines.x", "nothing", ""])
def test_taking_away_what_is_not_there_changes_nothing(path, tool) -> None:
    fields = sent(CallForm(tool=tool, values=ARGUMENTS))
    assert without_item(fields, path) == fields


@pytest.mark.parametrize("count", ["", "-1", "many", "99999999999999999999", "700"])
def test_no_count_that_is_sent_makes_endless_fields(count, tool) -> None:
    form = CallForm({"arg.lines.#": count}, tool=tool)
    assert len(form.nodes[1].children) <= 50


def test_endless_nesting_ends_in_json() -> None:
    node: dict = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    places = tree({"properties": {"first": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}})
    leaf = next(places[0].leaves())
    assert leaf.path.count("next") == DEEPEST


def test_json_that_is_no_object_or_cannot_be_read_is_told(tool) -> None:
    assert "Write an object" in str(RawForm({"raw": "[1]"}).errors)
    assert "line 2, column 3" in str(RawForm({"raw": '{"a": 1,\n  oops}'}).errors)
    assert "nested too deeply" in str(RawForm({"raw": "[" * 100_000}).errors)
