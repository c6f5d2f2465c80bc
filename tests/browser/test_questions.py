"""What code cannot see is asked in the guided review: answered by hand, kept, seen by the lead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from studio.models import Flag
from synthesis.verification.questions.asking import questions_of
from tests.studio.questions_scene import ask


@pytest.mark.slow
def test_a_reviewer_answers_what_code_cannot_see(page: Page, desk, signed_in, clinic, sizes, watch) -> None:
    watch.expected.append("422 (Unprocessable Entity)")
    questions = questions_of(clinic)
    ask(desk.record, *questions)
    signed_in("rosa")
    page.goto(f"{desk.address}review/walk/check_in_and_take_payment/")
    page.get_by_role("link", name="Questions that only people can answer").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text(questions[0].text)
    for name, (width, height) in sizes.items():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if folder := os.environ.get("PICTURES_OF_QUESTIONS"):
            page.screenshot(path=Path(folder) / f"questions-{name}.png", full_page=True)
    first, last = page.locator("#question-1"), page.locator(f"#question-{len(questions)}")
    first.get_by_role("radio", name="Yes").check()
    last.get_by_role("radio", name="No, that is wrong").check()
    page.get_by_role("button", name="Save answers").click()
    expect(last.get_by_text("Say what is wrong")).to_be_visible()
    expect(
        last.get_by_text("Say what is wrong")
    ).to_be_in_viewport()  # where it is, not at the top of the page
    expect(last.get_by_label("Note")).to_be_focused()
    expect(first.get_by_role("radio", name="Yes")).to_be_checked()
    last.get_by_label("Note").fill("A blocked slot must stay blocked.")
    page.get_by_role("button", name="Save answers").click()
    expect(page).to_have_url(f"{desk.address}review/questions/#question-2")
    expect(page.get_by_text(f"2 of {len(questions)} answered")).to_be_visible()
    assert Flag.objects.get().comment.endswith("A blocked slot must stay blocked.")
    expect(last.get_by_text("A blocked slot must stay blocked.").first).to_be_visible()
    page.get_by_role("link", name="Go on to the decision").click()
    expect(page.locator("#questions").get_by_text(questions[0].text)).to_be_visible()
