"""Notifications by e-mail: each is handed to the mail server once, and tried again where it was not taken."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Q
from django.utils import timezone

from studio.models import Notification
from studio.services.projects import membership

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 100
MOST_ATTEMPTS = 6
FIRST_WAIT = timedelta(minutes=1)
"""Until the second attempt; each further wait is four times as long."""
LONGEST_WAIT = FIRST_WAIT * 4 ** (MOST_ATTEMPTS - 1)


def send_due() -> int:
    """Send what is due, each by the process that takes it first; returns how many were sent.

    What is being sent when a process is killed is not sent again: it is in the studio, and twice is worse.
    """
    now = timezone.now()
    # Later than any wait is what was put off before the clock was put back.
    over = Q(mail_due_at__lte=now) | Q(mail_due_at__gt=now + LONGEST_WAIT)
    due = Notification.objects.filter(over, recipient__is_active=True).order_by("mail_due_at", "pk")
    waiting = list(due.select_related("recipient", "environment")[:MOST_AT_ONCE])
    if not settings.EMAIL_HOST or not waiting:
        return 0
    connection = get_connection()
    try:
        return sum(_send(notification, connection) for notification in waiting if _take(notification))
    finally:
        connection.close()


def _take(notification: Notification) -> bool:
    """Whether this process is the one that sends it, and the recipient may still read what it is about."""
    mine = Notification.objects.filter(pk=notification.pk, mail_due_at=notification.mail_due_at)
    taken = mine.update(mail_due_at=None, mail_attempts=notification.mail_attempts + 1) == 1
    # Somebody who left the project meanwhile is told nothing more of what is in it.
    return taken and membership.reads(notification.recipient, notification.environment.project_id)


def _send(notification: Notification, connection: BaseEmailBackend) -> bool:
    try:
        message(notification, connection).send()
    except (OSError, ValueError) as error:  # smtplib's own errors are OSErrors
        _postpone(notification, error)
        return False
    Notification.objects.filter(pk=notification.pk).exclude(mail_error="").update(mail_error="")
    return True


def _postpone(notification: Notification, error: Exception) -> None:
    attempts = notification.mail_attempts + 1
    text = f"{type(error).__name__}: {error}"[:300]
    logger.warning("An e-mail was not taken on attempt %d: %s", attempts, text)
    due = _next_attempt(attempts)
    Notification.objects.filter(pk=notification.pk).update(mail_due_at=due, mail_error=text)


def _next_attempt(attempts: int) -> datetime | None:
    return None if attempts >= MOST_ATTEMPTS else timezone.now() + FIRST_WAIT * 4 ** (attempts - 1)


def message(notification: Notification, connection: BaseEmailBackend | None = None) -> EmailMessage:
    """One notification as a plain-text message, whose id is the same at every attempt."""
    address = settings.WORLDWRIGHT.address.rstrip("/")
    quoted = "".join(f"> {line}\n" for line in notification.quote.splitlines())
    body = "\n".join(
        [
            f"{notification.text}.",
            *([quoted] if quoted else []),
            f"{address}{notification.address}",
            "",
            f"Choose what you get by e-mail: {address}/account/",
        ]
    )
    return EmailMessage(
        subject=" ".join(notification.text.split()),
        body=body,
        to=[notification.recipient.email],
        headers={"Message-ID": f"<notification-{notification.pk}@{_domain()}>"},
        connection=connection,
    )


def _domain() -> str:
    return str(settings.DEFAULT_FROM_EMAIL).rpartition("@")[2].strip("<> ") or "localhost"
