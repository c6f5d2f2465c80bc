"""The operations page: the sandbox as the doctor sees it, and no address of anything."""

from __future__ import annotations

import pytest

from synthesis.worlds.sandbox.layer import Layer
from synthesis.worlds.sandbox.mode import SandboxMode
from synthesis.worlds.sandbox.probe import probe
from synthesis.worlds.sandbox.status import SandboxStatus


def test_every_layer_of_the_sandbox_is_shown_as_it_was_found(as_, viewer):
    page = as_(viewer).get("/operations/").content.decode()
    assert probe().layers
    assert [layer.name for layer in probe().layers if f">{layer.name}</th>" not in page] == []


def test_a_missing_boundary_is_named_with_the_way_out(as_, viewer, monkeypatch: pytest.MonkeyPatch):
    seccomp = Layer(
        name="seccomp",
        in_force=False,
        required=True,
        detail="the kernel refuses <filters>",
        remedy="Allow them.",
    )
    broken = SandboxStatus(mode=SandboxMode.SEALED, host="Linux", layers=(seccomp,))
    monkeypatch.setattr("studio.services.operations.probe", lambda: broken)
    page = as_(viewer).get("/operations/").content.decode()
    assert "Generated code is not run on this host" in page
    assert "the kernel refuses &lt;filters&gt;" in page
    assert "missing" in page


def test_it_tells_kinds_and_never_addresses(as_, viewer, settings):
    settings.CELERY_BROKER_URL = "redis://:hunter2@broker.internal:6379/0"
    page = as_(viewer).get("/operations/").content.decode()
    assert "hunter2" not in page
    assert "broker.internal" not in page
    assert ">redis</td>" in page


def test_strangers_are_sent_to_sign_in(client, db):
    assert client.get("/operations/").status_code == 302
