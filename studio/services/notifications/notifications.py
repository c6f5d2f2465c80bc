"""Who is told of what: mentions, assignments, environments that come back, decisions. Each event once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone

from studio.models import (
    ChangeList,
    Claim,
    Comment,
    EnvironmentRecord,
    Flag,
    Notification,
    NotificationKind,
    PersonProfile,
    Review,
    ReviewDecision,
)
from studio.models.notifications import NotificationQuerySet
from studio.services.day_words import day_words
from studio.services.errors import Missing
from studio.services.projects import membership

RETURNED = "returned:"
"""How the events of environments that come back begin; the revision's id follows."""
LONGEST_TEXT, LONGEST_ADDRESS = 300, 2_000
MOST_MENTIONED = 20
"""People one comment can notify; further names are only text."""
NAMED = re.compile(r"(?<![\w.@+-])@([\w.@+-]+)")
"""A name as Django allows it, after an @ that is not part of an e-mail address."""
QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ ]{0,3}>[^\n]*$|https?://\S+", re.MULTILINE | re.DOTALL)
"""Code, quotes of what others said and addresses, in which an @ names nobody."""


def inbox(user: User, *, unread: bool = False) -> QuerySet[Notification]:
    """What a person was told, or what of it they have not opened, newest first."""
    own = Notification.objects.filter(recipient=user).select_related("environment")
    return own.unread() if unread else own


def unread_count(user: User) -> int:
    """How much of it they have not opened yet."""
    return Notification.objects.filter(recipient_id=user.pk).unread().count()


def mark_read(*, user: User, notification_id: int) -> Notification:
    """Note that a person has opened one of theirs.

    Raises:
        Missing: They have no such notification.
    """
    notification = Notification.objects.filter(recipient=user, pk=notification_id).first()
    if notification is None:
        raise Missing("You have no such notification.", remedy="Choose one from the list.")
    Notification.objects.filter(pk=notification.pk).unread().update(read_at=timezone.now())
    return notification


def mark_all_read(*, user: User, newest: int) -> int:
    """Note that a person has read everything up to the newest they were shown; returns how many that was."""
    shown = Notification.objects.filter(recipient=user, pk__lte=newest)
    return shown.unread().update(read_at=timezone.now())


def mailed_to(user: User) -> bool:
    """Whether a person wants notifications by e-mail, too."""
    wanted = PersonProfile.objects.filter(user_id=user.pk).values_list("mails", flat=True).first()
    return True if wanted is None else wanted


def set_mailed(*, user: User, mails: bool, email: str) -> None:
    """Choose whether and where notifications come by e-mail, too; waiting ones follow the choice."""
    PersonProfile.objects.update_or_create(user=user, defaults={"mails": mails})
    user.email = email
    user.save(update_fields=["email"])
    if not (mails and email):
        Notification.objects.filter(recipient=user, mail_due_at__isnull=False).update(mail_due_at=None)


def mentioned_in(body: str, *, author: User) -> list[User]:
    """The people whom a text names as @name, without its author; upper and lower case are the same."""
    spoken = QUOTED.sub(" ", body)
    names = {form for name in NAMED.findall(spoken) for form in (name.lower(), name.lower().rstrip(".+-@"))}
    people = User.objects.annotate(lowered=Lower("username")).filter(lowered__in=names, is_active=True)
    return list(people.exclude(pk=author.pk).order_by("pk")[:MOST_MENTIONED])


def comment_written(comment: Comment, *, address: str = "") -> None:
    """Tell the people whom a comment names.

    Args:
        comment: The comment.
        address: The page of this studio on which it was written; the environment's own when empty.
    """
    page = urlsplit(address or comment.environment.get_absolute_url())
    query = f"?{page.query}" if page.query else ""
    _mention(
        comment.body,
        author=comment.author,
        record=comment.environment,
        event=str(comment.pk),
        where="a comment on",
        address=f"{page.path}{query}#comment-{comment.pk}",
    )


def flag_raised(flag: Flag) -> None:
    """Tell the people whom the words of a flag name."""
    _mention(
        flag.comment,
        author=flag.raised_by,
        record=flag.environment,
        event=f"flag:{flag.pk}",
        where="a flag on",
        address=_place_of_flag(flag),
    )


def flag_settled(flag: Flag, *, by: User) -> None:
    """Tell who raised a flag how somebody else settled it."""
    if flag.raised_by_id == by.pk:
        return
    _tell(
        [flag.raised_by],
        record=flag.environment,
        kind=NotificationKind.DECISION,
        event=f"flag:{flag.pk}:settled",
        text=f"{_name(by)} settled what you flagged on {flag.environment.title}",
        quote=flag.resolution,
        address=_place_of_flag(flag),
    )


def _place_of_flag(flag: Flag) -> str:
    return f"{reverse('environment_review', args=[flag.environment.name])}#flag-{flag.pk}"


def assigned(claim: Claim) -> None:
    """Tell a reviewer what a lead gave them, and again when it is for longer."""
    if claim.assigned_by is None or claim.assigned_by_id == claim.reviewer_id:
        return
    until = timezone.localtime(claim.expires_at)
    _tell(
        [claim.reviewer],
        record=claim.environment,
        kind=NotificationKind.ASSIGNMENT,
        event=f"assignment:{claim.pk}:{until:%Y-%m-%d}",
        text=f"{_name(claim.assigned_by)} assigned {claim.environment.title} to you until {day_words(until)}",
        address=reverse("environment_review", args=[claim.environment.name]),
    )


def archived(record: EnvironmentRecord, *, by: User, holders: Iterable[User]) -> None:
    """Tell the people who held an environment, or worked off its change list, that it is out of use."""
    assert record.archived_at is not None
    _tell(
        [user for user in holders if user.pk != by.pk],
        record=record,
        kind=NotificationKind.ASSIGNMENT,
        event=f"archived:{record.pk}:{record.archived_at.isoformat()}",
        text=f"{_name(by)} archived {record.title}, which was yours to work on",
        quote=record.archived_reason,
        address=record.get_absolute_url(),
    )


def changes_asked(changes: ChangeList) -> None:
    """Tell a person that a lead gave them accepted objections to work off."""
    if changes.assignee_id == changes.accepted_by_id:
        return
    _tell(
        [changes.assignee],
        record=changes.environment,
        kind=NotificationKind.ASSIGNMENT,
        event=f"changes:{changes.pk}",
        text=f"{_name(changes.accepted_by)} asks you to change {changes.environment.title}"
        f" until {day_words(changes.until)}",
        address=reverse("send_back", args=[changes.environment.name]),
    )


def changes_finished(changes: ChangeList) -> None:
    """Tell the lead who gave objections to somebody that they are worked off and being proved."""
    assert changes.outcome is not None
    if changes.assignee_id == changes.accepted_by_id:
        return
    _tell(
        [changes.accepted_by],
        record=changes.environment,
        kind=NotificationKind.RETURNED,
        event=f"changes:{changes.pk}:finished",
        text=f"{_name(changes.assignee)} finished the change list of {changes.environment.title}: "
        f"revision {changes.outcome.number} is being proved",
        address=reverse("environment_revision", args=[changes.environment.name, changes.outcome.number]),
    )


def changes_unproved(changes: ChangeList) -> None:
    """Tell who worked off a list, and the lead who gave it, that its revision does not pass its proof."""
    assert changes.outcome is not None
    _tell(
        {changes.assignee, changes.accepted_by},
        record=changes.environment,
        kind=NotificationKind.ASSIGNMENT,
        event=f"changes:{changes.pk}:unproved",
        text=f"Revision {changes.outcome.number} of {changes.environment.title}, made of a change list, does "
        "not pass its proof; the flags of the list are open again",
        address=reverse("environment_checks", args=[changes.environment.name]),
    )


def returned(record: EnvironmentRecord, answered: Mapping[int, int]) -> None:
    """Tell who asked for changes that the current revision brings them; those who wrote it know.

    Args:
        record: The environment.
        answered: People by id, to the revision that they spoke of.
    """
    assert record.current is not None
    for user in User.objects.filter(pk__in=answered, is_active=True).exclude(
        pk=record.current.author_id or 0
    ):
        history = reverse("environment_revision", args=[record.name, record.current.number])
        _tell(
            [user],
            record=record,
            kind=NotificationKind.RETURNED,
            event=f"{RETURNED}{record.current_id}",
            text=f"{record.title} is back for review, changed since you asked for changes",
            address=f"{history}?since={answered[user.pk]}",
        )


def last_returned(record: EnvironmentRecord) -> dict[int, int]:
    """People by id, to the number of the newest revision of which they were told that it is back."""
    events = _returns(record).values_list("recipient", "event")
    numbers = dict(record.revisions.values_list("pk", "number"))
    results: dict[int, int] = {}
    for recipient, event in events:
        number = numbers.get(int(event.removeprefix(RETURNED)), 0)
        results[recipient] = max(number, results.get(recipient, 0))
    return results


def outdate_returns(record: EnvironmentRecord, *, recipient: User | None = None) -> None:
    """Count as read that something is back for review: it was revised again, or decided since.

    Args:
        record: The environment.
        recipient: Who decided; everybody when None.
    """
    outdated = _returns(record).unread()
    if recipient is not None:
        outdated = outdated.filter(recipient=recipient)
    outdated.update(read_at=timezone.now(), mail_due_at=None)


def _returns(record: EnvironmentRecord) -> NotificationQuerySet:
    returns: NotificationQuerySet = Notification.objects.filter(
        environment=record, kind=NotificationKind.RETURNED, event__startswith=RETURNED
    )
    return returns


def decided(review: Review, *, approved: bool) -> None:
    """Tell the other reviewers of an environment that it is approved, or that somebody does not approve it,
    and the people whom its words name, who are told that and not the decision as well.

    Args:
        review: The decision that was just submitted.
        approved: Whether the environment is approved with it.
    """
    title, who = review.environment.title, _name(review.reviewer)
    outdate_returns(review.environment, recipient=None if approved else review.reviewer)
    address = reverse("environment_review", args=[review.environment.name])
    named = _mention(
        review.comment,
        author=review.reviewer,
        record=review.environment,
        event=f"review:{review.pk}:{review.decision}",
        where="a review of",
        address=address,
    )
    if review.decision == ReviewDecision.APPROVE and not approved:
        return
    text = f"{title} is approved" if approved else f"{who} decided about {title}: {_decision(review)}"
    reviewed = Q(reviews__environment=review.environment, reviews__state="submitted")
    informed = [review.reviewer_id, *(user.pk for user in named)]
    _tell(
        User.objects.filter(reviewed, is_active=True).exclude(pk__in=informed).distinct(),
        record=review.environment,
        kind=NotificationKind.DECISION,
        event=f"decision:{review.revision_id}:{review.pk}:{'approved' if approved else review.decision}",
        text=f"{text}, which you reviewed",
        quote=review.comment,
        address=address,
    )


def _decision(review: Review) -> str:
    return str(ReviewDecision(review.decision).label).lower()


def _mention(
    words: str, *, author: User, record: EnvironmentRecord, event: str, where: str, address: str
) -> list[User]:
    """Notify the people whom some words name; returns them.

    Args:
        words: What was written.
        author: Who wrote it.
        record: The environment that it is about.
        event: What was written, for example "flag:7"; somebody is told of it once.
        where: What it was written in, for example "a flag on".
        address: The page that shows it.
    """
    named = mentioned_in(words, author=author)
    _tell(
        named,
        record=record,
        kind=NotificationKind.MENTION,
        event=f"mention:{event}",
        text=f"{_name(author)} mentioned you in {where} {record.title}",
        quote=words,
        address=address,
    )
    return named


def _tell(
    people: Iterable[User],
    *,
    record: EnvironmentRecord,
    kind: NotificationKind,
    event: str,
    text: str,
    address: str,
    quote: str = "",
) -> None:
    """Notify those of some people who may read the environment; nobody is told of an event again."""
    readers = [user for user in people if membership.reads(user, record.project_id)]
    unwilling = set(
        PersonProfile.objects.filter(user__in=readers, mails=False).values_list("user_id", flat=True)
    )
    now = timezone.now()
    Notification.objects.bulk_create(
        [
            Notification(
                recipient=user,
                environment=record,
                kind=kind,
                event=event,
                text=text[:LONGEST_TEXT],
                quote=quote,
                address=address if len(address) <= LONGEST_ADDRESS else record.get_absolute_url(),
                created_at=now,
                mail_due_at=now if settings.EMAIL_HOST and user.email and user.pk not in unwilling else None,
            )
            for user in readers
        ],
        ignore_conflicts=True,
    )


def _name(user: User) -> str:
    return user.get_full_name() or user.get_username()
