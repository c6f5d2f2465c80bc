"""A tool's schema as fields: nested objects and lists come and go, and come to the same arguments."""

from __future__ import annotations

import pytest

from studio.forms.argument_fields import DayStyle
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


class Words:
    """Speaks of arguments that mean visits, and of a day in May."""

    def argument_title(self, name: str) -> str:
        return name.replace("_", " ").capitalize()

    def in_cents(self, _: str) -> bool:
        return False

    def without_code(self, text: str) -> str:
        return text

    def rows_named_by(self, name: str) -> list:
        return {
            "visit_id": [(7, "Ada, check-up"), (8, "Ben"), (9, "Ben")],
            "room": [("A1", "Quiet room")],
        }.get(name, [])

    def day_style(self, name: str) -> DayStyle | None:
        return DayStyle(" ", seconds=True) if name == "begins_at" else None

    def today(self, *, with_time: bool) -> str:
        return "Today is Mon 4 May 2026, 09:00." if with_time else "Today is Mon 4 May 2026."


def text(about: str = "", kind: str = "string") -> dict:
    return {"type": kind, "description": about}


CHOSEN = {
    "type": "object",
    "properties": {
        "visit_id": text("Which visit.", "integer"),
        "room": text("Where."),
        "due_on": text("By when, YYYY-MM-DD."),
        "calls_at": text("When, YYYY-MM-DDTHH:MM."),
        "begins_at": text("The beginning."),
        "visit_ids": {"type": "array", "items": {"type": "integer"}},
    },
}


def chosen(data: dict | None = None, **values: object) -> CallForm:
    tool = Tool(name="book", description="", input_schema=CHOSEN, mutates_state=True)
    return CallForm(data, tool=tool, values=values or None, words=Words())


def test_rows_are_shown_and_suggested_with_name_and_number() -> None:
    form = chosen(visit_id=7, room="A1", visit_ids=[8])
    page = str(form)
    assert 'value="Ada, check-up (7)"' in page
    assert 'value="Quiet room (A1)"' in page
    assert 'value="Ben (8)"' in page
    assert form.pickers["arg.visit_id.rows"] == ["Ada, check-up (7)", "Ben (8)", "Ben (9)"]
    assert 'list="arg.visit_id.rows"' in page


@pytest.mark.parametrize(
    ("typed", "key"), [("Ada, check-up (7)", 7), ("Ada, check-up", 7), ("7", 7), ("Ben (9)", 9), ("41", 41)]
)
def test_a_row_is_named_in_any_of_these_ways(typed: str, key: int) -> None:
    form = chosen({"arg.visit_id": typed})
    assert form.is_valid(), form.errors
    assert form.arguments() == {"visit_id": key}


def test_a_name_that_several_rows_have_is_asked_about() -> None:
    form = chosen({"arg.visit_id": "Ben", "arg.room": "B2"})
    assert not form.is_valid()
    assert "Nothing is called &#x27;Ben&#x27;. Choose one of the suggestions" in str(form.errors)
    assert form.readable() == {"room": "B2"}


def test_days_and_moments_are_chosen_beside_the_day_of_the_world() -> None:
    page = str(chosen(due_on="2026-07-04", calls_at="2026-07-04T16:00", begins_at="2026-07-04 16:00:00"))
    for field in (
        '<input type="date" name="arg.due_on" value="2026-07-04"',
        '<input type="datetime-local" name="arg.calls_at" value="2026-07-04T16:00"',
        '<input type="datetime-local" name="arg.begins_at" value="2026-07-04T16:00:00"',
        "By when. Today is Mon 4 May 2026.<",
        "When. Today is Mon 4 May 2026, 09:00.<",
    ):
        assert field in page


def test_what_browsers_send_of_moments_is_written_as_the_world_does() -> None:
    sent = {
        "arg.due_on": "2026-07-04",
        "arg.calls_at": "2026-07-04T16:00",
        "arg.begins_at": "2026-07-04T16:00",
    }
    form = chosen(sent)
    assert form.is_valid(), form.errors
    assert form.arguments() == {
        "due_on": "2026-07-04",
        "calls_at": "2026-07-04T16:00",
        "begins_at": "2026-07-04 16:00:00",
    }


@pytest.mark.parametrize("odd", ["tomorrow", "2026-7-4", "2026-07-04T16:00:00"])
def test_a_day_that_is_written_otherwise_stays_as_it_is(odd: str) -> None:
    assert f'<input type="text" name="arg.due_on" value="{odd}"' in str(chosen(due_on=odd))
    form = chosen({"arg.due_on": odd})
    assert form.is_valid()
    assert form.arguments() == {"due_on": odd}
