"""Archiving for programs."""

from __future__ import annotations


def test_programs_archive_and_list_what_was_archived(api, stored, lead, reviewer):
    path = f"/environments/{stored.name}"
    assert api(reviewer).post(f"{path}/archive", {"reason": "Old."}).status_code == 403
    client = api(lead)
    assert client.post(f"{path}/archive", {"reason": ""}).status_code == 422
    assert client.post(f"{path}/archive", {"reason": "Old."}).json()["archived_at"]
    assert client.post(f"{path}/archive", {"reason": "Old."}).status_code == 409
    assert client.get("/environments").json()["count"] == 0
    assert client.get("/environments?archived=true").json()["items"][0]["name"] == stored.name
    assert client.post(f"{path}/restore").json()["archived_at"] is None
    assert client.get("/environments").json()["count"] == 1
