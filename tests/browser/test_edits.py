"""Editing in the browser: from the page of a tool to a new revision whose claims were tried again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from studio.jobs import execute_run
from studio.models import EnvironmentRecord, Run
from studio.services.environments import edits
from studio.services.environments.environments import load_environment
from studio.services.review import reviews


def content(desk):
    record = EnvironmentRecord.objects.select_related("current").get(pk=desk.record.pk)
    return load_environment(record.current)


@pytest.mark.slow
def test_a_tool_is_edited_and_its_claims_are_tried_live(page: Page, desk, signed_in, people, watch) -> None:
    watch.expected.append("status of 422")  # the browser notes the refusal that is provoked below
    reviews.submit(
        record=desk.record,
        revision_number=1,
        reviewer=people["ravi"],
        decision="approve",
        scores={"task_feasibility": 4, "data_alignment": 4, "toolset_completeness": 4},
        comment="Seen.",
    )
    signed_in("rosa")
    page.goto(f"{desk.address}tools/cancel_appointment/")
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.locator(".ace_text-input")).to_be_focused()
    source = page.locator("textarea[data-source]")
    caret = "area => area.editor.session.getLine(area.editor.getCursorPosition().row)"
    assert source.evaluate(caret).startswith("def cancel_appointment(")
    expect(page.locator(".ace_line", has_text="def cancel_appointment(")).to_be_visible()

    # Code that cannot be read: the place is told, and the caret stands there.
    whole = source.input_value()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(whole + "\ndef broken(:\n")
    page.get_by_label("Reason for the change").fill("Words for people.")
    page.get_by_role("button", name="Save as a new revision").click()
    last = whole.count("\n") + 2
    expect(page.get_by_role("alert")).to_contain_text(f"invalid syntax at line {last}, column 12")
    expect(page.get_by_label("Reason for the change")).to_have_value("Words for people.")
    assert source.evaluate(caret) == "def broken(:"
    assert source.evaluate("area => area.editor.getCursorPosition().column") == 11

    # The keyboard alone saves it.
    changed = whole.replace('"""Cancel', '"""Call off and cancel', 1)
    assert changed != whole
    page.locator(".ace_text-input").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(changed)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Revision 2 compared with 1")).to_be_visible()
    expect(page.get_by_text("Call off and cancel")).to_be_visible()
    expect(page.get_by_text("It can be reviewed when these are done.")).to_be_visible()
    assert content(desk).tools.source == changed

    # The page asks again and again; its questions wait while this thread works, as SQLite has one writer.
    page.route("**/trial/", lambda route: route.continue_())
    with page.expect_response("**/trial/"):
        pass
    assert execute_run(Run.objects.get(kind="checks").pk).state == "finished"
    expect(page.get_by_text(re.compile(r"All checks pass|fail,"))).to_be_visible()
    expect(page.locator("#trial")).not_to_have_attribute("hx-get", re.compile(".*"))

    # Only what covered the tool is stale; one click shows what changed since that approval.
    page.goto(f"{desk.address}review/")
    expect(page.get_by_text("Stale for 1")).to_be_visible()
    page.get_by_role("link", name="Diff since that approval").click()
    expect(page.get_by_text("Call off and cancel")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Cancel appointment", exact=True).first.click()
    expect(page.get_by_role("heading", name="Tool: Cancel appointment")).to_be_visible()

    # Who wrote it cannot approve it, and reads why.
    page.goto(f"{desk.address}review/")
    button = page.get_by_role("button", name="Approve")
    expect(button).to_be_disabled()
    expect(button).to_have_accessible_description(re.compile("You edited this revision"))


def test_somebody_was_faster_and_nothing_typed_is_lost(page: Page, desk, signed_in, people, watch) -> None:
    watch.expected.append("status of 409")
    signed_in("rosa")
    page.goto(f"{desk.address}edit/task/hand_freed_slot_to_waiting_list/")
    page.get_by_label("What the agent says at the end").fill("The slot went to the first in line.")
    page.get_by_label("Reason for the change").fill("More precise.")
    edits.edit(
        record=desk.record,
        revision_number=1,
        editor=people["ravi"],
        change=edits.edit_policy("Be quick."),
        reason="Quicker.",
    )
    page.get_by_role("button", name="Save as a new revision").click()
    expect(page.get_by_role("alert")).to_contain_text("You edited revision 1; revision 2 is current.")
    expect(page.get_by_label("What the agent says at the end")).to_have_value(
        "The slot went to the first in line."
    )
    meanwhile = page.get_by_role("link", name="See what changed in the meantime")
    assert meanwhile.get_attribute("href") == f"{desk.address}history/2/?since=1"
    page.get_by_role("button", name="Save as a new revision").click()
    expect(page.get_by_role("heading", name="Revision 3 compared with 2")).to_be_visible()


def test_without_script_a_row_is_edited(plain, context, desk, signed_in, people) -> None:
    signed_in("rosa")
    plain.add_cookies(context.cookies())
    page = plain.new_page()
    page.goto(f"{desk.address}data/row/patients/?id=1")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("email is").select_option("null")
    page.get_by_label("Reason for the change").fill("No address is known.")
    page.get_by_role("button", name="Save as a new revision").click()
    expect(page.get_by_role("heading", name="Revision 2 compared with 1")).to_be_visible()
    expect(page.get_by_text("none", exact=True)).to_be_visible()
    assert content(desk).seed_data.rows["patients"][0]["email"] is None


def test_twelve_cells_of_a_sheet_are_one_revision_and_one_proof(
    page: Page, desk, signed_in, people, watch
) -> None:
    watch.expected.append("status of 422")
    runs = Run.objects.filter(kind="checks").count()
    signed_in("rosa")
    page.goto(f"{desk.address}data/table/patients/")
    page.get_by_role("link", name="Edit as a sheet").click()
    for row in range(1, 13):
        page.get_by_label(f"Last name, row {row}", exact=True).fill(f"Name {row}")
    page.get_by_label("Id, row 13", exact=True).fill("thirteen")
    page.get_by_label("Reason for the change").fill("Other names.")
    page.get_by_role("button", name="Save as a new revision").click()
    expect(page.get_by_role("alert")).to_contain_text("Row 13: Id holds numbers")
    expect(page.get_by_label("Last name, row 12", exact=True)).to_have_value("Name 12")
    wrong = page.get_by_label("Id, row 13", exact=True)
    expect(wrong).to_have_accessible_description(re.compile("holds numbers: enter one"))
    wrong.fill("13")
    page.get_by_role("button", name="Save as a new revision").click()
    expect(page.get_by_role("heading", name="Revision 2 compared with 1")).to_be_visible()
    names = [row["last_name"] for row in content(desk).seed_data.rows["patients"][:12]]
    assert names == [f"Name {row}" for row in range(1, 13)]
    assert Run.objects.filter(kind="checks").count() == runs + 1
