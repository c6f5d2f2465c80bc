"""The scratch console: private, undoable, and as exact about mistakes as about results."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.services import scratch


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


def test_an_instance_that_expired_is_made_again_from_its_calls(shelf, viewer: User, client: Client) -> None:
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
    assert [verdict.label for verdict in answer.context["verdicts"]] == [label]
