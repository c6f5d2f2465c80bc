"""The replay in a real browser: a step per address, nested changes, long traces, heavy results on demand."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step, Trajectory
from tests.browser.test_every_screen import console_errors

STEPS = 400
HEAVY = 200
MB = 1_000_000


@pytest.fixture
def long(desk) -> Any:
    """A trajectory of 400 steps; step 200 has a result of 20 MB, every tenth changes a row's settings."""
    from studio.services.rollouts.trajectories import store_trajectory

    trajectory = Trajectory(
        environment=desk.record.current.fingerprint,
        environment_name=desk.record.name,
        task_id=desk.replay.task_id,
        agent="chat",
        steps=tuple(
            Step(
                index=n,
                action=ToolCall(name="find_patients", arguments={"name": f"patient {n}"}),
                status="ok",
                observation={"items": "x" * 20 * MB} if n == HEAVY else {"n": n},
                changes=_changes(n) if n % 10 == 0 else StateDiff(),
            )
            for n in range(1, STEPS + 1)
        ),
        stop_reason="step_limit",
    )
    return store_trajectory(revision=desk.record.current, judged=JudgedTrajectory(trajectory=trajectory))


def _changes(n: int) -> StateDiff:
    before, after = ({"id": 1, "settings": f'{{"seat": {{"row": {row}}}, "same": 1}}'} for row in (n - 10, n))
    change = RowChange(
        table="patients", key=1, kind="updated", before=before, after=after, columns=("settings",)
    )
    return StateDiff(changes=(change,))


def test_step_37_opens_at_step_37_also_after_the_sign_in_and_j_and_k_move(page: Page, long) -> None:
    address = f"/trajectories/{long.pk}/step/37/"
    page.goto(address)
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("rosa-secret")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(address)
    expect(
        page.get_by_role("navigation", name="Steps, one by one").get_by_text("Step 37 of 400")
    ).to_be_visible()
    expect(page.locator(".outline [aria-current=step]")).to_be_in_viewport()
    page.keyboard.press("j")
    expect(page).to_have_url(address.replace("37", "38"))
    page.keyboard.press("k")
    expect(page).to_have_url(address)


def test_a_step_says_what_changed_inside_and_a_step_that_changed_nothing_says_so(
    page: Page, long, signed_in
) -> None:
    signed_in("rosa", view="expert")
    page.goto(f"/trajectories/{long.pk}/step/41/")
    expect(page.get_by_text("This step changed nothing in the database.")).to_be_visible()
    page.goto(f"/trajectories/{long.pk}/step/40/")
    inner = page.locator(".inner-changes li")
    expect(inner).to_have_count(1)
    expect(inner).to_contain_text("changed")
    expect(inner.locator("code")).to_have_text("seat.row")
    expect(inner.locator("del")).to_have_text("30")
    expect(inner.locator("ins")).to_have_text("40")
    head = page.locator(".change-head").first
    expect(head).to_contain_text("~")
    expect(head).to_contain_text("changed")


def test_a_range_of_steps_is_chosen_and_shown_as_one_difference(page: Page, long, signed_in) -> None:
    signed_in("rosa", view="expert")
    page.goto(f"/trajectories/{long.pk}/step/50/")
    page.get_by_label("after step").fill("20")
    page.get_by_label("through step").fill("70")
    page.get_by_role("button", name="Show the range").click()
    expect(page).to_have_url(re.compile(r"since=20&through=70"))
    panel = page.get_by_role("region", name="Changed by steps 21 to 70")
    expect(panel.locator(".inner-changes del")).to_have_text("20")
    expect(panel.locator(".inner-changes ins")).to_have_text("70")


def test_a_search_inside_the_trace_narrows_the_outline(page: Page, long, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"/trajectories/{long.pk}/step/1/")
    page.get_by_role("searchbox", name="Search in arguments").fill("patient 38")
    page.keyboard.press("Enter")
    expect(page.get_by_text("11 of 400 steps match")).to_be_visible()
    page.locator(".outline").get_by_role("link", name=re.compile("^380")).click()
    expect(
        page.get_by_role("navigation", name="Steps, one by one").get_by_text("Step 380 of 400")
    ).to_be_visible()
    expect(page.get_by_text("11 of 400 steps match")).to_be_visible()


@pytest.mark.slow
def test_no_answer_of_a_long_replay_is_over_a_megabyte_until_the_whole_is_asked_for(
    page: Page, long, signed_in
) -> None:
    signed_in("rosa")
    sizes: dict[str, int] = {}
    page.on("response", lambda answer: sizes.update({answer.url: len(answer.body())}) if answer.ok else None)
    for step in (1, HEAVY, STEPS):
        page.goto(f"/trajectories/{long.pk}/step/{step}/")
        expect(
            page.get_by_role("navigation", name="Steps, one by one").get_by_text(f"Step {step} of {STEPS}")
        ).to_be_visible()
        page.wait_for_load_state("networkidle")
    assert max(sizes.values()) < MB, sizes
    page.goto(f"/trajectories/{long.pk}/step/{HEAVY}/")
    expect(page.get_by_text("The first 4,000 of 20,000,0")).to_be_visible()
    address = page.get_by_role("link", name="open the whole step as JSON").get_attribute("href")
    whole = page.request.get(str(address))
    assert len(whole.json()["observation"]["items"]) == 20 * MB


def test_keys_pressed_while_a_step_is_on_its_way_wait_for_it(page: Page, long, signed_in, watch) -> None:
    signed_in("rosa")
    address = f"/trajectories/{long.pk}/step/"
    page.goto(f"{address}37/")
    shown = page.locator(".step-nav strong")
    expect(shown).to_have_text("Step 37 of 400")
    for key in "jjkjj":
        page.keyboard.press(key)
    expect(page).to_have_url(f"{address}40/")
    expect(shown).to_have_text("Step 40 of 400")
    # A step that does not come takes what was pressed after it along.
    watch.expected += ["Failed to"]
    page.route(f"**{address}41/", lambda route: route.abort())
    for key in "jj":
        page.keyboard.press(key)
    expect(page.get_by_text("The server did not answer")).to_be_visible()
    expect(shown).to_have_text("Step 40 of 400")
    page.keyboard.press("k")
    expect(shown).to_have_text("Step 39 of 400")


def test_steps_change_in_place_by_keys_outline_and_timeline(page: Page, long, signed_in) -> None:
    signed_in("rosa")
    address = f"/trajectories/{long.pk}/step/"
    page.goto(f"{address}37/")
    shown = page.locator(".step-nav strong")
    page.evaluate("window.samePage = true")
    page.evaluate("scrollTo({ top: 200, behavior: 'instant' })")
    place = page.evaluate("scrollY")
    page.keyboard.press("j")
    expect(shown).to_have_text("Step 38 of 400")
    expect(page).to_have_url(f"{address}38/")
    expect(page).to_have_title(re.compile("^Step 38 "))
    expect(page.locator(".outline [aria-current=step]")).to_be_in_viewport()
    expect(page.locator("#announcer")).to_have_text("Step 38 of 400")
    assert page.evaluate("scrollY") == place
    expect(page.get_by_role("link", name="Flag this step")).to_have_attribute("href", re.compile("step=38&"))

    # The link that was used keeps the focus, so that Enter goes on.
    page.get_by_role("link", name="Next", exact=False).first.focus()
    page.keyboard.press("Enter")
    expect(shown).to_have_text("Step 39 of 400")
    # Announced once the new links are htmx's; one that is used before then loads a page.
    expect(page.locator("#announcer")).to_have_text("Step 39 of 400")
    page.keyboard.press("Enter")
    expect(shown).to_have_text("Step 40 of 400")
    expect(page.get_by_role("region", name="Rows changed")).to_contain_text("1 by this step")

    # Arrows move the handle of the timeline; keys work while it has the focus.
    page.get_by_role("slider", name="Step").focus()
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_text("Step 41 of 400")
    expect(page.locator("#announcer")).to_have_text("Step 41 of 400")
    expect(page.get_by_role("slider", name="Step")).to_be_focused()
    page.keyboard.press("k")
    expect(page).to_have_url(f"{address}40/")
    expect(page.locator("#announcer")).to_have_text("Step 40 of 400")
    expect(page.get_by_text("40 steps changed rows")).to_be_visible()
    page.get_by_role("link", name=re.compile("^43 ?")).first.click()
    expect(page).to_have_url(f"{address}43/")
    page.go_back()
    expect(shown).to_have_text("Step 40 of 400")
    expect(page).to_have_url(f"{address}40/")
    assert page.evaluate("window.samePage")


def test_the_file_of_a_replay_reads_alone(page: Page, desk, signed_in, sizes, tmp_path, watch) -> None:
    watch.expected.append("file:///")
    signed_in("viewer")
    page.goto(f"/trajectories/{desk.replay.pk}/step/1/")
    with page.expect_download() as download:
        page.get_by_role("link", name="As a file").click()
    path = tmp_path / "replay.html"
    download.value.save_as(path)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width, height in sizes.values():
            page.set_viewport_size({"width": width, "height": height})
            assert console_errors(page) == []
            if folder := os.environ.get("FILE_PICTURES"):
                page.screenshot(path=f"{folder}/file-{width}-{scheme}.png", full_page=True)
    assert asked == [path.as_uri()]
