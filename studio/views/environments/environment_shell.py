"""The frame around one environment: its header and its tabs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from studio.models import EnvironmentRecord, Flag
from studio.presentation.plain_language import PlainLanguage
from studio.services.environments import environments, quality_gates
from studio.services.environments.trade_words import trade_word
from studio.templatetags.shell import shows_code


class Tab(NamedTuple):
    """One face of an environment."""

    name: str
    title: str
    address: str
    size: int | None


def tabs(record: EnvironmentRecord, *, expert: bool) -> list[Tab]:
    """The faces of an environment with how much is behind each; outside the expert view in trade's words."""
    revision = record.current
    assert revision is not None
    counts: dict[str, tuple[str, int | None]] = {
        "environment": ("Overview", None),
        "environment_schema": ("Schema", revision.tables),
        "environment_data": ("Data", revision.rows),
        "environment_tools": ("Tools", revision.tools),
        "environment_tasks": ("Tasks", revision.tasks),
        "environment_checks": ("Claims", revision.checks),
        "environment_trajectories": ("Trajectories", None),
        "environment_review": ("Review", None),
        "environment_history": ("History", revision.number),
        "environment_export": ("Export", None),
    }
    return [
        Tab(name, title if expert else trade_word(title), reverse(name, args=[record.name]), count)
        for name, (title, count) in counts.items()
    ]


def page(
    request: HttpRequest,
    record: EnvironmentRecord,
    tab: str,
    template: str,
    context: dict[str, Any],
    *,
    raised: Sequence[Flag] | None = None,
) -> HttpResponse:
    """One tab of an environment's page.

    Args:
        request: Whose page.
        record: The environment.
        tab: Which tab.
        template: What shows it.
        context: What the template needs beside the header's own.
        raised: Its unsettled flags, newest first, where they were read already.
    """
    frame = {
        "section": "environments",
        "record": record,
        "revision": record.current,
        "tab": tab,
        "tabs": tabs(record, expert=shows_code(request)),
        "plain": SimpleLazyObject(lambda: PlainLanguage(record)),
    }
    if "blocker" not in context:
        blocking = None if raised is None else [flag for flag in reversed(raised) if flag.blocks]
        frame["blocker"] = quality_gates.blocker(record, blocking=blocking)
    return render(request, template, {**frame, **context})


def find(name: str) -> EnvironmentRecord:
    """The environment of that name with its current revision.

    Raises:
        Missing: There is none.
    """
    return environments.find(name)
