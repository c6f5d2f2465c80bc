"""What a reviewer relies on: the address, the keys, live progress, an ended session, no script at all."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from studio.models import Comment, Review, Run, RunEvent, RunState


def test_back_walks_back_one_filter_at_a_time(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/trajectories/")
    page.get_by_role("link", name="the right solution 10").click()
    expect(page).to_have_url(re.compile(r"agent=reference"))
    expect(page.get_by_text("1–10 of 10")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Steps")).click()
    expect(page).to_have_url(re.compile(r"sort=step_count"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"agent=reference$"))
    expect(page.get_by_text("1–10 of 10")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/trajectories/$"))
    expect(page.get_by_text("1–20 of 20")).to_be_visible()


def test_focus_stays_in_the_list_after_a_filter(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/trajectories/")
    page.get_by_role("link", name="the right solution 10").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1–10 of 10")).to_be_visible()
    assert page.evaluate("document.activeElement !== document.body")
    expect(page.locator("#announcer")).to_have_text("10 found")


def test_the_jump_box_is_all_keyboard(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("cancel_app")
    expect(page.locator("#jump-results").get_by_role("link", name="Tool Cancel appointment")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{desk.address}tools/cancel_appointment/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Jump to anything")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Jump to anything")).to_be_hidden()


def test_keys_rest_in_dialogs_and_can_be_switched_off(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    step = f"/trajectories/{desk.replay.pk}/step/2/"
    page.goto(step)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("j")
    expect(page).to_have_url(step)
    page.get_by_label("Single-key shortcuts are on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page).to_have_url(step)
    page.get_by_role("link", name="Next", exact=False).first.focus()


def test_a_running_run_updates_itself_and_stops_asking_at_the_end(page: Page, desk, signed_in) -> None:
    signed_in("lena")
    Run.objects.filter(pk=desk.run.pk).update(state=RunState.RUNNING, done=4, error="")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/progress/" in request.url else None)
    page.goto(f"/runs/{desk.run.pk}/")
    expect(page.get_by_text("4 of 9 steps")).to_be_visible()
    Run.objects.filter(pk=desk.run.pk).update(done=5)
    expect(page.get_by_text("5 of 9 steps")).to_be_visible()
    RunEvent.objects.create(run=desk.run, kind="finished", text="Finished.")
    Run.objects.filter(pk=desk.run.pk).update(state=RunState.FINISHED, done=9, environment=desk.record)
    expect(page.get_by_text("Done.")).to_be_visible()
    expect(page.locator("#progress")).not_to_have_attribute("hx-get", re.compile(".*"))
    assert asked


def test_the_scratch_console_calls_undoes_and_verifies(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}scratch/?tool=find_patients")
    page.get_by_label("Name", exact=True).fill("Belltower")
    page.get_by_role("button", name="Find patients").click()
    expect(page.get_by_text("This call changed nothing in the database.")).to_be_visible()
    expect(page.get_by_text("Corwin").first).to_be_visible()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name="Verdict")).to_be_visible()
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_text("Nothing used yet")).to_be_visible()


@pytest.mark.slow
def test_without_script_lists_rows_replay_comments_and_verdicts_work(
    plain, context, desk, signed_in, people
) -> None:
    signed_in("rosa")
    plain.add_cookies(context.cookies())
    page = plain.new_page()
    page.goto("/trajectories/?agent=reference")
    expect(page.get_by_text("1–10 of 10")).to_be_visible()
    page.goto(f"{desk.address}data/table/patients/?q=Belltower")
    page.get_by_role("link", name="Corwin Belltower").first.click()
    expect(page.get_by_role("heading", name="Corwin Belltower")).to_be_visible()
    page.goto(f"/trajectories/{desk.replay.pk}/step/1/")
    page.get_by_role("link", name="Next", exact=False).first.click()
    expect(page.get_by_role("navigation", name="Steps, one by one").get_by_text("Step 2 of")).to_be_visible()
    page.get_by_label("Comment on this step").fill("Why look twice?")
    page.get_by_role("button", name="Comment").click()
    expect(page.get_by_text("Why look twice?")).to_be_visible()
    assert Comment.objects.get().anchor == f"{desk.replay.pk}/2"
    page.goto(f"{desk.address}review/")
    page.get_by_role("radio", name=re.compile("^Reject")).check()
    page.get_by_label("Why").fill("Not ours.")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Your review is submitted: reject.")).to_be_visible()
    assert Review.objects.submitted().count() == 1


def test_a_text_says_how_much_of_its_limit_is_used_and_nothing_of_it_is_cut(
    page: Page, desk, signed_in, watch
) -> None:
    watch.expected.append("status of 422")
    signed_in("rosa")
    page.goto(f"{desk.address}flags/new/")
    words = page.get_by_label("What did you see, and what did you expect?")
    counter = page.locator("[data-counter]")
    words.fill("x" * 7_000)
    expect(counter).to_have_count(0)
    words.fill("x" * 9_990)
    expect(counter).to_have_text("9,990 of 10,000 characters")
    words.fill("x" * 10_020)
    expect(counter).to_have_text("20 characters too many: at most 10,000")
    page.get_by_role("button", name="Raise the flag").click()
    expect(page.get_by_text("at most 10000 characters (it has 10020)")).to_be_visible()
    assert len(words.input_value()) == 10_020
    words.fill("Nothing came back.")
    expect(counter).to_be_hidden()
