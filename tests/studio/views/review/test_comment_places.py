"""Comments at every place, at once or together with a review."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.test import Client

from studio.models import Comment, Notification
from studio.services.review import comments
from tests.studio.conftest import GRADED

AT = "/environments/lending_desk/"
PLACES = {
    "data/row/members/?id=1": ("cell", "members/1/name"),
    "data/table/members/": ("column", "members/name"),
    "tasks/return_the_drill/": ("verifier", "return_the_drill"),
    "checks/the_schema_builds/": ("check", "the_schema_builds"),
}


@pytest.fixture
def rosa(client: Client, reviewer) -> Client:
    client.force_login(reviewer)
    return client


def hidden(page: str, name: str) -> str:
    return html.unescape(re.search(rf'name="{name}"\s+value="([^"]*)"', page)[1])


def comment(client: Client, path: str, *, kind: str, anchor: str, body: str, **more) -> str:
    """Write as the page's form sends it; the page with it afterwards."""
    page = client.get(AT + path).content.decode()
    places = [json.loads(html.unescape(text)) for text in re.findall(r'<option value="({[^"]*})"', page)]
    place = next((each for each in places if (each["kind"], each["anchor"]) == (kind, anchor)), None)
    sent = {name: hidden(page, name) for name in ("anchor_kind", "anchor", "unit")}
    chosen = {"place": json.dumps(place)} if place else {}
    client.post(f"{AT}comments/", {**sent, **chosen, "body": body, "next": AT + path, **more})
    return client.get(AT + path).content.decode()


@pytest.mark.parametrize(("path", "place"), PLACES.items())
def test_a_place_is_commented_on_where_it_is_shown(stored, rosa, path, place) -> None:
    kind, anchor = place
    page = comment(rosa, path, kind=kind, anchor=anchor, body="Is that so?")
    written = Comment.objects.get()
    assert (written.anchor_kind, written.anchor) == (kind, anchor)
    assert "Is that so?" in page
    assert "Is that so?" in rosa.get(f"{AT}review/").content.decode()


def test_a_line_of_code_is_commented_on_in_the_expert_view(stored, rosa) -> None:
    assert "Line " not in rosa.get(f"{AT}tools/return_item/").content.decode()
    rosa.cookies["view"] = "expert"
    page = rosa.get(f"{AT}tools/return_item/").content.decode()
    line = json.loads(html.unescape(re.search(r'<option value="({[^"]*})"', page)[1]))
    assert line["kind"] == "lines"
    page = comment(rosa, "tools/return_item/", body="Why?", kind="lines", anchor=line["anchor"])
    assert Comment.objects.get().snapshot == line["snapshot"]
    assert "Why?" in page


def test_what_is_kept_for_a_review_is_sent_with_it(stored, rosa, second_reviewer, client, reviewer) -> None:
    path = "data/row/members/?id=1"
    page = comment(rosa, path, kind="row", anchor="", body="@ravi, look at this.", pending="1")
    assert "Sent with your review" in page
    client.force_login(second_reviewer)
    assert "look at this" not in client.get(AT + path).content.decode()
    assert "look at this" not in client.get(f"{AT}review/").content.decode()
    assert not Notification.objects.exists()
    client.force_login(reviewer)
    verdict = {"revision": 1, "decision": "request_changes", "comment": "See my comments.", **GRADED}
    assert client.post(f"{AT}review/submit/", verdict).status_code == 302
    written = Comment.objects.get()
    assert not written.pending
    assert written.review.decision == "request_changes"
    assert Notification.objects.get(recipient=second_reviewer, kind="mention").quote == "@ravi, look at this."
    client.force_login(second_reviewer)
    assert "look at this" in client.get(AT + path).content.decode()


def test_nobody_answers_or_settles_what_another_has_not_sent(stored, rosa, second_reviewer, client) -> None:
    comment(rosa, "data/row/members/?id=1", kind="row", anchor="", body="Not yet.", pending="1")
    kept = Comment.objects.get()
    client.force_login(second_reviewer)
    assert client.post(f"{AT}comments/{kept.pk}/resolve/").status_code == 404
    client.post(f"{AT}comments/", {"body": "What?", "parent": kept.pk})
    kept.refresh_from_db()
    assert kept.resolved_at is None
    assert Comment.objects.exclude(pk=kept.pk).get().parent is None


@pytest.mark.parametrize("text", [r"\ud800", r"a\u0000b"])
def test_a_place_that_no_database_keeps_is_refused(stored, rosa, text) -> None:
    place = '{"kind": "row", "anchor": "' + text + '"}'
    answer = rosa.post(f"{AT}comments/", {"body": "Is that so?", "place": place}, follow=True)
    assert "characters." not in str(*answer.context["messages"])
    assert not Comment.objects.exists()


def test_a_comment_that_is_too_long_is_still_in_its_form(stored, reviewer, client) -> None:
    client.force_login(reviewer)
    page = "/environments/lending_desk/review/"
    sent = {"anchor_kind": "environment", "anchor": "", "next": page, "body": "Too long. " * 1_001}
    answer = client.post("/environments/lending_desk/comments/", sent, follow=True)
    shown = answer.content.decode()
    assert "A comment has at most 10,000 characters, and yours has 10,010. It is still in the form." in shown
    assert shown.count("Too long. ") == 1_000
    assert "Too long. " not in client.get(page).content.decode()
    thread = comments.add_comment(record=stored, author=reviewer, body="Hm.")
    client.post("/environments/lending_desk/comments/", {**sent, "parent": thread.pk})
    shown = " ".join(client.get(page).content.decode().split())
    assert '<details class="answer" open>' in shown
    assert shown.count("Too long. ") == 1_000
