"""The first hour of a reviewer: sign in, look around, replay a trajectory, decide."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from studio.models import Decision, Review


def test_a_reviewer_signs_in_replays_a_trajectory_and_approves(page: Page, desk) -> None:
    # Sign in at the address they were sent.
    page.goto(desk.address)
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("rosa-secret")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Clinic front desk")

    # Replay what the reference agent did, one step after the other, with the keyboard.
    page.goto(desk.replay.get_absolute_url())
    expect(page.get_by_text(f"Step 1 of {desk.replay.step_count}")).to_be_visible()
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
    for criterion in ("Task feasibility", "Data alignment", "Toolset completeness"):
        page.get_by_role("group", name=criterion).get_by_label("5").check()
    page.get_by_role("radio", name="Approve").check()
    page.get_by_label("Why").fill("Just like our front desk.")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Your verdict stands: approve.")).to_be_visible()
    expect(page.locator(".page-head .state")).to_have_text("Approved")
    review = Review.objects.submitted().get()
    assert (review.decision, review.reviewer.username) == (Decision.APPROVE, "rosa")
    assert review.scores == {"task_feasibility": 5, "data_alignment": 5, "toolset_completeness": 5}


def test_the_whole_review_works_without_a_mouse(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto("/review/")
    page.keyboard.press("N")
    expect(page.get_by_text("Yours until")).to_be_visible()
    page.wait_for_load_state()  # keys are there when the scripts are
    page.keyboard.press("c")
    expect(page.get_by_role("radio", name="Request changes")).to_be_checked()
    page.keyboard.press("m")
    page.keyboard.type("The xaxa tasks ask for rooms that jump about, see j and k.")
    expect(page.get_by_label("Why")).to_have_value(
        "The xaxa tasks ask for rooms that jump about, see j and k."
    )
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your verdict stands: request changes.")).to_be_visible()


def test_a_double_click_on_submit_makes_one_verdict(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    page.get_by_role("radio", name="Approve").check()
    page.get_by_role("button", name="Submit").dblclick()
    expect(page.get_by_text("Your verdict stands: approve.")).to_be_visible()
    assert Review.objects.submitted().count() == 1


def test_the_second_reviewer_sees_who_holds_the_item_and_cannot_submit(
    page: Page, desk, signed_in, people
) -> None:
    from studio.services import queue

    queue.claim(record=desk.record, reviewer=people["ravi"])
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    expect(page.get_by_text("Ravi Reviewer holds this until")).to_be_visible()
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
    expect(page.get_by_text("Step 3 of")).to_be_visible()
