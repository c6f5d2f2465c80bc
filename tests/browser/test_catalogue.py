"""The catalogue in a real browser: the address holds everything, rows open, bulk acts on exactly what was shown."""

from __future__ import annotations
from playwright.sync_api import Page, expect


def test_a_row_of_a_list_opens_its_page(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/environments/")
    page.get_by_role("link", name="Proved 1").click()
    page.get_by_role("link", name="Clinic front desk").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clinic front desk")
