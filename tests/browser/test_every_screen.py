"""Every screen in both themes, wide and narrow: accessible, no sideways scroll, quiet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

SCREENS: dict[str, Callable[[Any], str]] = {
    "home": lambda desk: "/",
    "catalogue": lambda desk: "/environments/",
    "catalogue-filtered": lambda desk: "/environments/?state=proved&q=clinic",
    "catalogue-empty": lambda desk: "/environments/?q=zeppelin",
    "new-environment": lambda desk: "/environments/new/",
    "overview": lambda desk: desk.address,
    "schema": lambda desk: f"{desk.address}schema/",
    "data": lambda desk: f"{desk.address}data/",
    "table": lambda desk: f"{desk.address}data/table/appointments/",
    "table-after-a-step": lambda desk: f"{desk.address}data/table/appointments/?at={desk.replay.pk}/3",
    "sql": lambda desk: f"{desk.address}data/sql/?query=SELECT+*+FROM+patients",
    "row": lambda desk: f"{desk.address}data/row/appointments/?id=18",
    "tools": lambda desk: f"{desk.address}tools/",
    "tool": lambda desk: f"{desk.address}tools/cancel_appointment/",
    "scratch": lambda desk: f"{desk.address}scratch/?tool=find_patients",
    "tasks": lambda desk: f"{desk.address}tasks/",
    "task": lambda desk: f"{desk.address}tasks/hand_freed_slot_to_waiting_list/",
    "checks": lambda desk: f"{desk.address}checks/",
    "trajectories-of-one": lambda desk: f"{desk.address}trajectories/",
    "review": lambda desk: f"{desk.address}review/",
    "flag": lambda desk: f"{desk.address}flags/new/?trajectory={desk.replay.pk}&step=3",
    "history": lambda desk: f"{desk.address}history/",
    "export": lambda desk: f"{desk.address}export/",
    "replay": lambda desk: f"/trajectories/{desk.replay.pk}/step/3/?since=0",
    "verdict": lambda desk: f"/trajectories/{desk.replay.pk}/step/{desk.replay.step_count}/",
    "side-by-side": lambda desk: f"/trajectories/{desk.replay.pk}/beside/{desk.idle.pk}/",
    "trajectories": lambda desk: "/trajectories/",
    "queue": lambda desk: "/review/",
    "runs": lambda desk: "/runs/",
    "run": lambda desk: f"/runs/{desk.run.pk}/",
    "attempt": lambda desk: f"/runs/{desk.run.pk}/attempts/{desk.attempt.pk}/",
    "bundles": lambda desk: "/bundles/",
    "bundle": lambda desk: f"/bundles/{desk.bundle.pk}/",
    "dashboard": lambda desk: "/dashboard/",
    "keys": lambda desk: "/keys/",
    "jump": lambda desk: "/jump/?q=appointment",
    "components": lambda desk: "/components/",
}
"""Name to address; `make screenshots` photographs the same."""

SIZES = {"wide": (1280, 900), "narrow": (360, 780)}
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_is_accessible_and_fits_in_both_themes_wide_and_narrow(
    screen: str, page: Page, context: BrowserContext, base_url: str, desk, signed_in
) -> None:
    signed_in("lena")
    page.emulate_media(reduced_motion="reduce")
    problems = []
    for theme in ("light", "dark"):
        context.add_cookies([{"name": "theme", "value": theme, "url": base_url}])
        page.goto(SCREENS[screen](desk))
        expect(page.locator("main h1")).to_have_count(1)
        assert page.locator("html").get_attribute("data-bs-theme") == theme
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            problems += [f"{theme}, {size}: {said}" for said in complaints(page)]
    assert problems == []


def complaints(page: Page) -> list[str]:
    """What axe finds on the page, and whether it scrolls sideways."""
    found = Axe().run(page, options=RULES)
    said = [
        f"{violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for violation in found.response["violations"]
        for node in violation["nodes"][:3]
    ]
    sideways = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [*said, f"it scrolls {sideways} px sideways"] if sideways else said


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("address", ["/", "/sign-in/", "/no/such/page/"])
def test_a_stranger_sees_accessible_pages(
    address: str, theme: str, page: Page, context: BrowserContext, base_url: str, people, watch
) -> None:
    watch.expected.append("404")
    context.add_cookies([{"name": "theme", "value": theme, "url": base_url}])
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(address)
    assert complaints(page) == []


def test_the_theme_follows_the_system_until_it_is_chosen(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.emulate_media(color_scheme="dark")
    page.goto("/")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light
    page.get_by_role("button", name="Theme: auto").click()
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    page.goto("/runs/")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
