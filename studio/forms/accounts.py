"""The sign-in form."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    """Name and password; a wrong pair is told apart from an account that was switched off."""

    error_messages: ClassVar[dict[str, str]] = {  # type: ignore[assignment,misc]
        "invalid_login": "Name and password do not belong together. Both are case-sensitive.",
        "inactive": "This account was switched off. Ask an administrator.",
    }
