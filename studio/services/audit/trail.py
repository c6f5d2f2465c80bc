"""The audit trail: who did what, when, from where, in one table that is only ever added to.

Changes of records come from auditlog's receivers. What leaves no changed record (a sign-in, a refusal, a
download) or changes many at once is an entry about the person, with the event in its additional data.
"""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from auditlog.models import LogEntry
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import Q, QuerySet

from studio.services.audit import request_ids

LONGEST_NAME = 150


class Event(models.TextChoices):
    """What an entry is about."""

    SIGN_IN = "sign_in", "Signed in"
    SIGN_OUT = "sign_out", "Signed out"
    SIGN_IN_FAILED = "sign_in_failed", "Wrong password"
    SIGN_IN_REFUSED = "sign_in_refused", "Refused after single sign-on"
    SIGN_IN_LOCKED = "sign_in_locked", "Locked out"
    REQUEST = "request", "Sent a form or request"
    REFUSED = "refused", "Was refused"
    DOWNLOAD = "download", "Downloaded"
    COMMAND = "command", "Ran a command"
    CREATED = "created", "Created"
    CHANGED = "changed", "Changed"
    DELETED = "deleted", "Deleted"


_BY_ACTION = {
    LogEntry.Action.CREATE: Event.CREATED,
    LogEntry.Action.UPDATE: Event.CHANGED,
    LogEntry.Action.DELETE: Event.DELETED,
}


def record(event: Event, *, user: User | AnonymousUser | None, name: str = "", **details: Any) -> None:
    """Add an event; the address and the request come from the request that is being answered.

    Args:
        event: What happened.
        user: Who did it; nobody known when None or a stranger.
        name: What a stranger called themselves.
        details: JSON values that say more.
    """
    person = user if isinstance(user, User) else None
    LogEntry.objects.create(
        content_type=ContentType.objects.get_for_model(User),
        object_pk=str(person.pk) if person else "",
        object_id=person.pk if person else None,
        object_repr=(person.get_username() if person else name)[:LONGEST_NAME],
        action=LogEntry.Action.ACCESS,
        additional_data={"event": event.value, **details},
        actor=person,
        cid=request_ids.current(),
    )


def record_command(command: str, **details: Any) -> None:
    """Add a command that read or changed what no receiver sees: by which account of which host.

    Args:
        command: Its name.
        details: JSON values that say what it did.
    """
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # a container's user often has no name
        account = str(os.getuid())
    record(Event.COMMAND, user=None, command=command, account=account, host=socket.gethostname(), **details)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the trail."""

    id: int
    at: datetime
    event: Event
    person: str
    """Who did it; empty for a command or a worker, what they called themselves for a stranger."""
    address: str
    request: str
    """Id of the request, as in the logs."""
    subject: str
    """Kind and name of the record that changed; empty for an event about the person."""
    details: dict[str, Any]

    @property
    def described(self) -> list[tuple[str, str]]:
        """The details as people read them: what was before an arrow what is."""
        return [(name, _described(value)) for name, value in self.details.items() if value is not None]

    def as_json(self) -> dict[str, Any]:
        """The line for exports."""
        return {
            "id": self.id, "at": self.at.isoformat(), "event": self.event.value, "person": self.person,
            "address": self.address, "request": self.request, "subject": self.subject,
            "details": self.details,
        }  # fmt: skip


def _described(value: Any) -> str:
    if not isinstance(value, list) or len(value) != 2:
        return str(value)
    before, after = map(str, value)
    return after if before == "None" else f"{before} \u2192 {after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which lines are looked at; empty parts narrow nothing."""

    event: str = ""
    person: str = ""
    since: datetime | None = None


def entries(wanted: AuditFilter) -> QuerySet[LogEntry]:
    """Stored lines, newest first."""
    stored: QuerySet[LogEntry] = LogEntry.objects.select_related("actor", "content_type").order_by("-id")
    if wanted.event:
        stored = stored.filter(_about(Event(wanted.event)))
    if wanted.person:
        own = Q(actor__username__iexact=wanted.person)
        stranger = Q(actor=None, action=LogEntry.Action.ACCESS, object_repr__iexact=wanted.person)
        stored = stored.filter(own | stranger)
    if wanted.since:
        stored = stored.filter(timestamp__gte=wanted.since)
    return stored


def _about(event: Event) -> Q:
    for action, meaning in _BY_ACTION.items():
        if meaning is event:
            return Q(action=action)
    return Q(action=LogEntry.Action.ACCESS, additional_data__event=event.value)


def entry_of(stored: LogEntry) -> AuditEntry:
    """A stored line as people read it."""
    is_event = stored.action == LogEntry.Action.ACCESS
    details = dict(stored.additional_data or {})
    event = Event(details.pop("event", Event.REQUEST)) if is_event else _BY_ACTION[stored.action]
    person = stored.actor.get_username() if stored.actor else stored.object_repr if is_event else ""
    return AuditEntry(
        id=stored.pk,
        at=stored.timestamp,
        event=event,
        person=person,
        address=stored.remote_addr or "",
        request=stored.cid or "",
        subject="" if is_event else f"{stored.content_type.name} {stored.object_repr}",
        details=details if is_event else dict(stored.changes or {}),
    )


def lines(wanted: AuditFilter) -> Iterator[AuditEntry]:
    """Every line, oldest first, read from the database in portions."""
    for stored in entries(wanted).order_by("id").iterator(chunk_size=500):
        yield entry_of(stored)
