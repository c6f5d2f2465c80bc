"""A project's own keys for endpoints: used by its runs alone, stored encrypted, never shown again."""

from __future__ import annotations

import json
import logging
from contextlib import nullcontext

import pytest
from auditlog.models import LogEntry
from django.contrib.auth.models import User
from django.core import serializers
from django.core.management import call_command
from django.core.management.base import CommandError
from pydantic import SecretStr

from studio.models import EndpointKey, Project, Run, RunKind
from studio.models.visibility import Visibility, limited
from studio.services.accounts.accounts import issue_token
from studio.services.audit import trail
from studio.services.audit.trail import AuditFilter
from studio.services.errors import Forbidden, Missing
from studio.services.llm import endpoint_keys
from studio.services.llm.pool import pool
from studio.services.llm.providers import provider_for
from studio.services.rollouts.rollout_agents import AgentSettings, require_agents
from studio.services.sealed_text import seal, unseal
from studio.services.synthesis.authors import require_model
from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.provider import CompletionRequest, Message
from tests.openai_server import OpenAIServer
from tests.studio.api.conftest import ApiClient

pytestmark = pytest.mark.django_db
KEY = "sk-Zanzibar-0123456789"


@pytest.fixture
def configure(settings):
    """Names the endpoints of the settings."""

    def given(**variables: object) -> None:
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update=variables)

    given(
        model="m",
        openai_api_key=SecretStr("sk-of-the-studio"),
        endpoints=SecretStr(json.dumps({"local": {"base_url": "http://10.0.0.7/v1", "api_key": "sk-local"}})),
    )
    return given


@pytest.fixture
def other() -> Project:
    return Project.objects.create(slug="other", name="Other")


def test_the_key_of_the_project_takes_the_place_of_the_settings(configure, other, administrator):
    for endpoint, key in (("", KEY), ("local", "sk-own-local")):
        endpoint_keys.set_key(user=administrator, project=other, endpoint=endpoint, key=key)
    keys = endpoint_keys.keys_of(other.pk)
    asked = pool("author", ("m", "n@local"), keys=keys)
    assert [each.api_key.get_secret_value() for each in asked] == [KEY, "sk-own-local"]
    assert asked[1].base_url == "http://10.0.0.7/v1"
    elsewhere = pool("author", ("m", "n@local"), keys=endpoint_keys.keys_of(other.pk + 1))
    assert [each.api_key.get_secret_value() for each in elsewhere] == ["sk-of-the-studio", "sk-local"]


def test_a_project_with_a_key_needs_none_in_the_settings(configure, other, administrator):
    configure(openai_api_key=None)
    with pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
        pool("author", keys=endpoint_keys.keys_of(other.pk))
    endpoint_keys.set_key(user=administrator, project=other, endpoint="", key=KEY)
    assert pool("author", keys=endpoint_keys.keys_of(other.pk))[0].model == "m"


def test_what_is_queued_in_a_project_with_a_key_needs_none_in_the_settings(configure, other, administrator):
    configure(openai_api_key=None)
    endpoint_keys.set_key(user=administrator, project=other, endpoint="", key=KEY)
    for project_id, fits in ((other.pk, True), (None, False)):
        with nullcontext() if fits else pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
            require_model(["model"], project_id=project_id)
        with nullcontext() if fits else pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
            require_agents(["chat"], AgentSettings(), project_id=project_id)
    with limited(lambda: Visibility.only(other.pk)):
        require_model(["model"])


def test_the_endpoint_gets_the_key_of_the_runs_project(configure, other, administrator):
    with OpenAIServer() as server:
        configure(openai_base_url=server.base_url)
        endpoint_keys.set_key(user=administrator, project=other, endpoint="", key=KEY)
        for project in (other, None):
            more = {"project": project} if project else {}
            run = Run.objects.create(kind=RunKind.CHECKS, title="x", **more)
            ask(run, f"To {project}")
        headers = [{name.lower(): value for name, value in seen.headers.items()} for seen in server.seen]
    sent = [each["authorization"] for each in headers]
    assert sent == [f"Bearer {KEY}", "Bearer sk-of-the-studio"]


def test_nothing_but_a_run_reads_it_back(configure, other, administrator, client, caplog):
    client.force_login(administrator)
    caplog.set_level(logging.DEBUG)
    path = "/projects/other/endpoint-keys/"
    assert client.post(path, {"endpoint": "", "key": KEY}).status_code == 302
    program = program_of(administrator)
    assert program.post("/projects/other/endpoint-keys", {"endpoint": "local", "key": KEY}).status_code == 200
    listed = program.get("/projects/other/endpoint-keys").json()["items"]
    assert [(each["endpoint"], each["set_by"]) for each in listed] == [("", "ada"), ("local", "ada")]
    shown = [
        client.get("/projects/other/").content.decode(),
        client.post(path, {"endpoint": "none", "key": KEY}).content.decode(),
        json.dumps(listed),
        serializers.serialize("json", EndpointKey.objects.all()),
        serializers.serialize("json", LogEntry.objects.all()),
        client.get("/audit/").content.decode(),
        caplog.text,
        repr(endpoint_keys.keys_of(other.pk)),
    ]
    assert "Endpoint keys" in shown[0]
    assert [text for text in shown if KEY in text] == []
    assert LogEntry.objects.filter(content_type__model="endpointkey").count() == 2


def test_a_key_is_replaced_and_removed(configure, other, administrator, client):
    program = program_of(administrator)
    for key in ("sk-first", KEY):
        program.post("/projects/other/endpoint-keys", {"key": key})
    assert endpoint_keys.keys_of(other.pk)[""].get_secret_value() == KEY
    client.force_login(administrator)
    assert client.post("/projects/other/endpoint-keys/", {"remove": ""}).status_code == 302
    assert endpoint_keys.keys_of(other.pk) == {}
    assert program.post("/projects/other/endpoint-keys/remove", {"endpoint": ""}).status_code == 404


def test_only_administrators_set_keys(configure, other, lead):
    with pytest.raises(Forbidden):
        endpoint_keys.set_key(user=lead, project=other, endpoint="", key=KEY)
    with pytest.raises(Forbidden):
        endpoint_keys.remove_key(user=lead, project=other, endpoint="")
    assert program_of(lead).get("/projects/other/endpoint-keys").status_code == 403


@pytest.mark.parametrize("key", ["", "  ", "a b", "a\nb", "é", "x" * 501, "a\0b"])
def test_what_is_no_key_is_refused(key, configure, other, administrator):
    with pytest.raises(InvalidInput):
        endpoint_keys.set_key(user=administrator, project=other, endpoint="", key=key)


def test_an_endpoint_that_the_settings_lack_is_refused(configure, other, administrator):
    with pytest.raises(UnknownName, match="elsewhere"):
        endpoint_keys.set_key(user=administrator, project=other, endpoint="elsewhere", key=KEY)
    with pytest.raises(Missing):
        endpoint_keys.remove_key(user=administrator, project=other, endpoint="")


def test_sealed_text_is_read_under_its_own_secret_alone(settings):
    settings.SECRET_KEY = "a" * 50
    sealed = seal(KEY)
    assert sealed != seal(KEY)
    assert KEY not in sealed
    assert unseal(sealed) == KEY
    middle = len(sealed) // 2
    other = "A" if sealed[middle] != "A" else "B"
    for changed in (f"{sealed[:middle]}{other}{sealed[middle + 1 :]}", "nothing", ""):
        with pytest.raises(InvalidInput):
            unseal(changed)
    settings.SECRET_KEY = "b" * 50
    with pytest.raises(InvalidInput, match="WORLDWRIGHT_SECRET_KEY"):
        unseal(sealed)


def test_a_replaced_secret_reads_what_the_earlier_one_stored_until_it_is_stored_anew(
    configure, other, administrator, settings, client, capsys
):
    settings.SECRET_KEY = "a" * 50
    endpoint_keys.set_key(user=administrator, project=other, endpoint="", key=KEY)
    client.force_login(administrator)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "b" * 50, ["z" * 50, "a" * 50]
    assert endpoint_keys.keys_of(other.pk)[""].get_secret_value() == KEY
    assert client.get("/account/").status_code == 200
    endpoint_keys.set_key(user=administrator, project=other, endpoint="local", key="sk-under-the-new")
    call_command("reseal")
    assert "1 keys encrypted under the present secret, 1 were already" in capsys.readouterr().out
    settings.SECRET_KEY_FALLBACKS = []
    keys = endpoint_keys.keys_of(other.pk)
    assert {name: key.get_secret_value() for name, key in keys.items()} == {
        "": KEY,
        "local": "sk-under-the-new",
    }
    call_command("reseal")
    assert "0 keys encrypted under the present secret, 2 were already" in capsys.readouterr().out


def test_what_is_stored_anew_is_in_the_audit_trail_without_the_key(
    configure, other, administrator, settings, client, caplog
):
    settings.SECRET_KEY = "z" * 50
    endpoint_keys.set_key(user=administrator, project=other, endpoint="local", key="sk-of-a-lost-secret")
    settings.SECRET_KEY = "a" * 50
    endpoint_keys.set_key(user=administrator, project=other, endpoint="", key=KEY)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "b" * 50, ["a" * 50]
    with pytest.raises(CommandError):
        call_command("reseal")
    line = trail.entry_of(trail.entries(AuditFilter(event="command")).get())
    assert line.details["command"] == "reseal"
    assert line.details["resealed"] == ["other/"]
    assert line.details["unreadable"] == ["other/local"]
    assert line.details["account"]
    assert line.details["host"]
    client.force_login(administrator)
    shown = client.get("/audit/?event=command").content.decode()
    assert "reseal" in shown
    assert not [text for text in (shown, json.dumps(line.as_json()), caplog.text) if KEY in text]


def test_keys_that_no_secret_reads_are_named_and_stay_as_they_are(configure, other, administrator, settings):
    settings.SECRET_KEY = "a" * 50
    for endpoint in ("", "local"):
        endpoint_keys.set_key(user=administrator, project=other, endpoint=endpoint, key=KEY)
    before = list(EndpointKey.objects.values_list("sealed", flat=True))
    settings.SECRET_KEY = "b" * 50
    with pytest.raises(CommandError, match=r"other \(the endpoint of OPENAI_BASE_URL\), other \(local\)"):
        call_command("reseal")
    assert list(EndpointKey.objects.values_list("sealed", flat=True)) == before


def test_a_key_that_is_entered_while_all_are_stored_anew_stays(
    configure, other, administrator, settings, monkeypatch
):
    settings.SECRET_KEY = "a" * 50
    endpoint_keys.set_key(user=administrator, project=other, endpoint="", key="sk-old")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "b" * 50, ["a" * 50]

    def entered(sealed: str) -> str:
        endpoint_keys.set_key(user=administrator, project=other, endpoint="", key=KEY)
        return unseal(sealed)

    monkeypatch.setattr(endpoint_keys, "unseal", entered)
    assert endpoint_keys.reseal_all().resealed == 0
    monkeypatch.undo()
    assert endpoint_keys.keys_of(other.pk)[""].get_secret_value() == KEY


def program_of(user: User) -> ApiClient:
    return ApiClient(issue_token(user=user, name="test")[1])


def ask(run: Run, text: str) -> None:
    provider_for(run).complete(CompletionRequest(messages=(Message(role="user", text=text),), stage="judge"))
