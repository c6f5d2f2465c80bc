"""Diagrams in a browser: enlarged, fitted, pulled by the mouse, and scrolled without script."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def test_a_diagram_is_enlarged_fitted_and_pulled(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}schema/")
    picture = page.locator(".diagram svg")
    own = picture.bounding_box()["width"]
    page.get_by_role("button", name="Larger").click()
    expect(page.locator("[data-zoom-shown]")).to_have_text("125 %")
    assert picture.bounding_box()["width"] > own
    region = page.locator(".diagram")
    before = region.evaluate("place => place.scrollTop")
    box = region.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 120, steps=4)
    page.mouse.up()
    assert region.evaluate("place => place.scrollTop") > before
    expect(page).to_have_url(f"{desk.address}schema/")  # a pull is no click on a box
    region.focus()
    page.keyboard.press("0")
    assert region.evaluate("place => place.scrollHeight <= place.clientHeight + 1")
    with page.expect_download() as download:
        page.get_by_role("link", name="SVG file").click()
    assert download.value.suggested_filename.endswith(".svg")


def test_without_script_a_diagram_has_no_buttons_and_its_file(plain, context, desk, signed_in) -> None:
    signed_in("rosa")
    plain.add_cookies(context.cookies())
    page = plain.new_page()
    page.goto(f"{desk.address}tool-graph/")
    expect(page.locator(".diagram svg")).to_be_visible()
    expect(page.get_by_role("link", name="SVG file")).to_be_visible()
    expect(page.get_by_role("button", name="Larger")).to_have_count(0)
