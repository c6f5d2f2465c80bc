"""The page of notifications: counted in the bell, opened at the place, marked as read."""

from __future__ import annotations

from studio.models import Notification
from studio.services.notifications import notifications
from studio.services.review import comments


def page(client, address="/notifications/") -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_bell_counts_and_opening_leads_to_the_place_and_reads(stored, as_, reviewer, lead):
    client = as_(reviewer)
    tool = "/environments/lending_desk/tools/list_loans/"
    form = {"body": "@lena <script>", "anchor_kind": "tool", "anchor": "list_loans", "next": tool}
    client.post("/environments/lending_desk/comments/", form)
    client = as_(lead)
    shown = page(client)
    assert "Notifications: 1 unread" in shown
    assert "@lena &lt;script&gt;" in shown
    told = Notification.objects.get()
    answer = client.get(f"/notifications/{told.pk}/")
    place, anchor = answer["Location"].split("#")
    assert place == tool
    assert f'id="{anchor}"' in page(client, place)
    assert "unread" not in page(client, "/account/").split("</header>")[0]


def test_a_notification_of_somebody_else_is_not_there(stored, as_, reviewer, lead):
    comments.add_comment(record=stored, author=reviewer, body="@lena")
    told = Notification.objects.get()
    client = as_(reviewer)
    assert client.get(f"/notifications/{told.pk}/").status_code == 404
    assert client.post("/notifications/read/", {"one": told.pk}).status_code == 404
    client.post("/notifications/read/", {"newest": told.pk})
    assert notifications.unread_count(lead) == 1


def test_all_that_was_shown_is_marked_and_nothing_newer(stored, as_, reviewer, lead):
    for number in range(3):
        comments.add_comment(record=stored, author=reviewer, body=f"@lena {number}")
    newest, second, _first = Notification.objects.all()
    as_(lead).post("/notifications/read/", {"newest": second.pk})
    assert list(Notification.objects.unread()) == [newest]
    as_(lead).post("/notifications/read/", {"one": newest.pk})
    assert notifications.unread_count(lead) == 0
    assert "You have read everything." in page(as_(lead), "/notifications/?unread=1")


def test_the_choice_of_e_mail_is_stored_and_a_bad_address_is_refused_at_its_field(as_, reviewer):
    client = as_(reviewer)
    assert client.post("/account/mails/", {"email": "nowhere", "mails": "on"}).status_code == 422
    client.post("/account/mails/", {"email": "rosa@example.org"})
    reviewer.refresh_from_db()
    assert reviewer.email == "rosa@example.org"
    assert not notifications.mailed_to(reviewer)
