"""The scratch console: private, undoable, and as exact about mistakes as about results."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from studio.models import Flag
from studio.services.browse import scratch
from tests.studio.conftest import TOOLS, small_environment


def address(shelf, verb: str = "") -> str:
    return f"/environments/{shelf.environment.name}/scratch/{verb}"


def call(client: Client, shelf, tool: str, **arguments: str) -> None:
    fields = {f"arg.{name}": value for name, value in arguments.items()}
    assert client.post(address(shelf, "call/"), {"tool": tool, **fields}).status_code == 302


def test_a_call_shows_its_result_and_the_rows_it_changed(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    call(client, shelf, "return_item", loan_id="7")
    page = client.get(address(shelf))
    assert page.context["last"].result.ok
    assert [change.table for change in page.context["changes"]] == ["loans"]
    assert "Flag this with evidence" not in page.content.decode()


def test_undo_goes_back_to_any_earlier_point(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    call(client, shelf, "list_loans")
    call(client, shelf, "return_item", loan_id="7")
    call(client, shelf, "list_loans")
    client.post(address(shelf, "undo/"), {"to": "1"})
    call(client, shelf, "list_loans")
    loans = client.get(address(shelf)).context["last"].result.value
    assert [loan["returned"] for loan in loans["items"]] == [0]
    assert len(client.get(address(shelf)).context["played"]) == 2


def test_an_instance_that_expired_is_rebuilt_from_its_calls(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    call(client, shelf, "return_item", loan_id="7")
    client.get(address(shelf))
    assert scratch.close_expired(older_than=-1) == 1
    call(client, shelf, "list_loans")
    loans = client.get(address(shelf)).context["last"].result.value
    assert [loan["returned"] for loan in loans["items"]] == [1]


def test_two_people_never_see_each_others_instance(
    shelf, viewer: User, reviewer: User, client: Client
) -> None:
    client.force_login(viewer)
    call(client, shelf, "return_item", loan_id="7")
    other = Client()
    other.force_login(reviewer)
    call(other, shelf, "list_loans")
    page = other.get(address(shelf))
    assert [loan["returned"] for loan in page.context["last"].result.value["items"]] == [0]
    assert len(page.context["played"]) == 1
    assert "Flag this with evidence" in page.content.decode()


def test_a_missing_required_argument_is_told_at_its_field(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.post(address(shelf, "call/"), {"tool": "return_item"})
    assert answer.status_code == 422
    assert "This field is required." in answer.content.decode()


def test_bad_json_shows_line_and_column_and_keeps_the_text(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    client.cookies["view"] = "expert"
    text = '{"loan_id": 7,\n "x" 1}'
    answer = client.post(address(shelf, "call/"), {"tool": "return_item", "as_json": "1", "raw": text})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "at line 2, column 6." in page
    assert "&quot;loan_id&quot;: 7," in page


def test_arguments_that_do_not_fit_are_a_result(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    client.post(address(shelf, "call/"), {"tool": "return_item", "as_json": "1", "raw": '{"loan": 7}'})
    assert client.get(address(shelf)).context["last"].result.status == "invalid_arguments"


@pytest.mark.parametrize(("calls", "label"), [(True, "completed"), (False, "agent_error")])
def test_a_task_verifies_what_was_reached(
    calls: bool, label: str, shelf, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    if calls:
        call(client, shelf, "return_item", loan_id="7")
    answer = client.post(
        address(shelf, "verify/"), {"tool": "list_loans", "task": "return_the_drill", "answer": "Done."}
    )
    (verdict,) = answer.context["verdicts"]
    assert verdict.label == label
    words = answer.context["outcome_words"]
    assert words.keys() == {outcome.name for outcome in verdict.outcomes}
    assert all(text in answer.content.decode() for text in words.values() if text)
    assert any(words.values())


ORDERS = '''from typing import TypedDict


class Line(TypedDict):
    item: str
    count: int


def order_items(db, street: str, lines: list[Line]) -> dict:
    """Order items.

    Args:
        street: Where to.
        lines: What.
    """
    return {"street": street, "count": sum(line["count"] for line in lines)}


'''


@pytest.fixture
def orders(db: None) -> str:
    """The address of an environment with a tool that takes a list of objects."""
    from studio.models import AuthorKind
    from studio.services.environments.environments import store_environment
    from synthesis.worlds.toolset import read_toolset

    environment = small_environment(name="orders", title="Orders")
    environment = environment.replace(tools=read_toolset(ORDERS + TOOLS))
    store_environment(environment=environment, author_kind=AuthorKind.PROCEDURAL, reason="Made.")
    return "/environments/orders/scratch/"


LINES = {"arg.street": "Quay 3", "arg.lines.#": "1", "arg.lines.0.item": "drill", "arg.lines.0.count": "2"}


def test_a_list_of_objects_is_filled_in_and_called(orders, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    client.post(f"{orders}call/", {"tool": "order_items", **LINES})
    last = client.get(orders).context["last"]
    assert last.call.arguments == {"street": "Quay 3", "lines": [{"item": "drill", "count": 2}]}
    assert last.result.value == {"street": "Quay 3", "count": 2}


def test_form_and_json_follow_each_other(orders, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    fields = {"tool": "order_items", **LINES}
    to_json = client.post(f"{orders}sync/", {**fields, "sync": "json"})
    assert to_json.context["raw"]["raw"].value() == json.dumps(
        {"street": "Quay 3", "lines": [{"item": "drill", "count": 2}]}, indent=2
    )
    text = '{"street": "Mill 1", "lines": [{"item": "saw", "count": 1}, {"item": "axe", "count": 3}]}'
    to_form = client.post(f"{orders}sync/", {**fields, "sync": "form", "raw": text}).content.decode()
    assert 'value="Mill 1"' in to_form
    assert 'name="arg.lines.1.item" value="axe"' in to_form
    added = client.post(f"{orders}sync/", {**fields, "add": "arg.lines"}).content.decode()
    assert 'name="arg.lines.1.count"' in added
    assert "This field is required" not in added


def test_json_that_cannot_be_read_leaves_the_form_and_says_where(
    orders, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    client.cookies["view"] = "expert"
    fields = {"tool": "order_items", **LINES, "sync": "form", "raw": '{"street": oops}'}
    answer = client.post(f"{orders}sync/", fields).content.decode()
    assert "line 1, column 12" in answer
    assert 'name="arg.lines.0.item" value="drill"' in answer


def test_without_script_items_are_added_by_sending_the_form(orders, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = client.post(f"{orders}call/", {"tool": "order_items", **LINES, "add": "arg.lines"})
    assert page.status_code == 200
    assert 'name="arg.lines.1.item"' in page.content.decode()
    assert page.context["played"] == []


def test_a_call_becomes_a_flag_with_all_that_led_to_it(shelf, reviewer: User, client: Client) -> None:
    client.force_login(reviewer)
    call(client, shelf, "list_loans")
    call(client, shelf, "return_item", loan_id="7")
    console = client.get(address(shelf)).content.decode()
    assert "scratch=2" in console
    place = f"/environments/{shelf.environment.name}/flags/new/?reason=tool_bug&where=return_item&scratch=2"
    evidence = client.get(place).context["evidence"]
    assert evidence["arguments"] == {"loan_id": 7}
    assert [each["name"] for each in evidence["before"]] == ["list_loans"]
    sent = {
        "reason": "tool_bug",
        "severity": "major",
        "comment": "Too late.",
        "where": "return_item",
        "evidence": json.dumps(evidence),
    }
    client.post(place, sent)
    flag = Flag.objects.get(comment="Too late.")
    assert flag.evidence["status"] == "ok"
    shown = client.get(f"/environments/{shelf.environment.name}/review/").content.decode()
    assert "Calls before it:" in shown
    nothing = client.get(place.replace("scratch=2", "scratch=9"))
    assert nothing.context["evidence"] == {}


def test_the_console_says_when_the_instance_is_closed(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = client.get(address(shelf))
    assert "If unused, it closes at" in page.content.decode()
    assert page.context["instance_until"] > timezone.now()


def test_rows_are_chosen_by_name_and_number(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    call(client, shelf, "return_item", loan_id="7")
    page = client.get(f"{address(shelf)}?tool=return_item").content.decode()
    assert '<option value="Ada, drill (7)">' in page
    assert 'name="arg.loan_id" value="Ada, drill (7)"' in page
    assert 'data-keep="call return_item "' in page


LENDING = '''def lend_item(db, member_id: int, item: str) -> dict:
    """Lend an item.

    Args:
        member_id: To whom.
        item: What.
    """
    loan_id = db.insert("loans", member_id=member_id, item=item)
    return {"loan_id": loan_id}


'''


def test_a_row_that_a_call_has_made_is_offered_to_the_next(db: None, viewer: User, client: Client) -> None:
    from studio.models import AuthorKind
    from studio.services.environments.environments import store_environment
    from synthesis.worlds.toolset import read_toolset

    environment = small_environment().replace(tools=read_toolset(LENDING + TOOLS))
    store_environment(environment=environment, author_kind=AuthorKind.PROCEDURAL, reason="Made.")
    client.force_login(viewer)
    at = "/environments/lending_desk/scratch/"
    sent = {"tool": "lend_item", "arg.member_id": "Ada", "arg.item": "saw"}
    assert client.post(f"{at}call/", sent).status_code == 302
    assert client.get(at + "?tool=lend_item").context["last"].result.value == {"loan_id": 8}
    page = client.get(f"{at}?tool=return_item").content.decode()
    assert '<option value="Ada, saw (8)">' in page
    client.post(f"{at}call/", {"tool": "return_item", "arg.loan_id": "Ada, saw"})
    last = client.get(f"{at}?tool=return_item").context["last"]
    assert last.call.arguments == {"loan_id": 8}
    assert last.result.ok
