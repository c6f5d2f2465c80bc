"""Batches in a browser: the price before the start, a page that follows, attempts by keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from studio.models import Run, RunState


@pytest.mark.slow
def test_a_lead_sees_an_estimate_and_then_starts_the_batch(page: Page, desk, signed_in, tmp_path) -> None:
    seeds = tmp_path / "seeds.csv"
    seeds.write_text("name\nA library\nA clinic\na  LIBRARY\n")
    signed_in("lena")
    page.goto("/runs/")
    page.get_by_role("link", name="New batch").click()
    page.get_by_label("Or a file of seeds").set_input_files(seeds)
    page.locator("#id_count").fill("6")
    page.get_by_role("button", name="Estimate").click()
    expect(page.get_by_role("heading", name="Estimate for 6 environments")).to_be_visible()
    expect(page.get_by_text("costs nothing")).to_be_visible()
    expect(page.get_by_text("line 4 is the same as line 2")).to_be_visible()
    expect(page.get_by_label("Seeds, one per line")).to_have_value("A library\nA clinic")
    page.get_by_role("button", name="Start the batch").click()
    expect(page.get_by_role("heading", name="6 environments from 2 seeds")).to_be_visible()
    run = Run.objects.filter(kind="batch").latest("id")
    expect(page).to_have_url(re.compile(rf"/batches/{run.pk}/$"))
    assert run.request["count"] == 6


def test_a_bad_file_is_refused_in_place_with_its_line(page: Page, desk, signed_in, tmp_path, watch) -> None:
    watch.expected.append("422")
    seeds = tmp_path / "seeds.txt"
    seeds.write_bytes(b"A library\nB\xfcro\n")
    signed_in("lena")
    page.goto("/batches/new/")
    page.get_by_label("Or a file of seeds").set_input_files(seeds)
    page.get_by_label("Tasks per environment").fill("4")
    page.get_by_role("button", name="Estimate").click()
    expect(
        page.get_by_text("seeds.txt, line 2: byte 2 is not UTF-8. Save the file as UTF-8.")
    ).to_be_visible()
    expect(page.get_by_label("Tasks per environment")).to_have_value("4")


@pytest.mark.slow
def test_a_batch_follows_itself_keeps_its_filter_and_stops_asking_at_the_end(
    page: Page, desk, signed_in
) -> None:
    batch = desk.batch
    signed_in("lena")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/progress/" in request.url else None)
    page.goto(f"/batches/{batch.pk}/")
    expect(page.get_by_text("12 of 16 finished")).to_be_visible()
    page.get_by_role("link", name=re.compile("^Failed 2")).click()
    expect(page.get_by_text("1–2 of 2")).to_be_visible()
    priority = page.locator("details", has_text="Priority")
    priority.locator("summary").click()
    page.get_by_label("Priority, −100 to 100").fill("7")
    child = batch.children.filter(state="running").first()
    Run.objects.filter(pk=child.pk).update(
        state=RunState.FAILED, error="A worker was lost.", error_type="Lost"
    )
    Run.objects.filter(pk=batch.pk).update(done=13)
    expect(page.get_by_text("13 of 16 finished")).to_be_visible()
    expect(page.get_by_text("1–3 of 3")).to_be_visible()
    # What was opened and typed beside the part that follows stays.
    expect(page.get_by_label("Priority, −100 to 100")).to_have_value("7")
    Run.objects.filter(pk=batch.pk).update(state=RunState.FINISHED, done=16)
    expect(page.locator("#batch")).not_to_have_attribute("hx-get", re.compile(".*"))
    assert asked
    assert all("state=failed" in url for url in asked[-1:])


def test_what_a_budget_held_back_goes_on_from_its_page(page: Page, desk, signed_in) -> None:
    signed_in("lena")
    page.goto(f"/batches/{desk.batch.pk}/")
    expect(page.get_by_text("Paused by a budget")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("The run is resumed.")).to_be_visible()
    expect(page.get_by_text("Paused by a budget")).to_be_hidden()
    page.get_by_role("button", name="Retry 2 failed").click()
    expect(page.get_by_text("2 runs are retried.")).to_be_visible()
    assert Run.objects.filter(retry_of__parent=desk.batch).count() == 2


def test_a_cause_leads_to_its_runs_and_a_run_to_its_first_error(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"/batches/{desk.batch.pk}/")
    page.get_by_role("link", name="AttemptsExhausted at tools").click()
    expect(page.get_by_text("1–1 of 1")).to_be_visible()
    page.get_by_role("region", name="Runs of this batch").get_by_role("link").first.click()
    expect(page.get_by_text("AttemptsExhausted in tools")).to_be_visible()


def test_attempts_are_walked_with_keys(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    first, second = desk.run.attempts.order_by("id")
    page.goto(f"/runs/{desk.run.pk}/attempts/{first.pk}/")
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile(rf"/attempts/{second.pk}/$"))
    expect(page.get_by_role("heading", name="Changed since attempt 1")).to_be_visible()
    page.keyboard.press("k")
    expect(page).to_have_url(re.compile(rf"/attempts/{first.pk}/$"))
