"""Everybody is shown what changed in an environment since they looked at it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from studio.services.environments import edits

AT = "/environments/lending_desk/"


def page(client: Client, path: str = "") -> str:
    return client.get(AT + path).content.decode()


def test_a_viewer_is_told_of_a_newer_revision_until_they_have_seen_what_changed(
    stored: Any, viewer: User, reviewer: User, lead: User, client: Client
) -> None:
    client.force_login(viewer)
    assert "Changed since you looked" not in page(client)
    edits.edit(
        record=stored,
        revision_number=1,
        editor=reviewer,
        change=edits.edit_policy("Be patient."),
        reason="Kinder.",
    )
    told = page(client)
    assert "You last saw revision 1." in told
    assert f'href="{AT}history/2/?since=1"' in told
    assert "Changed since you looked" in page(client)
    assert "Be patient." in page(client, "history/2/?since=1")
    assert "Changed since you looked" not in page(client)
    client.force_login(lead)
    assert "Changed since you looked" not in page(client)
