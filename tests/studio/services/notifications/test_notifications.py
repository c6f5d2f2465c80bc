"""People are told of what concerns them, each event once, in the studio and by e-mail."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail as outbox
from django.utils import timezone

from studio.models import AuthorKind, EnvironmentRecord, Notification
from studio.services.environments import quality_gates
from studio.services.environments.environments import add_revision
from studio.services.notifications import mail, notifications
from studio.services.review import comments, flags, queue, reviews
from tests.studio.conftest import GRADES, report_on, small_environment


@pytest.fixture
def mailing(settings):
    settings.EMAIL_HOST = "mail.example.org"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    return outbox


def texts(user) -> list[str]:
    return [each.text for each in notifications.inbox(user)]


def fresh(record):
    return EnvironmentRecord.objects.select_related("current").get(pk=record.pk)


def submit(record, reviewer, decision="request_changes", **more):
    return reviews.submit(
        record=record, revision_number=1, reviewer=reviewer, decision=decision, comment="Why 50?", **more
    )


def revise(record, policy="Be strict.", author=None):
    changed = small_environment(policy=policy)
    return add_revision(
        record=fresh(record),
        environment=changed,
        author_kind=AuthorKind.MODEL,
        author=author,
        reason="Corrected.",
        report=report_on(changed),
    )


@pytest.mark.parametrize("body", ["@lena?", "See (@LENA).", "@lena, @lena and @lena", "Ask @lena."])
def test_who_is_named_is_told_once_where_the_comment_is(stored, reviewer, lead, body):
    comment = comments.add_comment(
        record=stored, author=reviewer, body=body, address="http://testserver/environments/x/tools/?a=1#top"
    )
    (told,) = notifications.inbox(lead)
    assert told.text == "Rosa mentioned you in a comment on Lending desk"
    assert told.address == f"/environments/x/tools/?a=1#comment-{comment.pk}"
    assert told.quote == body
    notifications.comment_written(comment)
    assert len(texts(lead)) == 1


@pytest.mark.parametrize(
    "body", ["`@lena`", "```\n@lena\n```", "```\n@lena", "> @lena asked\nNo.", "https://x.example/@lena"]
)
def test_code_quotes_and_addresses_name_nobody(stored, reviewer, lead, body):
    comments.add_comment(record=stored, author=reviewer, body=f"See this.\n{body}")
    assert texts(lead) == []


def test_who_is_named_in_a_flag_is_told_and_who_raised_it_is_told_how_it_was_settled(stored, reviewer, lead):
    flag = flags.raise_flag(record=stored, user=reviewer, reason="data_wrong", comment="@lena, is that so?")
    (told,) = notifications.inbox(lead)
    assert told.text == "Rosa mentioned you in a flag on Lending desk"
    assert told.quote == "@lena, is that so?"
    assert told.address == f"/environments/lending_desk/review/#flag-{flag.pk}"
    assert texts(reviewer) == []
    flags.settle_flag(flag=flag, user=lead, resolution="It is: the drill is new.")
    (settled,) = notifications.inbox(reviewer)
    assert settled.text == "Lena settled what you flagged on Lending desk"
    assert settled.quote == "It is: the drill is new."


def test_who_takes_back_a_flag_is_told_nothing(stored, reviewer):
    flag = flags.raise_flag(record=stored, user=reviewer, reason="data_wrong", comment="Odd.")
    flags.settle_flag(flag=flag, user=reviewer, resolution="")
    assert texts(reviewer) == []


def test_who_is_named_in_a_verdict_is_told(stored, reviewer, lead):
    reviews.submit(
        record=stored, revision_number=1, reviewer=reviewer, decision="request_changes", comment="@lena: look"
    )
    (told,) = notifications.inbox(lead)
    assert told.text == "Rosa mentioned you in a review of Lending desk"
    assert told.quote == "@lena: look"


def test_who_is_named_in_a_verdict_is_not_told_of_the_decision_as_well(
    stored, reviewer, second_reviewer, lead, settings
):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 3})
    submit(stored, reviewer, "approve", scores=GRADES)
    submit(stored, lead, "approve", scores=GRADES)
    words = {"record": stored, "revision_number": 1, "reviewer": second_reviewer, "comment": "@rosa: look"}
    review = reviews.submit(**words, decision="request_changes")
    assert texts(reviewer) == ["Ravi mentioned you in a review of Lending desk"]
    assert texts(lead) == ["Ravi decided about Lending desk: request changes, which you reviewed"]
    reviews.withdraw(review=review, user=second_reviewer)
    reviews.submit(**words, decision="reject")
    assert len(texts(reviewer)) == len(texts(lead)) == 2


@pytest.mark.parametrize("body", ["lena", "mail@lena", "@lenahan", "@rosa, that is me", "@nobody"])
def test_nobody_else_is_told(stored, reviewer, lead, body):
    comments.add_comment(record=stored, author=reviewer, body=body)
    assert not Notification.objects.exists()


def test_who_may_not_read_environments_is_not_told(stored, reviewer, person):
    person("guest")
    comments.add_comment(record=stored, author=reviewer, body="@guest look")
    assert not Notification.objects.exists()


def test_an_assignment_is_told_once_and_again_when_it_is_for_longer(stored, reviewer, lead):
    day = timezone.localdate() + timedelta(days=2)
    for until in (day, day, day + timedelta(days=1)):
        queue.assign(record=stored, reviewer=reviewer, lead=lead, until=until)
    assert texts(reviewer) == [
        f"Lena assigned Lending desk to you until {each.day} {each:%B %Y}"
        for each in (day + timedelta(days=1), day)
    ]


def test_what_was_asked_for_comes_back_with_what_changed_since(stored, reviewer, second_reviewer):
    submit(stored, reviewer)
    assert texts(reviewer) == []
    revise(stored)
    (told,) = notifications.inbox(reviewer)
    assert told.text == "Lending desk is back for review, changed since you asked for changes"
    assert told.address == "/environments/lending_desk/history/2/?since=1"
    assert texts(second_reviewer) == []
    for _ in range(2):
        quality_gates.settle(fresh(stored))
    assert len(texts(reviewer)) == 1
    revise(stored, "Be stricter.")
    assert len(texts(reviewer)) == 2


def test_who_made_the_changes_is_not_told_of_them(stored, reviewer):
    submit(stored, reviewer)
    revise(stored, author=reviewer)
    assert texts(reviewer) == []


def test_what_does_not_pass_its_proof_is_not_back(stored, reviewer):
    submit(stored, reviewer)
    changed = small_environment(policy="Be strict.")
    add_revision(record=fresh(stored), environment=changed, author_kind=AuthorKind.MODEL, reason="Half.")
    assert texts(reviewer) == []


def test_reviewers_are_told_what_others_decide(stored, reviewer, second_reviewer, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    first = submit(stored, reviewer, "approve", scores=GRADES)
    assert texts(reviewer) == []
    submit(fresh(stored), second_reviewer, "approve", scores=GRADES)
    assert texts(reviewer) == ["Lending desk is approved, which you reviewed"]
    assert texts(second_reviewer) == []
    assert first.state == "submitted"


def test_reviewers_are_told_of_a_refusal_with_its_words(stored, reviewer, second_reviewer, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"reviewers": 2})
    submit(stored, reviewer, "approve", scores=GRADES)
    submit(fresh(stored), second_reviewer, "reject")
    (told,) = notifications.inbox(reviewer)
    assert told.text.endswith("decided about Lending desk: reject, which you reviewed")
    assert told.quote == "Why 50?"


def mention(record, author, again=""):
    return comments.add_comment(record=record, author=author, body=f"@lena <b>look</b>\nhere{again}")


def give_address(user, address="lena@example.org"):
    notifications.set_mailed(user=user, mails=True, email=address)


def test_an_e_mail_arrives_once_with_a_link(stored, reviewer, lead, mailing, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"address": "https://studio.example.org/"})
    give_address(lead)
    comment = mention(stored, reviewer)
    assert [mail.send_due() for _ in range(3)] == [1, 0, 0]
    (message,) = mailing.outbox
    assert message.to == ["lena@example.org"]
    assert f"https://studio.example.org/environments/lending_desk/#comment-{comment.pk}" in message.body
    assert "> @lena <b>look</b>\n> here" in message.body


def test_two_workers_send_one_e_mail(stored, reviewer, lead, mailing, monkeypatch):
    give_address(lead)
    mention(stored, reviewer)
    send = mail._send

    def send_while_another_asks(*args):
        monkeypatch.setattr(mail, "_send", send)
        assert mail.send_due() == 0
        return send(*args)

    monkeypatch.setattr(mail, "_send", send_while_another_asks)
    assert mail.send_due() == 1
    assert len(mailing.outbox) == 1


def test_what_the_server_did_not_take_is_tried_again_and_given_up(
    stored, reviewer, lead, mailing, monkeypatch
):
    give_address(lead)
    mention(stored, reviewer)
    with monkeypatch.context() as down:
        down.setattr(
            "django.core.mail.EmailMessage.send", lambda self: (_ for _ in ()).throw(OSError("down"))
        )
        assert mail.send_due() == 0
    waiting = Notification.objects.get()
    assert waiting.mail_error == "OSError: down"
    assert waiting.mail_due_at > timezone.now()
    assert mail.send_due() == 0
    Notification.objects.update(mail_due_at=timezone.now())
    assert mail.send_due() == 1
    assert len(mailing.outbox) == 1
    assert Notification.objects.get().mail_error == ""
    assert mail._next_attempt(mail.MOST_ATTEMPTS) is None


def test_an_e_mail_that_was_put_off_before_the_clock_was_put_back_is_sent(stored, reviewer, lead, mailing):
    give_address(lead)
    mention(stored, reviewer)
    Notification.objects.update(mail_due_at=timezone.now() + mail.LONGEST_WAIT)
    assert mail.send_due() == 0
    Notification.objects.update(mail_due_at=timezone.now() + timedelta(days=1))
    assert mail.send_due() == 1


def test_nothing_is_sent_without_a_server_an_address_or_the_wish(stored, reviewer, lead, mailing, settings):
    mention(stored, reviewer)
    give_address(lead)
    notifications.set_mailed(user=lead, mails=False, email="lena@example.org")
    mention(stored, reviewer, " again")
    notifications.set_mailed(user=lead, mails=True, email="lena@example.org")
    settings.EMAIL_HOST = ""
    mention(stored, reviewer, " once more")
    settings.EMAIL_HOST = "mail.example.org"
    assert mail.send_due() == 0
    assert len(texts(lead)) == 3


def test_what_waits_is_not_sent_to_who_chose_none(stored, reviewer, lead, mailing):
    give_address(lead)
    mention(stored, reviewer)
    notifications.set_mailed(user=lead, mails=False, email="lena@example.org")
    assert mail.send_due() == 0


def test_who_assigns_something_to_themselves_is_not_told(stored, lead):
    queue.assign(record=stored, reviewer=lead, lead=lead, until=timezone.localdate())
    assert texts(lead) == []
