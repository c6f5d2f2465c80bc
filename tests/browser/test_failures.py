"""A part of a page that could not be loaded says so where it was asked for, and offers the way on."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Locator, Page, Route, expect

PROVOKED = ["the server responded with a status", "net::ERR", "Failed to fetch"]


def filter_list(page: Page, desk) -> None:
    page.goto("/trajectories/")


def ask_for_the_filter(page: Page) -> None:
    page.get_by_role("link", name="reference 10").click()


def open_jump(page: Page, desk) -> None:
    page.goto("/environments/")
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_visible()


def type_words(page: Page) -> None:
    page.get_by_role("dialog").get_by_role("searchbox").press_sequentially("clinic")


def open_console(page: Page, desk) -> None:
    page.goto(f"{desk.address}scratch/?tool=find_patients")


def type_argument(page: Page) -> None:
    page.locator("#call-fields input[type=text], #call-fields textarea").first.fill("Nora")


def open_rollouts(page: Page, desk) -> None:
    page.goto(f"/rollouts/{desk.rollouts.pk}/")


def wait_for_the_poll(page: Page) -> None:
    """The page asks by itself."""


PLACES: dict[str, tuple[Callable, Callable, str, str]] = {
    "filter of a list": (filter_list, ask_for_the_filter, "agent=reference", "#results"),
    "jump box": (open_jump, type_words, "/jump/", "#jump-results"),
    "form and JSON in step": (open_console, type_argument, "/sync/", "#call-json"),
    "progress of a batch": (open_rollouts, wait_for_the_poll, "/progress/", "#progress"),
}
"""Where parts of pages are asked for: how to get there, how to ask, what is asked, where the answer goes."""


def busy(route: Route) -> None:
    route.fulfill(status=503, content_type="text/html", body="<html><body>proxy says no</body></html>")


def offline(route: Route) -> None:
    route.abort("internetdisconnected")


def other_page(route: Route) -> None:
    route.fulfill(status=502, content_type="text/plain", body="bad gateway")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("fail", "words"),
    [
        (busy, "The server answered with status 503."),
        (offline, "The server did not answer"),
        (other_page, "The server answered with status 502."),
    ],
    ids=["503", "offline", "502"],
)
def test_a_failed_part_is_told_where_it_was_asked_and_tried_again(
    place: str, fail: Callable[[Route], None], words: str, page: Page, desk, signed_in, watch
) -> None:
    watch.expected += PROVOKED
    signed_in("rosa", view="expert")
    get_there, ask, address, region = PLACES[place]
    get_there(page, desk)
    before = page.locator(region).inner_text()
    page.route(re.compile(re.escape(address)), fail)
    ask(page)
    alert = page.locator(region).get_by_role("alert")
    expect(alert).to_contain_text(words)
    expect(alert).to_be_in_viewport()
    if place == "filter of a list":
        assert before in page.locator(region).inner_text()
        box, wide = alert.bounding_box(), page.locator(region).bounding_box()
        assert box is not None
        assert wide is not None
        assert box["width"] == wide["width"]  # above the columns, not in one of them
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_contain_text(words)
    expect(alert).to_have_count(1)
    page.unroute_all()
    press(alert)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert page.evaluate("document.activeElement !== document.body")


def press(alert: Locator) -> None:
    """Try again, unless the page did so by itself meanwhile."""
    button = alert.get_by_role("button", name="Try again")
    if button.count():
        button.click()


@pytest.mark.parametrize("place", PLACES)
def test_an_ended_session_is_told_where_it_was_asked_and_begun_again_in_place(
    place: str, page: Page, desk, signed_in, watch
) -> None:
    watch.expected += PROVOKED
    signed_in("rosa", view="expert")
    get_there, ask, _, region = PLACES[place]
    get_there(page, desk)
    Session.objects.all().delete()
    ask(page)
    alert = page.locator(region).get_by_role("alert")
    expect(alert).to_contain_text("Your session has ended.")
    alert.get_by_role("button", name="Sign in").click()
    dialog = page.get_by_role("dialog", name="Your session has ended")
    dialog.get_by_label("Username").fill("rosa")
    dialog.get_by_label("Password").fill("rosa-secret")
    dialog.get_by_role("button", name="Sign in and continue").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    if place == "filter of a list":
        expect(page.get_by_text("10 shown")).to_be_visible()


def test_back_without_a_connection_is_told_and_tried_again(page: Page, desk, signed_in, watch) -> None:
    watch.expected += PROVOKED
    signed_in("rosa", view="expert")
    page.goto("/trajectories/")
    ask_for_the_filter(page)
    expect(page.get_by_text("10 shown")).to_be_visible()
    page.route(re.compile("/trajectories/"), offline)
    page.go_back()
    alert = page.locator("#notices").get_by_role("alert")
    expect(alert).to_contain_text("The server did not answer")
    page.unroute_all()
    alert.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("20 shown")).to_be_visible()


@pytest.mark.parametrize("fail", [busy, offline, other_page], ids=["503", "offline", "502"])
def test_words_that_could_not_be_sent_are_told_at_their_button(
    fail, page: Page, desk, signed_in, watch
) -> None:
    watch.expected += PROVOKED
    signed_in("rosa")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{desk.address}review/walk/check_in_and_take_payment/")
    page.locator("#id_note").fill("Who takes the payment?")
    page.route(re.compile("/session/"), fail)
    page.get_by_role("radio", name="Not sure").check()
    page.get_by_role("button", name="Save and go on").click()
    alert = page.locator("#answer").get_by_role("alert")
    expect(alert).to_have_text("The server does not answer. What you typed is kept; try again in a moment.")
    expect(alert).to_be_in_viewport()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.unroute_all()
    page.get_by_role("button", name="Save and go on").click()
    expect(page.locator(".walk-nav").get_by_text("Task 4 of 10")).to_be_visible()
