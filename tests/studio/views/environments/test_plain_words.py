"""Pages for people who look at no code: no names in code, one thing in the singular."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import AuthorKind, Run, RunKind
from studio.services.environments.environments import store_environment
from studio.services.review import answers
from synthesis.worlds.toolset import read_toolset
from tests.studio.conftest import TOOLS, small_environment

AT = "/environments/lending_desk/"
STAFF = '''from typing import Literal


def find_staff(db, state: Literal["on_duty", "off"], since: str | None = None) -> dict:
    """Find people who are on_duty; next_cursor is for the next page.

    Args:
        state: Whether they are on_duty.
        since: From which day on, YYYY-MM-DD.
    """
    return {"items": [], "next_cursor": None, "state": state, "since": since}


'''


@pytest.fixture
def page(db: None, viewer: User, client: Client):
    """Reads a page of a world whose tool speaks in code."""
    environment = small_environment()
    environment = environment.replace(tools=read_toolset(STAFF + TOOLS))
    store_environment(environment=environment, author_kind=AuthorKind.PROCEDURAL, reason="Made.")
    client.force_login(viewer)

    def read(path: str, view: str = "plain") -> str:
        client.cookies["view"] = view
        return " ".join(client.get(path).content.decode().split())

    return read


def test_a_tool_is_described_without_names_in_code(page) -> None:
    shown = page(f"{AT}tools/find_staff/").partition('id="comments"')[0]
    assert "Find people who are on duty; next cursor is for the next page." in shown
    assert "Whether they are on duty." in shown
    assert ">one of: on duty, off<" in shown
    assert ">From which day on.<" in shown
    for code in (">on_duty", " on_duty", "next_cursor", "YYYY", "null"):
        assert code not in shown
    expert = page(f"{AT}tools/find_staff/", view="expert")
    assert "Find people who are on_duty; next_cursor is for the next page." in expert
    assert "From which day on, YYYY-MM-DD." in expert


def test_one_thing_is_named_in_the_singular(page, viewer: User) -> None:
    from studio.models import EnvironmentRecord

    overview = page(AT)
    assert "<dt>tasks</dt>" in overview
    record = EnvironmentRecord.objects.select_related("current").get(name="lending_desk")
    record.current.tables = record.current.tools = 1
    record.current.save(update_fields=["tables", "tools"])
    overview = page(AT)
    assert "<dt>table</dt>" in overview
    assert "<dt>tool</dt>" in overview
    assert "0 of 1 review submitted." in overview
    home = page("/")
    assert "<dt>environment</dt>" in home
    assert "<dt>bundles</dt>" in home
    assert "<span>1 table</span>" in home
    run = Run.objects.create(kind=RunKind.CHECKS, title="Proof", state="running", done=1, total=1)
    assert "1 of 1 step<" in page(run.get_absolute_url())
    seen = answers.Progress({}, (answers.Coverage("tools", 1, 1), answers.Coverage("tasks", 1, 2)))
    assert seen.words == "1 of 1 tool, 1 of 2 tasks"


def test_settings_of_the_studio_are_named_to_leads_alone(
    db: None, reviewer: User, lead: User, client
) -> None:
    client.force_login(reviewer)
    page = client.get("/spend/").content.decode()
    assert "No monthly limit is set." in page
    assert "WORLDWRIGHT_" not in page
    client.force_login(lead)
    page = client.get("/spend/").content.decode()
    assert "WORLDWRIGHT_MONTH_BUDGET" in page
    assert "WORLDWRIGHT_RUN_TOKENS" in page
