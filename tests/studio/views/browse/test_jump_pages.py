"""The jump box leads only where somebody may go."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client


def test_pages_that_a_role_may_not_open_are_not_offered(viewer: User, lead: User, client: Client) -> None:
    offered = {}
    for person in (viewer, lead):
        client.force_login(person)
        pages = [each.address for each in client.get("/jump/").context["results"] if each.kind == "Page"]
        assert [client.get(address).status_code for address in pages] == [200] * len(pages)
        offered[person] = set(pages)
    assert {"/environments/new/", "/bundles/import/"} == offered[lead] - offered[viewer] - {
        "/environments/from-schema/"
    }
