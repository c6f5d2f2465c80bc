"""Every screen in both themes, wide and narrow: accessible, no sideways scroll, quiet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.cut_off import cut_off
from tests.browser.screens import FOR_ADMINISTRATORS

AXE = Axe.from_file(Path(__file__).parent / "vendor" / "axe-core-4.14.1" / "axe.min.js")
"""axe as it was published, whatever the client library brings along."""
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
}
"""What axe tries. Of what is not violated it keeps one node, which halves the time of large pages."""
COLOURS = RULES | {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""What another theme can change: it has other colours and nothing else."""


NARROWEST, OTHER, CROSSED = "narrow and light", "wide and dark", "wide and light, narrow and dark"
LOOKS = {
    NARROWEST: [("light", "narrow")],
    OTHER: [("dark", "wide")],
    CROSSED: [("light", "wide"), ("dark", "narrow")],
}
"""The first two try every colour and every arrangement once; the last, the other pairs of the two."""


@pytest.mark.parametrize(
    "looks",
    [
        NARROWEST,
        pytest.param(OTHER, marks=pytest.mark.slow),
        pytest.param(CROSSED, marks=pytest.mark.at_length),
    ],
)
def test_a_screen_is_accessible_and_fits_in_both_themes_wide_and_narrow(
    looks: str, screen: str, address: str, sizes, page: Page, base_url: str, signed_in, people
) -> None:
    page.emulate_media(reduced_motion="reduce")
    problems = []
    for username in viewers(screen, address, people):
        signed_in(username)
        for theme, size in LOOKS[looks]:
            page.context.add_cookies([{"name": "theme", "value": theme, "url": base_url}])
            width, height = sizes[size]
            page.set_viewport_size({"width": width, "height": height})
            page.goto(address)
            expect(page.locator("main h1")).to_have_count(1)
            assert page.locator("html").get_attribute("data-bs-theme") == theme
            rules = RULES if theme == "light" else COLOURS
            texts = console_errors(page, rules) + (cut_off(page) + unfolded(page) if size == "narrow" else [])
            problems += [f"{username}, {theme}, {size}: {text}" for text in texts]
    assert problems == []


def viewers(screen: str, address: str, people: dict[str, User]) -> tuple[str, ...]:
    """Who looks at a screen: a lead, and a reviewer who sees another page; an administrator at theirs."""
    if screen in FOR_ADMINISTRATORS:
        return ("admin",)
    return ("lena", "rosa") if a_reviewer_sees_another_page(address, people) else ("lena",)


def a_reviewer_sees_another_page(address: str, people: dict[str, User]) -> bool:
    """Whether a reviewer gets other content at an address than a lead, and gets any."""
    seen = []
    for username in ("lena", "rosa"):
        client = Client()
        client.force_login(people[username])
        answer = client.get(address)
        main = answer.content.decode().partition("<main")[2].partition("</main>")[0]
        seen.append(
            (answer.status_code, re.sub(r'name="csrfmiddlewaretoken" value="\w+"|X-CSRFToken.*', "", main))
        )
    return seen[0] != seen[1] and seen[1][0] == 200


def console_errors(page: Page, rules: dict[str, Any] = RULES) -> list[str]:
    """What axe finds on the page, and whether it scrolls sideways."""
    result = AXE.run(page, options=rules)
    texts = [
        f"{violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for violation in result.response["violations"]
        for node in violation["nodes"][:3]
    ]
    sideways = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [*texts, f"it scrolls {sideways} px sideways"] if sideways else texts


def unfolded(page: Page) -> list[str]:
    """What scrolls sideways as soon as it is opened: each disclosure and menu by itself."""
    wide: list[str] = page.evaluate(
        """() => {
            const all = [...document.querySelectorAll("main details:not(details details)")];
            const before = all.map(each => each.open);
            const wide = [];
            for (const each of all) {
                for (const other of all) other.open = other === each;
                const root = document.documentElement;
                const over = root.scrollWidth - root.clientWidth;
                if (over > 0) wide.push(`${each.querySelector("summary").innerText}: ${over} px`);
            }
            all.forEach((each, at) => { each.open = before[at]; });
            return wide;
        }"""
    )
    return [f"it scrolls sideways when opened: {text}" for text in wide]


NARROW = "display: block; overflow: hidden; white-space: nowrap; width: 80px"
LOW = "overflow: hidden; height: 20px; width: 80px"
WHOLE = "A name that is far too long for its place"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (f"<p style='{NARROW}'>{WHOLE}</p>", 1),
        (f"<p style='{LOW}'>{WHOLE}</p>", 1),
        (f"<p style='position: absolute; left: 300px; white-space: nowrap'>{WHOLE}</p>", 1),
        (f"<table><tr><td><a href='/'>1</a><td><span style='{NARROW}'>{WHOLE}</span></table>", 0),
        (f"<p title='{WHOLE}' style='{NARROW}'>{WHOLE}</p>", 0),
        (f"<a href='/' style='{NARROW}'>{WHOLE}</a>", 0),
        (f"<div style='{NARROW}; overflow: auto'>{WHOLE}</div>", 0),
        (f"<p style='{NARROW}; width: 1px; height: 1px'>{WHOLE}</p>", 0),
        (f"<p>{WHOLE}</p>", 0),
    ],
)
def test_text_that_is_cut_off_is_found(inner: str, expected: int, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    page.set_content(f"<body style='overflow-x: hidden; margin: 0'>{inner}</body>")
    assert len(cut_off(page)) == expected


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("address", ["/", "/sign-in/", "/no/such/page/"])
def test_a_stranger_sees_accessible_pages(
    address: str, theme: str, page: Page, context: BrowserContext, base_url: str, people, watch
) -> None:
    watch.expected.append("404")
    context.add_cookies([{"name": "theme", "value": theme, "url": base_url}])
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(address)
    assert console_errors(page) == []


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
