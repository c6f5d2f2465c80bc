"""What goes wrong is said where it was asked for, and focus stays in the page."""

from __future__ import annotations

import re

import pytest
from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from playwright.sync_api import Page, expect

from studio.services.errors import Missing
from studio.views.rollouts import trajectories
from synthesis.errors import InvalidInput

PROVOKED = "the server responded with a status"


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (Missing("No such list.", remedy="Choose another."), 404, "No such list. Choose another."),
        (RequestDataTooBig(), 413, "too large"),
        (InvalidInput("The filter cannot be read."), 422, "The filter cannot be read."),
        (OperationalError("database is locked"), 503, "Nothing was changed. Try again"),
        (RuntimeError("a defect"), 500, "The page could not be rendered."),
    ],
    ids=["404", "413", "422", "locked database", "500"],
)
def test_an_error_is_told_in_the_region_that_asked(
    error: Exception, status: int, words: str, page: Page, desk, signed_in, watch, monkeypatch
) -> None:
    watch.expected.append(PROVOKED)
    signed_in("rosa")
    page.goto("/trajectories/")

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(trajectories, "listed", fail)
    link = page.get_by_role("link", name="the right solution 10")
    with page.expect_response(re.compile("agent=reference")) as answer:
        link.click()
    assert answer.value.status == status
    region = page.locator("#results")
    expect(region.get_by_role("alert")).to_contain_text(words)
    expect(page.get_by_role("heading", level=1)).to_have_text("Attempts")
    if status == 500:
        expect(region.get_by_text(re.compile(r"^\s*Reference"))).to_contain_text(re.compile(r"[0-9a-f]{8}"))
    assert page.evaluate("document.activeElement !== document.body")
    expect(page.get_by_text("1–20 of 20")).to_be_visible()
    expect(page).to_have_url(re.compile("/trajectories/$"))
    monkeypatch.undo()
    if status >= 500:
        region.get_by_role("button", name="Try again").click()
    else:
        expect(region.get_by_role("button", name="Try again")).to_have_count(0)
        link.click()
    expect(page.get_by_text("1–10 of 10")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page).to_have_url(re.compile("agent=reference"))
    assert page.evaluate("document.activeElement !== document.body")
    page.go_back()
    expect(page.get_by_text("1–20 of 20")).to_be_visible()


def test_a_page_that_fails_whole_says_so_with_a_reference(
    page: Page, desk, signed_in, watch, monkeypatch
) -> None:
    watch.expected.append(PROVOKED)
    signed_in("rosa")

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(trajectories, "listed", fail)
    page.goto("/trajectories/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Something broke on our side")
    expect(page.get_by_text(re.compile(r"^\s*Reference"))).to_contain_text(re.compile(r"[0-9a-f]{8}"))
    page.goto("/environments/no_such_world/")
    expect(page.get_by_text("There is no environment named")).to_be_visible()


def test_focus_never_falls_to_the_body_and_counts_are_announced(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/environments/")
    focused = page.locator("body :focus")
    for press, text in (
        (page.get_by_role("link", name="Proved 1"), "1 found"),
        (page.get_by_role("link", name="Remove filter State: Proved"), "1 found"),
        (page.get_by_role("link", name=re.compile("^Tools")), "1 found"),
    ):
        press.focus()
        with page.expect_response(re.compile("/environments/")):
            page.keyboard.press("Enter")
        expect(page.locator("#announcer")).to_have_text(text)
        expect(focused).to_have_count(1)
    page.wait_for_url(re.compile("sort="))
    page.get_by_role("searchbox", name="Name, title or words").fill("zeppelin")
    with page.expect_response(re.compile("zeppelin")):
        page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_have_text("0 found")
    expect(page.get_by_text("Nothing matches")).to_be_visible()
    expect(focused).to_have_count(1)


@pytest.mark.parametrize(
    ("address", "words", "next_step"),
    [
        ("/", "No environments yet", "New environment"),
        ("/environments/", "No environments yet", "New environment"),
        ("/environments/?q=zeppelin", "Nothing matches", "Clear the filters"),
        ("/trajectories/", "No attempts yet", None),
        ("/review/", "Nothing to review", None),
        ("/runs/", "No runs yet", None),
        ("/bundles/", "No bundle yet", "Approved environments"),
        ("/bundles/collections/", "No collection yet", "Approved environments"),
        ("/dashboard/", "Nothing to count yet", "Environments"),
    ],
)
def test_an_empty_screen_says_what_to_do_next(
    address: str, words: str, next_step: str | None, page: Page, people, signed_in
) -> None:
    signed_in("lena")
    page.goto(address)
    empty = page.locator(".empty, .hero").filter(has_text=words)
    expect(empty).to_be_visible()
    if next_step is not None:
        empty.get_by_role("link", name=next_step).click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    else:
        expect(empty.locator("p")).not_to_be_empty()
