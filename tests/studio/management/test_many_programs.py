"""A thousand programs at once, each with a token of its own: every answer is true, nothing is there twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.studio.management.conftest import Manage
from tests.studio.management.own_web import OwnWeb, on_postgresql, printed, web

pytestmark = [pytest.mark.at_length, pytest.mark.service]

PROGRAMS, ENVIRONMENTS = 1_000, 10
MOST_SECONDS = 900

BEGIN = f"""
import json
from benchmarks.load_reviewers import waiting
from django.contrib.auth.models import User
from studio.models import Role
from studio.services.accounts import accounts
from tests.studio.conftest import small_environment
waiting(small_environment(), {ENVIRONMENTS})
tokens = []
for number in range({PROGRAMS}):
    user = User.objects.create(username=f"program_{{number}}")
    accounts.set_role(user=user, role=Role.REVIEWER)
    tokens.append(accounts.issue_token(user=user, name="test")[1])
print(json.dumps(tokens))
"""
STORED = """
import json
from studio.models import Flag
print(json.dumps(list(Flag.objects.values_list("comment", flat=True))))
"""


@dataclass
class Answers:
    """What the programs were answered."""

    flags: list[str] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)


async def ask(url: str, number: int, token: str, answers: Answers) -> None:
    """One program: look, raise a flag, look again."""
    name, comment = f"desk_{number % ENVIRONMENTS}", f"Seen by program {number}."
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, timeout=MOST_SECONDS, headers=headers) as client:
        listed = await client.get("/api/environments")
        raised = await client.post(
            f"/api/reviews/environments/{name}/flags", json={"reason": "other", "comment": comment}
        )
        shown = await client.get(f"/api/environments/{name}")
    for answer, expected in ((listed, 200), (raised, 201), (shown, 200)):
        if answer.status_code != expected:
            answers.wrong[f"{answer.request.method} {answer.status_code}"] += 1
    if raised.status_code == 201:
        answers.flags.append(comment)


async def ask_all(processes: OwnWeb, tokens: list[str], answers: Answers) -> None:
    """All of them at once, as soon as the web processes listen."""
    async with httpx.AsyncClient(base_url=processes.url) as probe:
        while True:
            with contextlib.suppress(httpx.TransportError):
                await probe.get("/health/")
                break
            await asyncio.sleep(0.2)
    async with asyncio.TaskGroup() as programs:
        for number, token in enumerate(tokens):
            programs.create_task(ask(processes.url, number, token, answers))


def test_a_thousand_programs_at_once_lose_and_double_nothing(
    manage: Manage, own_studio: dict[str, str], tmp_path: Path
):
    answers = Answers()
    with on_postgresql(manage, own_studio, tmp_path):
        tokens = printed(manage, BEGIN)
        with web(own_studio, tmp_path / "web.log") as processes:
            asyncio.run(asyncio.wait_for(ask_all(processes, tokens, answers), MOST_SECONDS))
        stored = printed(manage, STORED)
    assert answers.wrong == {}
    assert Counter(stored) == Counter(answers.flags)
    assert len(set(stored)) == PROGRAMS
