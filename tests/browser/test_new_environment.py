"""A new environment in a browser: what the sentence would become, looked at before it is made."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from studio.models import Run
from tests.browser.test_every_screen import console_errors

SENTENCE = "A boatyard stores yachts over winter and services engines cheerfully."


@pytest.mark.slow
def test_a_world_is_looked_at_in_place_and_made(
    page: Page, context: BrowserContext, base_url: str, sizes, desk, signed_in, plain, watch
) -> None:
    watch.expected.append("status of 422")
    page.emulate_media(reduced_motion="reduce")
    signed_in("lena")
    page.goto("/environments/new/")
    show = page.get_by_role("button", name="Show what it would be")
    page.get_by_label("Which application?").fill("What does a bakery do?")
    show.click()
    expect(page.get_by_text("This is a question.")).to_be_visible()
    page.get_by_label("Which application?").fill(SENTENCE)
    page.evaluate("window.stayed = true")
    show.click()
    expect(page.locator("#word-by-word")).to_contain_text("nothing stands for it", timeout=20_000)
    expect(page.locator("#sample-tasks > li")).to_have_count(3)
    expect(page.locator("#prices")).to_contain_text("to")
    expect(page.get_by_label("Which application?")).to_have_value(SENTENCE)
    assert page.evaluate("window.stayed && document.activeElement !== document.body")
    problems = []
    for theme in ("light", "dark"):
        page.evaluate("theme => document.documentElement.dataset.bsTheme = theme", theme)
        page.wait_for_timeout(300)  # colours fade from one theme to the other
        for size, (width, height) in sizes.items():
            page.set_viewport_size({"width": width, "height": height})
            problems += [f"{theme}, {size}: {each}" for each in console_errors(page)]
            if folder := os.environ.get("PREVIEW_PICTURES"):
                page.screenshot(path=f"{folder}/world-{size}-{theme}.png", full_page=True)
    assert problems == []

    # The same without script: the look is a page, and what is shown is made.
    seen = Run.objects.count()
    plain.add_cookies(context.cookies())
    still = plain.new_page()
    still.goto("/environments/new/")
    still.get_by_label("Which application?").fill(SENTENCE)
    still.get_by_role("button", name="Show what it would be").click()
    expect(still.locator("#sample-tasks > li")).to_have_count(3)
    still.get_by_role("button", name="Make it").click()
    expect(still).to_have_url(f"{base_url}/runs/{Run.objects.latest('pk').pk}/")
    assert Run.objects.count() == seen + 1
