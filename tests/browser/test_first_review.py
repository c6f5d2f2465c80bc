"""The first hour of a reviewer: sign in, look around, replay a trajectory, decide."""

from __future__ import annotations

import os
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from studio.models import Flag, Review, ReviewDecision, UnitAnswer
from synthesis.verification.questions.asking import questions_of
from tests.studio.questions_scene import ask


def test_a_reviewer_signs_in_replays_a_trajectory_and_approves(page: Page, desk) -> None:
    # Sign in at the address they were sent.
    page.goto(desk.address)
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("rosa-secret")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clinic front desk")

    # Replay what the reference agent did, one step after the other, with the keyboard.
    page.goto(desk.replay.get_absolute_url())
    expect(
        page.get_by_role("navigation", name="Steps, one by one").get_by_text(
            f"Step 1 of {desk.replay.step_count}"
        )
    ).to_be_visible()
    for step in range(2, desk.replay.step_count + 1):
        page.keyboard.press("j")
        expect(page).to_have_url(f"/trajectories/{desk.replay.pk}/step/{step}/")
    expect(page.get_by_role("heading", name="Verdict").first).to_be_visible()
    page.keyboard.press("k")
    expect(page).to_have_url(f"/trajectories/{desk.replay.pk}/step/{desk.replay.step_count - 1}/")

    # Decide.
    page.get_by_role("link", name="Review", exact=True).last.click()
    page.get_by_role("button", name="Take it").click()
    expect(page.get_by_text("Yours until")).to_be_visible()
    for criterion in ("Tasks can be done", "Data fits", "Tools cover the work"):
        page.get_by_role("group", name=criterion).get_by_label("5").check()
    page.get_by_role("radio", name="Approve").check()
    page.get_by_label("Why").fill("Just like our front desk.")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Your review is submitted: approve.")).to_be_visible()
    expect(page.locator(".page-head .state")).to_have_text("Approved")
    review = Review.objects.submitted().get()
    assert (review.decision, review.reviewer.username) == (ReviewDecision.APPROVE, "rosa")
    assert review.scores == {"task_feasibility": 5, "data_alignment": 5, "toolset_completeness": 5}


def test_a_first_review_takes_few_clicks_and_shows_no_code(page: Page, desk, signed_in, clinic) -> None:
    questions = questions_of(clinic)
    assert len(questions) >= 3
    ask(desk.record, *questions)
    clicks = 0

    def click(element: Locator) -> None:
        nonlocal clicks
        element.click()
        clicks += 1
        assert page.locator("#main").locator("pre, code, .code, .digest, .call-line").count() == 0
        text = page.locator("#main").inner_text()
        assert not re.findall(r"\b[a-z]+_[a-z_]+\b|[{}]", text)

    signed_in("rosa")
    page.goto("/review/")
    click(page.get_by_role("button", name="Take the next item"))
    for task in range(1, desk.record.current.tasks + 1):
        expect(page.locator(".walk-nav").get_by_text(f"Task {task} of 10")).to_be_visible()
        if task != 5:
            click(page.get_by_role("button", name="Right, go on"))
            continue
        click(page.get_by_role("radio", name="Wrong"))
        page.locator("#id_place").select_option(label="Step 3: Cancel appointment")
        page.locator("#id_note").fill("The visit must not be given back that early.")
        click(page.get_by_role("button", name="Save and go on"))
    for number in range(1, len(questions) + 1):
        click(page.locator(f"#question-{number}").get_by_role("radio", name="Yes"))
    click(page.get_by_role("button", name="Save answers"))
    expect(page.get_by_text("9 right, 1 wrong, 0 not sure.")).to_be_visible()
    click(page.get_by_role("radio", name="Request changes"))
    click(page.get_by_role("button", name="Submit"))
    expect(page.get_by_text("Your review is submitted: request changes.")).to_be_visible()
    click(page.get_by_role("link", name="Change list"))
    expect(page.get_by_text("The visit must not be given back that early.").first).to_be_visible()
    assert clicks <= 25
    assert Flag.objects.get().evidence["step"] == 3
    assert Review.objects.submitted().get().scores["task_feasibility"] == 5


def test_all_that_the_agent_saw_is_in_sight(page: Page, desk, signed_in, sizes) -> None:
    signed_in("rosa")
    for width, height in sizes.values():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{desk.address}review/walk/check_in_and_take_payment/")
        for seen in page.locator(".task-card details").all():
            seen.evaluate("fold => { fold.open = true; }")
        lists = page.locator(".stacking")
        assert lists.count()
        for listed in lists.all():
            assert listed.evaluate("region => region.scrollWidth <= region.clientWidth")
        if folder := os.environ.get("PICTURES_OF_QUESTIONS"):
            page.screenshot(path=Path(folder) / f"walk-{width}.png", full_page=True)


def test_a_double_click_decides_about_one_task(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.set_viewport_size({"width": 1280, "height": 2000})
    page.goto(f"{desk.address}review/walk/")
    expect(page.locator(".walk-nav").get_by_text("Task 1 of 10")).to_be_visible()
    right = page.get_by_role("button", name="Right, go on")
    expect(right).to_be_enabled()
    place = right.bounding_box()
    assert place is not None
    at = (place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.mouse.click(*at)
    expect(page.locator(".walk-nav").get_by_text("Task 2 of 10")).to_be_visible()
    page.mouse.click(*at)
    expect(right).to_be_enabled()
    expect(page.locator(".walk-nav").get_by_text("Task 2 of 10")).to_be_visible()
    assert UnitAnswer.objects.exclude(answer="").count() == 1


def test_j_and_k_walk_through_tasks_without_losing_place(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/walk/check_in_and_take_payment/")
    page.get_by_role("radio", name="Right").focus()
    page.evaluate("scrollTo({ top: 400, behavior: 'instant' })")
    titles = []
    for key, number in (("j", 4), ("j", 5), ("k", 4)):
        page.keyboard.press(key)
        expect(page.locator(".walk-nav").get_by_text(f"Task {number} of 10")).to_be_visible()
        titles.append(page.locator("#task-title").inner_text())
        assert page.evaluate("scrollY") == 400
        assert page.evaluate("document.activeElement.id") == "answer-right"
    assert titles[0] == titles[2] != titles[1]
    expect(page).to_have_url(re.compile(r"/review/walk/\w+/$"))
    page.keyboard.press("w")
    page.get_by_role("link", name="Note about the request").click()
    expect(page.locator("#id_note")).to_be_focused()
    expect(page.locator("#id_place")).to_have_value("request")
    page.keyboard.type("Which one, j or k?")
    expect(page.locator(".walk-nav").get_by_text("Task 4 of 10")).to_be_visible()
    page.get_by_role("link", name="Payments", exact=False).first.click()
    expect(page.locator("#seen")).to_contain_text("2 of 16")
    expect(page.locator("#id_note")).to_have_value("Which one, j or k?")
    page.locator("#main").focus()
    before = page.evaluate("scrollTo({ top: 300, behavior: 'instant' }), scrollY")
    page.keyboard.press("e")
    expect(page.get_by_role("heading", name="For experts")).to_be_visible()
    expect(page.locator("#id_note")).to_have_value("Which one, j or k?")
    page.wait_for_function("before => scrollY === before", arg=before)


def test_a_note_survives_a_swap_that_comes_right_after_the_last_key(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/walk/check_in_and_take_payment/")
    page.evaluate(
        """() => {
            const note = document.querySelector("#id_note");
            note.value = "Typed a moment ago";
            note.dispatchEvent(new Event("input", { bubbles: true }));
            document.querySelector("[data-view-form] button").click();
        }"""
    )
    expect(page.get_by_role("heading", name="For experts")).to_be_visible()
    expect(page.locator("#id_note")).to_have_value("Typed a moment ago")


def test_the_whole_review_works_without_a_mouse(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/review/")
    page.keyboard.press("N")
    expect(page.get_by_text("Yours until")).to_be_visible()
    page.wait_for_load_state()  # keys are there when the scripts are
    page.keyboard.press("r")
    expect(page.get_by_role("radio", name="Right")).to_be_checked()
    page.keyboard.press("S")
    expect(page.locator(".walk-nav").get_by_text("Task 2 of 10")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("d")
    expect(page.get_by_role("heading", name="Is it fit to train agents in?")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("c")
    expect(page.get_by_role("radio", name="Request changes")).to_be_checked()
    page.keyboard.press("m")
    page.keyboard.type("The xaxa tasks ask for rooms that jump about, see j and k.")
    expect(page.get_by_label("Why")).to_have_value(
        "The xaxa tasks ask for rooms that jump about, see j and k."
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your review is submitted: request changes.")).to_be_visible()


def test_a_refused_verdict_leads_to_the_field_that_is_wrong(page: Page, desk, signed_in, watch) -> None:
    watch.expected.append("422 (Unprocessable Entity)")
    signed_in("rosa")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{desk.address}review/")
    page.get_by_role("radio", name=re.compile("^Reject")).check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_label("Why")).to_be_focused()
    expect(page.get_by_text("Say what must change.")).to_be_in_viewport()
    assert not Review.objects.submitted().exists()


def test_a_double_click_on_submit_makes_one_verdict(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    page.get_by_role("radio", name="Approve").check()
    for criterion in ("task_feasibility", "data_alignment", "toolset_completeness"):
        page.locator(f"input[name=score_{criterion}][value='4']").check()
    page.get_by_label("Why").fill("We work like this.")
    page.get_by_role("button", name="Submit").dblclick()
    expect(page.get_by_text("Your review is submitted: approve.")).to_be_visible()
    assert Review.objects.submitted().count() == 1


def test_the_second_reviewer_sees_who_holds_the_item_and_cannot_submit(
    page: Page, desk, signed_in, people
) -> None:
    from studio.services.review import queue

    queue.claim(record=desk.record, reviewer=people["ravi"])
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    expect(page.get_by_text("Ravi Reviewer holds this item until")).to_be_visible()
    expect(page.get_by_role("button", name="Submit")).to_have_count(0)
    page.get_by_role("link", name="Tasks", exact=False).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clinic front desk")


def test_a_flag_keeps_the_step_as_evidence(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"/trajectories/{desk.replay.pk}/step/3/")
    page.keyboard.press("f")
    page.get_by_label("What is wrong?").select_option("tool_bug")
    page.get_by_label("What did you see, and what did you expect?").fill(
        "The referral is given back too early."
    )
    page.get_by_role("button", name="Raise the flag").click()
    expect(page).to_have_url(f"/trajectories/{desk.replay.pk}/step/3/")
    page.goto(f"{desk.address}review/")
    page.get_by_role("link", name="Evidence: step 3").click()
    expect(page.get_by_role("navigation", name="Steps, one by one").get_by_text("Step 3 of")).to_be_visible()
