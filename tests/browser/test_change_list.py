"""The page of a change list in work: who works it off, what is listed, what was gathered."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from studio.models import FlagReason
from tests.browser.cut_off import cut_off
from tests.browser.test_every_screen import LOOKS, NARROWEST, OTHER, console_errors


@pytest.fixture
def change_list(desk, people):
    """Two objections, accepted and given to Rosa, who has changed something already."""
    from studio.services.environments import change_lists, edits
    from studio.services.review import flags

    raised = [
        flags.raise_flag(
            record=desk.record, user=people["ravi"], reason=reason, part=part, where=where, comment=comment
        )
        for reason, part, where, comment in (
            (FlagReason.DATA_WRONG, "seed_data", "waitlist_entries", "Nobody waits for longer than a year."),
            (FlagReason.TASK_UNCLEAR, "tasks", "hand_freed_slot_to_waiting_list", "Which of the two slots?"),
        )
    ]
    changes = change_lists.accept(
        record=desk.record,
        revision_number=desk.record.current.number,
        lead=people["lena"],
        assignee=people["rosa"],
        until=timezone.localdate() + timedelta(days=3),
        flags=raised,
    )
    change_lists.gather(
        changes=changes,
        editor=people["rosa"],
        change=edits.edit_policy("Whoever waits longest is called first."),
        reason="Say who is called first.",
        seen=0,
    )
    return changes


@pytest.mark.parametrize("username", ["rosa", "lena"])
def test_it_is_accessible_and_fits(
    username: str, change_list, desk, sizes, page: Page, base_url: str, signed_in
) -> None:
    signed_in(username)
    problems = []
    for theme, size in (*LOOKS[NARROWEST], *LOOKS[OTHER]):
        page.context.add_cookies([{"name": "theme", "value": theme, "url": base_url}])
        page.set_viewport_size(dict(zip(("width", "height"), sizes[size], strict=True)))
        page.goto(f"{desk.address}review/send-back/")
        expect(page.get_by_role("heading", name="What is to be changed")).to_be_visible()
        problems += console_errors(page) + (cut_off(page) if size == "narrow" else [])
    assert problems == []


def test_who_works_it_off_goes_from_each_objection_to_its_place_and_finishes(
    change_list, desk, page: Page, signed_in
) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/send-back/")
    expect(page.get_by_text("Say who is called first.")).to_be_visible()
    page.get_by_role("link", name="Edit this").first.click()
    expect(page.get_by_role("button", name="Add to the change list")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Finish and prove").click()
    expect(page.get_by_text("is saved and being proved")).to_be_visible()
