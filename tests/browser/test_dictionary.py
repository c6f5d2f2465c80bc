"""The dictionary in the browser: pages say its words, an edit changes them, expert view shows the code."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect


def test_data_replay_and_console_say_the_words_of_the_dictionary(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}dictionary/?section=table.appointments")
    page.get_by_label("Title of the table").fill("Bookings")
    page.get_by_label("One row is called").fill("Booking")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Version 1, by Rosa Reviewer")).to_be_visible()
    assert not desk.record.revisions.filter(number=2).exists()  # what was proved stays as it is
    shown = {
        f"{desk.address}data/table/appointments/": "Bookings",
        f"{desk.address}data/row/appointments/?id=18": "Bookings",
        f"{desk.address}scratch/?tool=cancel_appointment": "Cancel appointment",
        f"/trajectories/{desk.replay.pk}/step/3/": "Booking changed",
    }
    for address, words in shown.items():
        page.goto(address)
        main = page.locator("#main")
        expect(main.get_by_text(words).locator("visible=true").first).to_be_visible()
        assert main.locator("pre, code, .code, .digest, .call-line").count() == 0, address
        assert not re.findall(r"\b[a-z]+_[a-z_]+\b|[{}]", main.inner_text()), address
    page.get_by_role("button", name="Expert view").click()
    expect(page.locator(".call-line")).to_contain_text("cancel_appointment")
