"""A task edited without JSON: steps by the fields of their tools, facts and reasons line by line."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from studio.forms.task_steps import rearranged
from studio.models import EnvironmentRecord
from studio.services.environments import edits
from studio.services.environments.environments import load_environment
from tests.studio.conftest import TOOLS

AT = "/environments/lending_desk/edit/task/return_the_drill/"


@pytest.fixture
def rosa(client: Client, reviewer) -> Client:
    client.force_login(reviewer)
    return client


def fields(page: str) -> dict[str, str]:
    """What a browser would send of the form as it is."""
    form = re.search(r'<form[^>]*data-keep="edit".*?</form>', page, re.DOTALL)[0]
    given: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        if name:
            given[name[1]] = html.unescape(value[1]) if value else ""
    for name, text in re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL):
        given[name] = html.unescape(text)
    for name, options in re.findall(r'<select[^>]*name="([^"]*)".*?>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)"\s+selected', options)
        given[name] = html.unescape(chosen[1]) if chosen else ""
    return {**given, "reason": "For a test."}


def task(record: EnvironmentRecord):
    fresh = EnvironmentRecord.objects.select_related("current").get(pk=record.pk)
    return load_environment(fresh.current).task("return_the_drill")


def test_it_shows_no_json_and_saves_what_it_shows(stored, rosa) -> None:
    before = task(stored)
    page = rosa.get(AT).content.decode()
    assert "[{" not in page
    assert "reference_solution" not in page
    sent = {**fields(page), "instruction": "Take the drill back, please."}
    assert rosa.post(AT, sent).status_code == 302
    after = task(stored)
    assert after == before.replace(instruction="Take the drill back, please.")
    assert after.reference_solution == before.reference_solution


def test_steps_facts_and_reasons_are_added_and_removed_without_script(stored, rosa) -> None:
    before = task(stored)
    steps = len(before.reference_solution)
    added = rosa.post(AT, {**fields(rosa.get(AT).content.decode()), "add": "steps"})
    assert added.status_code == 200
    sent = {**fields(added.content.decode()), f"step.{steps}.tool": "list_loans"}
    sent = fields(rosa.post(AT, {**sent, "show": "1"}).content.decode())
    for place in ("list-arg.answer_facts", "list-arg.blocking"):
        sent = fields(rosa.post(AT, {**sent, "add": place}).content.decode())
    facts = len(before.answer_facts)
    fact = f"list-arg.answer_facts.{facts}"
    sent |= {f"{fact}.name": "fee", f"{fact}.type": '"money_cents"', f"{fact}.value": "12.50"}
    sent |= {"list-arg.blocking.0.kind": '"limit"', "list-arg.blocking.0.text": "at most two items"}
    sent |= {"list-arg.blocking.0.value": "2", "min_calls": str(steps + 1)}
    answer = rosa.post(AT, sent)
    assert answer.status_code == 302, re.findall(r"field-error[^>]*>([^<]*)", answer.content.decode())
    after = task(stored)
    assert [call.name for call in after.reference_solution][-1] == "list_loans"
    assert (after.answer_facts[-1].name, after.answer_facts[-1].value) == ("fee", 1250)
    assert (after.blocking[0].text, after.blocking[0].value) == ("at most two items", 2)
    page = rosa.get(AT).content.decode()
    assert 'value="12.50"' in page
    removed = fields(rosa.post(AT, {**fields(page), "remove": f"step.{steps}"}).content.decode())
    assert removed["steps.#"] == str(steps)
    fewer = {**removed, "revision": "2", "min_calls": str(steps)}
    assert rosa.post(AT, fewer).status_code == 302
    assert task(stored).reference_solution == before.reference_solution


def test_what_cannot_be_read_is_named_and_nothing_typed_is_lost(stored, rosa) -> None:
    sent = fields(rosa.post(AT, {**fields(rosa.get(AT).content.decode()), "add": "steps"}).content.decode())
    sent = fields(rosa.post(AT, {**sent, "add": "list-arg.answer_facts"}).content.decode())
    fact = f"list-arg.answer_facts.{len(task(stored).answer_facts)}"
    sent |= {f"{fact}.name": "fee", f"{fact}.type": '"money_cents"', f"{fact}.value": "a lot"}
    answer = rosa.post(AT, {**sent, "instruction": "Kept words."})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert "choose what is done, or remove the step" in page
    assert "fee: 'a lot' cannot be read as money." in page
    assert "Kept words." in page
    assert 'value="a lot"' in page


def test_a_list_within_a_step_loses_one_item_and_no_step() -> None:
    sent = {"steps.#": "3", "remove": "step.1-arg.items.0", "step.1-arg.items.#": "2"}
    sent |= {f"step.{number}.tool": f"tool_{number}" for number in range(3)}
    sent |= {"step.1-arg.items.0": "gone", "step.1-arg.items.1": "kept"}
    left = rearranged(sent)
    assert [left[f"step.{number}.tool"] for number in range(3)] == ["tool_0", "tool_1", "tool_2"]
    assert (left["steps.#"], left["step.1-arg.items.#"], left["step.1-arg.items.0"]) == ("3", "1", "kept")


def test_arguments_move_up_with_their_step_whatever_they_are_called() -> None:
    sent = {"steps.#": "2", "remove": "step.0", "step.0.tool": "a", "step.1.tool": "b"}
    sent |= {"step.0-arg.tool_id": "1", "step.1-arg.tool_id": "2", "step.1-arg.kit.tool": "saw"}
    left = rearranged(sent)
    assert {name: text for name, text in left.items() if name.startswith("step.")} == {
        "step.0.tool": "b",
        "step.0-arg.tool_id": "2",
        "step.0-arg.kit.tool": "saw",
    }


@pytest.mark.parametrize("kind", ["money_cents", "number"])
@pytest.mark.parametrize("value", ["Infinity", "NaN", "1E+999999", "1E+999990", "9" * 4_000])
def test_an_amount_beyond_every_number_is_named(stored, rosa, kind, value) -> None:
    page = rosa.post(AT, {**fields(rosa.get(AT).content.decode()), "add": "list-arg.answer_facts"})
    fact = f"list-arg.answer_facts.{len(task(stored).answer_facts)}"
    sent = fields(page.content.decode())
    sent |= {f"{fact}.name": "fee", f"{fact}.type": f'"{kind}"', f"{fact}.value": value}
    answer = rosa.post(AT, sent)
    assert answer.status_code == 422
    assert "fee: " in answer.content.decode()
    assert "cannot be read as" in answer.content.decode()


@pytest.mark.parametrize("value", ["nan", "infinity", "1e999"])
def test_what_a_right_answer_may_name_is_a_finite_number_or_a_text(stored, rosa, value) -> None:
    sent = fields(rosa.get(AT).content.decode())
    sent = fields(rosa.post(AT, {**sent, "add": "list-arg.blocking"}).content.decode())
    sent |= {"list-arg.blocking.0.kind": '"limit"', "list-arg.blocking.0.text": "at most two items"}
    assert rosa.post(AT, {**sent, "list-arg.blocking.0.value": value}).status_code == 302
    assert task(stored).blocking[0].value == value


def test_steps_are_one_line_each_until_something_is_to_be_done_in_them(stored, rosa) -> None:
    def folds(page: str) -> list[tuple[bool, str]]:
        found = re.findall(r'<details class="fold"\s*(open)?\s*>\s*<summary>(.*?)</summary>', page, re.DOTALL)
        return [(bool(opened), " ".join(re.sub("<[^>]*>", " ", text).split())) for opened, text in found]

    page = rosa.get(AT).content.decode()
    assert folds(page) == [(False, "1. Return item Ada, drill (7)")]
    sent = fields(page)
    added = rosa.post(AT, {**sent, "add": "steps"}).content.decode()
    assert [opened for opened, _ in folds(added)] == [False, True]
    chosen = rosa.post(AT, {**fields(added), "step.1.tool": "return_item", "show": "1"}).content.decode()
    assert folds(chosen)[1] == (True, "2. Return item")
    wrong = rosa.post(AT, {**sent, "step.0-arg.loan_id": "nobody", "reason": "Why."}).content.decode()
    assert folds(wrong) == [(True, "1. Return item nobody")]


def test_the_arguments_of_a_step_stay_in_their_order(stored, rosa, lead) -> None:
    described = TOOLS.replace("loan_id: Loan to end.", "loan_id: Loan to end.\n        note: How it is.")
    source = described.replace(
        "def return_item(db, loan_id: int)", 'def return_item(db, loan_id: int, note: str = "")'
    )
    calls = [
        {"name": "return_item", "arguments": {"note": "late", "loan_id": 7}},
        {"name": "return_item", "arguments": {"note": "broken", "loan_id": 7}},
    ]
    edits.edit(record=stored, revision_number=1, editor=lead, change=edits.edit_tools(source), reason="A.")
    edits.edit(
        record=stored,
        revision_number=2,
        editor=lead,
        change=edits.edit_task("return_the_drill", {"reference_solution": calls}),
        reason="B.",
    )
    sent = fields(rosa.get(AT).content.decode()) | {"step.1-arg.note": "whole", "reason": "C."}
    assert rosa.post(AT, sent).status_code == 302
    after = task(stored)
    orders = [list(call.arguments.items()) for call in after.reference_solution]
    assert orders == [[("note", "late"), ("loan_id", 7)], [("note", "whole"), ("loan_id", 7)]]
