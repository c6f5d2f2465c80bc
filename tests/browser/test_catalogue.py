"""The catalogue in a real browser: the address holds everything, acts reach exactly what was shown."""

from __future__ import annotations

import re
import time
from concurrent.futures import wait

from playwright.sync_api import Page, Route, expect

from studio.models import EnvironmentRecord, Run, RunKind
from studio.services.browse import state_queries
from tests.studio.views.browse.test_large_tables import grown


def test_a_row_of_a_list_opens_its_page(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/environments/")
    page.get_by_role("link", name="Proved 1").click()
    expect(page.get_by_text("1 found")).to_be_visible()  # a click on a row that is just replaced is none
    page.get_by_role("link", name="Clinic front desk").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clinic front desk")


def test_a_row_opens_its_page_while_its_list_is_still_being_filtered(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/environments/")

    def slowly(route: Route) -> None:
        time.sleep(0.7)
        route.continue_()

    page.route("**/environments/?*state=proved*", slowly)
    page.get_by_role("link", name="Proved 1").click()
    page.get_by_role("link", name="Clinic front desk").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clinic front desk")
    page.wait_for_timeout(1_500)  # the filter's answer would have come
    expect(page.get_by_role("heading", level=1)).to_have_text("Clinic front desk")


def test_back_walks_back_one_change_at_a_time(page: Page, many, signed_in) -> None:
    signed_in("rosa")
    page.goto("/environments/")
    visited = [page.url]

    def changed(words: str) -> None:
        page.wait_for_url(re.compile(words))
        visited.append(page.url)

    page.get_by_role("link", name=re.compile("^Proved")).click()
    changed("state=proved")
    page.get_by_role("link", name=re.compile("^Environment$")).click()
    changed("sort=")
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Lines of code").check()
    page.get_by_role("button", name="Apply").click()
    changed("columns=lines")
    expect(page.get_by_role("columnheader", name="Lines of code")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    changed("page=2")
    expect(page.get_by_text("26–31 of 31")).to_be_visible()
    for address in reversed(visited[:-1]):
        page.go_back()
        expect(page).to_have_url(address)
    expect(page.get_by_text("1–25 of 31")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Lines of code")).to_have_count(0)
    page.goto(visited[-1])
    expect(page.get_by_text("26–31 of 31")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Lines of code")).to_be_visible()


def test_an_act_on_all_that_match_does_exactly_those_or_says_the_new_number(
    page: Page, many, signed_in, watch
) -> None:
    watch.expected.append("status of 409")
    signed_in("lena")
    page.goto("/environments/?category=lending")
    page.get_by_text("Act on all 30 matching").click()
    page.get_by_role("link", name="Prove again").click()
    expect(page.get_by_text("30 environments match your filters.")).to_be_visible()
    EnvironmentRecord.objects.filter(name="desk_00").update(category="other")
    page.get_by_role("button", name="30 environments").click()
    expect(page.get_by_text("30 matched when you looked, 29 match now. Nothing was done.")).to_be_visible()
    assert not Run.objects.filter(kind=RunKind.CHECKS).exists()
    page.goto("/environments/?category=lending")
    page.get_by_text("Act on all 29 matching").click()
    page.get_by_role("link", name="Prove again").click()
    page.get_by_role("button", name="29 environments").click()
    expect(page.get_by_text("done for 29 environments")).to_be_visible()
    assert Run.objects.filter(kind=RunKind.CHECKS).count() == 29


def test_rows_are_ticked_and_acted_on(page: Page, many, signed_in) -> None:
    signed_in("lena")
    page.goto("/environments/?category=lending&sort=title")
    count = page.locator("[data-chosen-count]")
    expect(count).to_be_hidden()
    for title in ("Desk 01", "Desk 03"):
        page.get_by_role("checkbox", name=f"Choose {title}").check()
    expect(count).to_have_text("2")
    page.locator("#chosen-menu").click()
    page.get_by_label("All on this page").check()
    expect(count).to_have_text("25")
    page.get_by_label("All on this page").uncheck()
    expect(count).to_be_hidden()
    page.get_by_role("checkbox", name="Choose Desk 03").check()
    page.locator("#chosen-menu").click()
    page.locator("#act-on-chosen").get_by_role("button", name="Prove again").click()
    expect(page.get_by_text("You chose 1 environment.")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("checkbox", name="Choose Desk 03")).to_be_checked()
    expect(count).to_have_text("1")
    page.locator("#chosen-menu").click()
    page.locator("#act-on-chosen").get_by_role("button", name="Prove again").click()
    page.get_by_role("button", name="1 environment").click()
    expect(page.get_by_text("done for 1 environment")).to_be_visible()
    assert Run.objects.get(kind=RunKind.CHECKS).environment.name == "desk_03"


def test_a_view_is_kept_and_opened_again(page: Page, many, signed_in) -> None:
    signed_in("rosa")
    page.goto("/environments/?category=lending&sort=title&columns=tools")
    page.locator("#saved-menu").click()
    page.get_by_label("Save this view as").fill("Lending by title")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved as “Lending by title”.")).to_be_visible()
    page.goto("/environments/")
    page.locator("#saved-menu").click()
    page.get_by_role("link", name="Lending by title").click()
    expect(page).to_have_url(re.compile("category=lending&sort=title&columns=tools$"))
    expect(page.get_by_text("1–25 of 30")).to_be_visible()
    page.locator("#saved-menu").click()
    page.get_by_role("button", name="Remove the saved view Lending by title").click()
    expect(page.get_by_text("The saved view was removed")).to_be_visible()


def test_a_chip_takes_its_filter_away(page: Page, many, signed_in) -> None:
    signed_in("rosa")
    page.goto("/environments/?category=lending&state=proved&columns=tools")
    page.get_by_role("link", name="Remove filter Category: lending").click()
    expect(page).to_have_url(re.compile(r"\?state=proved&columns=tools$"))
    page.get_by_role("link", name="Clear all").click()
    expect(page).to_have_url(re.compile(r"\?columns=tools$"))


def test_a_large_table_is_made_ready_beside_the_page_and_counted_only_so_far(
    page: Page, many, signed_in, watch
) -> None:
    watch.expected.append("status of 503")
    record = grown(many, 120_000)
    signed_in("rosa", view="expert")
    address = f"/environments/{record.name}/data/table/readings/"
    page.goto(address)
    if page.get_by_text("are being loaded").count():
        wait(state_queries.opening())
        page.goto(address)
    expect(page.get_by_text("50 shown of >10,000")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("region", name="Rows of readings")).to_contain_text("51")
    state_queries.close_all()
