"""Refusal: why a command does not do what it was asked, with what to do about it."""

from __future__ import annotations

from django.core.management.base import CommandError

from studio.services.errors import ServiceError


def refusal(error: Exception) -> CommandError:
    """A refusal of the engine or the studio as a command says it: its sentence, then its remedy."""
    remedy = error.remedy if isinstance(error, ServiceError) else ""
    return CommandError(f"{error} {remedy}".strip())
