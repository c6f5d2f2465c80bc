"""An environment's overview: all that matters on one screen, longer parts folded."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def test_the_overview_fits_one_screen_and_its_longer_parts_unfold(page: Page, desk, signed_in) -> None:
    signed_in("lena")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(desk.address)
    for name in ("What to do next", "What it simulates", "Checks"):
        expect(page.get_by_role("region", name=name)).to_be_in_viewport(ratio=1)
    expect(page.locator("dl.figures")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    rules = page.get_by_text("A patient is identified by full name")
    expect(rules).to_be_hidden()
    page.get_by_text("The rules an agent must follow").click()
    expect(rules).to_be_visible()
    page.get_by_role("link", name="Review it").click()
    expect(page).to_have_url(f"{page.url.split('/environments/')[0]}{desk.address}review/")
