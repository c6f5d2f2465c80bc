"""What Django and axes announce about sign-ins, added to the audit trail."""

from __future__ import annotations

from typing import Any

from axes.signals import user_locked_out
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed

from studio.services.audit.trail import Event, record


def signed_in(user: User, **_: Any) -> None:
    """Somebody signed in."""
    record(Event.SIGN_IN, user=user)


def signed_out(user: User | None, **_: Any) -> None:
    """Somebody ended their session."""
    if user is not None:
        record(Event.SIGN_OUT, user=user)


def sign_in_failed(credentials: dict[str, Any], **_: Any) -> None:
    """A name and a password did not fit."""
    record(Event.SIGN_IN_FAILED, user=None, name=str(credentials.get("username", "")))


def locked_out(username: str | None = None, **_: Any) -> None:
    """A name has to wait after too many wrong passwords."""
    record(Event.SIGN_IN_LOCKED, user=None, name=str(username or ""))


def connect() -> None:
    """Called once when Django has loaded every application."""
    user_logged_in.connect(signed_in, dispatch_uid="audit")
    user_logged_out.connect(signed_out, dispatch_uid="audit")
    user_login_failed.connect(sign_in_failed, dispatch_uid="audit")
    user_locked_out.connect(locked_out, dispatch_uid="audit")
