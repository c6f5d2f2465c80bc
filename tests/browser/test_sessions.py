"""A session that ended while somebody wrote: sign-in in place, and every word arrives."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from studio.models import Comment, EnvironmentRecord, Review


def sign_in_here(page: Page, username: str = "rosa") -> None:
    dialog = page.get_by_role("dialog", name="Your session has ended")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Username").fill(username)
    dialog.get_by_label("Password").fill("wrong")
    dialog.get_by_role("button", name="Sign in and continue").click()
    expect(dialog.get_by_role("alert")).to_contain_text("name or the password is wrong")
    dialog.get_by_label("Username").fill(username)
    dialog.get_by_label("Password").fill(f"{username}-secret")
    dialog.get_by_role("button", name="Sign in and continue").click()


def test_a_verdict_arrives_after_signing_in_again(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    page.get_by_role("radio", name=re.compile("^Reject")).check()
    page.get_by_role("group", name="Data fits").get_by_label("2").check()
    page.get_by_label("Why").fill("Rooms jump about.")
    Session.objects.all().delete()
    page.get_by_role("button", name="Submit").click()
    sign_in_here(page)
    expect(page.get_by_text("Your review is submitted: reject.")).to_be_visible()
    review = Review.objects.submitted().get()
    assert (review.comment, review.scores) == ("Rooms jump about.", {"data_alignment": 2})


def test_a_comment_arrives_after_signing_in_again(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}tools/cancel_appointment/")
    page.get_by_label("Comment on this tool").fill("Who is told about it?")
    Session.objects.all().delete()
    page.get_by_role("button", name="Comment").click()
    sign_in_here(page)
    expect(page.get_by_text("Who is told about it?")).to_be_visible()
    expect(page.get_by_label("Comment on this tool")).to_have_value("")
    assert Comment.objects.get().body == "Who is told about it?"


def test_an_edit_arrives_after_signing_in_again(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}edit/policy/")
    page.get_by_role("textbox", name="Rules").fill("Be quick and kind.")
    page.get_by_label("Reason for the change").fill("Shorter.")
    Session.objects.all().delete()
    page.get_by_role("button", name="Save as a new revision").click()
    sign_in_here(page)
    expect(page.get_by_role("heading", name="Revision 2 compared with 1")).to_be_visible()
    assert EnvironmentRecord.objects.get(pk=desk.record.pk).current.number == 2


def test_the_arguments_of_a_tool_arrive_after_signing_in_again(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}scratch/?tool=list_patient_appointments")
    page.get_by_role("combobox", name="Patient").fill("3")
    page.context.clear_cookies()
    page.get_by_role("button", name="List patient appointments").click()
    sign_in_here(page)
    expect(page.get_by_role("heading", name="Result of list patient appointments")).to_be_visible()
    expect(page.get_by_role("combobox", name="Patient")).to_have_value(re.compile(r".+ \(3\)$"))


@pytest.mark.parametrize(
    ("path", "label", "words"),
    [
        ("review/", "Why", "Rooms jump about."),
        ("tools/cancel_appointment/", "Comment on this tool", "Who is told?"),
        ("edit/policy/", "Rules", "Be quick."),
        ("flags/new/", "What did you see, and what did you expect?", "Nothing came back."),
        ("scratch/?tool=register_patient", "First name", "Nora"),
    ],
)
@pytest.mark.slow
def test_what_was_typed_is_back_after_the_tab_went_through_the_sign_in_page(
    page: Page, desk, signed_in, path, label, words
) -> None:
    signed_in("rosa")
    page.goto(desk.address + path)
    before = page.get_by_role("textbox", name=label).input_value()
    page.get_by_role("textbox", name=label).fill(words)
    Session.objects.all().delete()
    page.reload()
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("rosa-secret")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("textbox", name=label)).to_have_value(words)
    expect(page.get_by_text("What you typed here before is back.")).to_be_visible()
    page.get_by_role("button", name="Discard it").click()
    expect(page.get_by_role("textbox", name=label)).to_have_value(before)
    page.reload()
    expect(page.get_by_role("textbox", name=label)).to_have_value(before)


def test_somebody_elses_draft_is_not_shown(page: Page, desk, signed_in) -> None:
    signed_in("rosa")
    page.goto(f"{desk.address}review/")
    page.get_by_label("Why").fill("For my eyes only.")
    signed_in("ravi")
    page.goto(f"{desk.address}review/")
    expect(page.get_by_label("Why")).to_have_value("")


def test_without_script_the_person_is_back_at_the_form(plain, context, desk, signed_in, people) -> None:
    signed_in("rosa")
    plain.add_cookies(context.cookies())
    page = plain.new_page()
    page.goto(f"{desk.address}review/")
    Session.objects.all().delete()
    page.get_by_role("radio", name=re.compile("^Reject")).check()
    page.get_by_label("Why").fill("Not ours.")
    page.get_by_role("button", name="Submit").click()
    page.get_by_label("Username").fill("rosa")
    page.get_by_label("Password").fill("rosa-secret")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Is it fit to train agents in?")).to_be_visible()
