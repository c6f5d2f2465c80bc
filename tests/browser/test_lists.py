"""A filter changes everything on the page that speaks of the list, not the rows alone."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from studio.models import EnvironmentRecord, EnvironmentState


def links_and_words(page: Page) -> tuple[list[str], str]:
    """Every link of the page's content and its words, as they are shown now."""
    links = page.locator("#main a").evaluate_all("all => all.map(each => each.getAttribute('href'))")
    words = page.locator("#main").inner_text()
    return links, re.sub(r"(now|\S+\s(second|minute)s? ago)\b", "ago", words)


@pytest.mark.parametrize(
    ("path", "facet"),
    [
        ("/environments/", "Proved 1"),
        ("/environments/?sort=title", "Proved 1"),
        ("/trajectories/", "the right solution 10"),
        ("/environments/clinic_front_desk/trajectories/", "the right solution 10"),
        ("/runs/", re.compile("^Failed")),
        ("/bundles/collections/new/", "Proved 1"),
        (
            "/environments/clinic_front_desk/checks/near_misses_are_refused/",
            re.compile("^Reverted", re.IGNORECASE),
        ),
    ],
)
def test_after_a_filter_the_page_is_what_its_address_opens(
    path: str, facet: str | re.Pattern[str], page: Page, desk, signed_in
) -> None:
    signed_in("lena")
    page.goto(path)
    before = links_and_words(page)
    page.locator("#results .facet").get_by_role("link", name=facet).first.click()
    page.wait_for_url(re.compile(r"\?"))
    expect(page.get_by_role("link", name="Clear all")).to_be_visible()
    swapped = links_and_words(page)
    page.reload()
    assert links_and_words(page) == swapped != before
    page.go_back()
    expect(page.get_by_role("link", name="Clear all")).to_have_count(0)
    assert links_and_words(page) == before


def test_files_and_counts_hold_what_the_list_shows(page: Page, many, signed_in) -> None:
    EnvironmentRecord.objects.filter(name__in=["desk_01", "desk_02", "desk_03"]).update(
        state=EnvironmentState.DRAFT
    )
    signed_in("lena")
    page.goto("/environments/")
    expect(page.get_by_text("31 shown")).to_be_visible()
    page.get_by_role("link", name="Draft 3").click()
    expect(page.get_by_text("3 shown")).to_be_visible()
    with page.expect_download() as event_info:
        page.get_by_role("link", name="CSV").click()
    assert len(list(csv.DictReader(io.StringIO(event_info.value.path().read_text())))) == 3
    with page.expect_download() as event_info:
        page.get_by_role("link", name="JSON").click()
    assert len(json.loads(event_info.value.path().read_text())) == 3


def test_a_request_sent_before_the_last_was_answered_takes_its_place(page: Page, many, signed_in) -> None:
    signed_in("lena")
    page.goto("/environments/")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/environments/\?"), hold)
    with page.expect_request(re.compile("sort=")):
        page.get_by_role("link", name=re.compile("^Tools")).click()
    page.get_by_role("searchbox", name="Name, title or words").fill("Desk 07")
    with page.expect_request(re.compile("q=Desk")):
        page.keyboard.press("Enter")
    answers = [route.fetch() for route in held]
    for route, answer in zip(held, answers, strict=True):
        route.fulfill(response=answer)
    expect(page.get_by_text("1 shown")).to_be_visible()
    expect(page).to_have_url(re.compile(r"q=Desk\+07"))
    page.unroute_all()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("link", name=re.compile("^Tools")).click()
    expect(page).to_have_url(re.compile("sort="))
    expect(page.get_by_text("1 shown")).to_be_visible()


def test_what_is_exported_is_what_the_list_shows(page: Page, desk, signed_in) -> None:
    signed_in("lena")
    page.goto("/trajectories/")
    page.get_by_role("link", name="the right solution 10").click()
    expect(page.get_by_text("10 shown")).to_be_visible()
    page.get_by_role("link", name="Export these").click()
    expect(page).to_have_url(re.compile(r"/trajectories/export/\?agent=reference"))
