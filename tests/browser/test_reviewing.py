"""Reviewing in the browser: parts, revisions that change meanwhile, what returns, and scratch instances."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from studio.models import AuthorKind, EnvironmentRecord, Flag, Review
from studio.services.environments import edits, quality_gates
from studio.services.environments.check_reports import store_report
from studio.services.environments.environments import load_environment, store_environment
from studio.services.review import flags
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.worlds.toolset import read_toolset
from tests.studio.conftest import TOOLS, small_environment
from tests.studio.views.browse.test_scratch import ORDERS


def edited(desk, editor, change) -> None:
    """A newer revision whose checks hold."""
    record = EnvironmentRecord.objects.select_related("current").get(pk=desk.record.pk)
    revision = edits.edit(
        record=record, revision_number=record.current.number, editor=editor, change=change, reason="Better."
    )
    results = (CheckResult(claim="every_statement_builds", passed=True),)
    report = CheckReport(environment=load_environment(revision).fingerprint, results=results)
    store_report(revision=revision, report=report)
    quality_gates.settle(EnvironmentRecord.objects.select_related("current").get(pk=record.pk))


def test_one_part_is_refused_and_the_rest_approved_with_the_keyboard(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    page.keyboard.press("a")
    expect(page.get_by_role("radio", name="Approve")).to_be_checked()
    page.get_by_text("Decision per part").focus()
    page.locator("summary", has_text="Decision per part").press("Enter")
    page.locator("summary", has_text="Tools").first.press("Enter")
    choice = page.get_by_label("Decision on Cancel appointment")
    choice.focus()
    choice.press("r")  # the first choice with that letter
    expect(choice).to_have_value("request_changes")
    page.get_by_label("Why").fill("It frees the slot too early.")
    for criterion in ("Tasks can be done", "Data fits", "Tools cover the work"):
        page.get_by_role("group", name=criterion).get_by_label("4").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Your review is submitted: approve.")).to_be_visible()
    assert Review.objects.submitted().get().unit_decisions == {"tool:cancel_appointment": "request_changes"}
    expect(page.get_by_text("Approval is missing for tool “Cancel appointment”.")).to_be_visible()


def test_a_verdict_on_an_older_revision_is_refused_with_a_link_and_keeps_the_words(
    page: Page, desk, signed_in, people, watch
) -> None:
    watch.expected.append("status of 409")
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    page.get_by_role("radio", name=re.compile("^Reject")).check()
    page.get_by_label("Why").fill("The policy contradicts itself.")
    edited(desk, people["ravi"], edits.edit_policy("Be quick and kind."))
    page.get_by_role("button", name="Submit").dblclick()
    expect(page.get_by_role("alert")).to_contain_text(
        "This is a review of revision 1; revision 2 is current."
    )
    expect(page.get_by_label("Why")).to_have_value("The policy contradicts itself.")
    expect(page.get_by_role("radio", name=re.compile("^Reject"))).to_be_checked()
    assert not Review.objects.submitted().exists()
    page.get_by_role("link", name="See what changed in revision 2").click()
    expect(page.get_by_text("Be quick and kind.")).to_be_visible()
    page.go_back()
    page.goto(f"{desk.address}review/")
    expect(page.get_by_label("Why")).to_have_value("The policy contradicts itself.")


def test_what_was_corrected_returns_with_what_changed(page: Page, desk, signed_in, people) -> None:
    flags.raise_flag(
        record=desk.record, user=people["rosa"], reason="policy_wrong", severity="major", comment="Rude."
    )
    edited(desk, people["ravi"], edits.edit_policy("Be kind."))
    signed_in("rosa")
    page.goto("/review/")
    expect(page.get_by_text("Returned to you", exact=True)).to_be_visible()
    expect(page.get_by_text("Why first: 1 open flag.")).to_be_visible()
    page.get_by_role("link", name="What changed since").click()
    expect(page.get_by_role("heading", name="Revision 2 compared with 1")).to_be_visible()
    page.goto(f"{desk.address}review/")
    page.get_by_role("link", name="Change list").click()
    expect(page.get_by_text("Policy wrong: Rude.")).to_be_visible()
    expect(page.get_by_text("No author is available now.")).to_be_visible()
    expect(page.get_by_role("button", name="Send back")).to_be_disabled()


def test_form_and_json_follow_each_other_and_bad_json_keeps_both(page: Page, desk, signed_in) -> None:
    signed_in("rosa", view="expert")
    page.goto(f"{desk.address}scratch/?tool=cancel_appointment")
    raw = page.get_by_label("Arguments as JSON")
    page.get_by_label("appointment_id").fill("18")
    page.get_by_label("reason").select_option(label="clinic")
    expect(raw).to_have_value(json.dumps({"appointment_id": 18, "reason": "clinic"}, indent=2))
    raw.fill('{"appointment_id": 19,\n "reason" "patient"}')
    expect(page.get_by_text("line 2, column 11")).to_be_visible()
    expect(page.get_by_label("appointment_id")).to_have_value("18")
    raw.fill('{"appointment_id": 19, "reason": "patient"}')
    expect(page.get_by_label("appointment_id")).to_have_value("19")
    expect(page.get_by_text("line 2, column 11")).to_have_count(0)
    expect(raw).to_be_focused()


@pytest.mark.slow
def test_two_reviewers_instances_never_see_each_other(
    page: Page, desk, signed_in, browser: Browser, base_url: str, people, live_server
) -> None:
    signed_in("rosa", view="expert")
    page.goto(f"{desk.address}scratch/?tool=cancel_appointment")
    page.get_by_label("appointment_id").fill("18")
    page.get_by_label("reason").select_option(label="clinic")
    page.get_by_role("button", name="Call cancel_appointment").click()
    expect(page.get_by_text("1 row changed").or_(page.get_by_text("rows changed")).first).to_be_visible()
    expect(page.locator(".change-updated").first).to_be_visible()

    from django.test import Client

    client = Client()
    client.force_login(people["ravi"])
    other = browser.new_context(base_url=base_url)
    cookies = {"sessionid": client.cookies["sessionid"].value, "view": "expert"}
    other.add_cookies(
        [{"name": name, "value": value, "url": live_server.url} for name, value in cookies.items()]
    )
    theirs = other.new_page()
    theirs.goto(f"{desk.address}scratch/?tool=cancel_appointment")
    expect(theirs.get_by_text("No calls yet")).to_be_visible()
    theirs.get_by_label("appointment_id").fill("18")
    theirs.get_by_label("reason").select_option(label="clinic")
    theirs.get_by_role("button", name="Call cancel_appointment").click()
    expect(theirs.locator(".change-updated").first).to_be_visible()  # it was still booked there
    other.close()

    page.get_by_role("link", name="Flag this with evidence").click()
    page.get_by_label("What did you see, and what did you expect?").fill("It tells nobody.")
    page.get_by_role("button", name="Raise the flag").click()
    expect(page.get_by_role("heading", name="Scratch console")).to_be_visible()
    assert Flag.objects.get().evidence["arguments"] == {"appointment_id": 18, "reason": "clinic"}


def test_items_of_a_list_come_and_go_and_the_json_follows(page: Page, desk, signed_in) -> None:
    environment = small_environment(name="orders", title="Orders")
    environment = environment.replace(tools=read_toolset(ORDERS + TOOLS))
    store_environment(environment=environment, author_kind=AuthorKind.PROCEDURAL, reason="Made.")
    signed_in("rosa", view="expert")
    page.goto("/environments/orders/scratch/?tool=order_items")
    page.get_by_label("street").fill("Quay 3")
    page.get_by_role("button", name="Add to lines").click()
    page.get_by_role("textbox", name="item").fill("drill")
    page.get_by_role("spinbutton", name="count").fill("2")
    page.get_by_role("button", name="Add to lines").click()
    expect(page.get_by_role("textbox", name="item")).to_have_count(2)
    expect(page.get_by_role("textbox", name="item").first).to_have_value("drill")
    page.get_by_role("textbox", name="item").nth(1).fill("saw")
    page.get_by_role("spinbutton", name="count").nth(1).fill("1")
    raw = page.get_by_label("Arguments as JSON")
    expect(raw).to_have_value(re.compile(r'"saw",\s+"count": 1'))
    page.get_by_role("button", name="Remove lines 1").click()
    expect(page.get_by_role("textbox", name="item")).to_have_count(1)
    expect(page.get_by_role("textbox", name="item")).to_have_value("saw")
    expect(raw).not_to_have_value(re.compile("drill"))
    raw.fill('{"street": "Mill 1", "lines": [{"item": "axe", "count": 5}, {"item": "rope", "count": 1}]}')
    expect(page.get_by_role("textbox", name="item")).to_have_count(2)
    expect(page.get_by_role("textbox", name="item").nth(1)).to_have_value("rope")
    page.get_by_role("button", name="Call order_items").click()
    expect(page.get_by_text('"count": 6')).to_be_visible()


def test_the_choice_of_a_tool_fits_a_narrow_screen_however_long_its_titles_are(
    page: Page, desk, signed_in
) -> None:
    signed_in("rosa")
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(f"{desk.address}scratch/?tool=find_patients")
    page.locator("#tool option").first.evaluate(
        "option => { option.textContent = 'Extend the storage of '.repeat(4) }"
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
