"""The web processes are killed while people claim, comment, decide and edit: nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.studio.conftest import GRADED
from tests.studio.management.conftest import PATIENCE, Manage
from tests.studio.management.own_web import OwnWeb, on_postgresql, printed, web

pytestmark = [pytest.mark.at_length, pytest.mark.service]

ENVIRONMENTS, REVIEWERS, EDITORS = 20, 8, 3
EACH = 5
"""Decisions of every reviewer; no environment is out of the queue before all of them decided about it."""
KILLED_AFTER = (6, 16, 28)
"""Decisions that were answered as stored."""

BEGIN = f"""
import json
from benchmarks.load_reviewers import reviewers, waiting
from tests.studio.conftest import small_environment
waiting(small_environment(), {ENVIRONMENTS + 1})
print(json.dumps([person.session for person in reviewers({REVIEWERS + EDITORS})]))
"""
STORED = f"""
import json
from studio.models import Claim, Comment, EnvironmentRecord, Review, Revision, Run
from studio.services.environments.environments import load_environment
edited = EnvironmentRecord.objects.get(name="desk_{ENVIRONMENTS}")
revisions = Revision.objects.filter(environment=edited).order_by("number")
print(json.dumps({{
    "decisions": list(
        Review.objects.submitted().values_list("environment__name", "reviewer__username")
    ),
    "comments": list(Comment.objects.values_list("body", flat=True)),
    "claims": list(Claim.objects.active().values_list("environment__name", flat=True)),
    "revisions": [[each.number, load_environment(each).policy.text] for each in revisions],
    "checked": sorted(Revision.objects.get(pk=run.request["revision"]).number
                      for run in Run.objects.filter(kind="checks")),
}}))
"""


@dataclass
class Acknowledged:
    """What the web processes answered as stored, and what they should not have answered."""

    decisions: set[tuple[str, str]] = field(default_factory=set)
    comments: set[str] = field(default_factory=set)
    revisions: set[tuple[int, str]] = field(default_factory=set)
    cut_off: int = 0
    wrong: list[str] = field(default_factory=list)
    _decided: asyncio.Event = field(default_factory=asyncio.Event)

    def decided(self, name: str, reviewer: str) -> None:
        """A decision was answered as stored."""
        self.decisions.add((name, reviewer))
        self._decided.set()

    async def until(self, decisions: int) -> None:
        """Wait for so many decisions."""
        while len(self.decisions) < decisions:
            self._decided.clear()
            await self._decided.wait()


@dataclass
class Writer:
    """Somebody with a session who sends forms until the answer arrives."""

    number: int
    client: httpx.AsyncClient
    acknowledged: Acknowledged

    async def _ask(self, method: str, path: str, *, again: bool = True, **form: str) -> httpx.Response | None:
        """An answer; None when the connection broke and the form is not sent again."""
        while True:
            try:
                answer = await self.client.request(method, path, data=form or None)
            except httpx.TransportError:
                self.acknowledged.cut_off += 1
                if not again:
                    return None
                await asyncio.sleep(0.3)
                continue
            if answer.status_code >= 500:
                self.acknowledged.wrong.append(f"{method} {path}: {answer.status_code}")
            return answer

    async def review(self) -> None:
        """Take what comes next, comment on it, decide about it."""
        for _ in range(EACH):
            taken = await self._ask("POST", "/review/next/")
            assert taken is not None
            assert taken.status_code == 302, taken.text[:2_000]
            name = urlsplit(taken.headers["location"]).path.split("/")[2]
            at = f"/environments/{name}"
            body = f"Seen by {self.number}: {name}."
            # Sent once: whether one was stored whose answer was lost, nobody knows.
            answer = await self._ask("POST", f"{at}/comments/", again=False, body=body)
            if answer is not None and answer.headers.get("location", "").endswith("#comments"):
                self.acknowledged.comments.add(body)
            decision = {
                "revision": "1",
                "decision": "request_changes",
                "comment": "A name is wrong.",
                **GRADED,
            }
            answer = await self._ask("POST", f"{at}/review/submit/", **decision)
            assert answer is not None
            if answer.status_code == 302:
                self.acknowledged.decided(name, f"reviewer_{self.number}")
            else:
                self.acknowledged.wrong.append(f"{name}: {answer.status_code}")

    async def edit(self, over: asyncio.Event) -> None:
        """Change one environment that others change, too, again and again."""
        at, round_number = f"/environments/desk_{ENVIRONMENTS}/edit/policy/", 0
        while not over.is_set():
            round_number += 1
            page = await self._ask("GET", at)
            assert page is not None
            seen = re.search(r'name="revision" value="(\d+)"', page.text)
            assert seen, page.text[:2_000]
            text = f"Be kind, as {self.number} says for the {round_number}th time."
            answer = await self._ask("POST", at, again=False, revision=seen[1], reason="Better.", text=text)
            place = re.search(r"/history/(\d+)/", answer.headers.get("location", "")) if answer else None
            if place:
                self.acknowledged.revisions.add((int(place[1]), text))
            await asyncio.sleep(0.2)


async def write(processes: OwnWeb, sessions: list[str], acknowledged: Acknowledged) -> None:
    """All of them at once, and the web processes killed again and again."""
    over = asyncio.Event()
    async with contextlib.AsyncExitStack() as opened:
        writers = [
            Writer(number, await opened.enter_async_context(_client(processes.url, session)), acknowledged)
            for number, session in enumerate(sessions)
        ]
        async with asyncio.TaskGroup() as editing:
            for writer in writers[REVIEWERS:]:
                editing.create_task(writer.edit(over))
            async with asyncio.TaskGroup() as reviewing:
                for writer in writers[:REVIEWERS]:
                    reviewing.create_task(writer.review())
                for decisions in KILLED_AFTER:
                    await acknowledged.until(decisions)
                    await asyncio.to_thread(processes.again)
            over.set()


def _client(url: str, session: str) -> httpx.AsyncClient:
    token = "c" * 32
    return httpx.AsyncClient(
        base_url=url, timeout=PATIENCE, headers={"X-CSRFToken": token},
        cookies={"sessionid": session, "csrftoken": token},
    )  # fmt: skip


def test_killed_web_processes_lose_and_double_nothing(
    manage: Manage, own_studio: dict[str, str], tmp_path: Path
):
    acknowledged = Acknowledged()
    with on_postgresql(manage, own_studio, tmp_path):
        sessions = printed(manage, BEGIN)
        with web(own_studio, tmp_path / "web.log") as processes:
            asyncio.run(asyncio.wait_for(write(processes, sessions, acknowledged), 5 * PATIENCE))
        stored = printed(manage, STORED)
    assert acknowledged.wrong == []
    assert acknowledged.cut_off > len(KILLED_AFTER), "nobody wrote while the web processes were killed"
    # A decision was sent until it was answered: all of them are there, each once.
    decisions = Counter(map(tuple, stored["decisions"]))
    assert set(decisions) == acknowledged.decisions
    assert decisions.total() == len(decisions) == REVIEWERS * EACH
    assert max(Counter(stored["comments"]).values()) == 1
    assert acknowledged.comments <= set(stored["comments"])
    assert len(acknowledged.comments) > REVIEWERS * EACH / 2
    assert stored["claims"] == []
    # A revision has the text that was answered, no text is in two, and each is checked once.
    revisions = [(number, text) for number, text in stored["revisions"]]
    assert [number for number, _ in revisions] == list(range(1, len(revisions) + 1))
    assert len({text for _, text in revisions}) == len(revisions)
    assert acknowledged.revisions <= set(revisions)
    assert len(acknowledged.revisions) > len(KILLED_AFTER)
    assert stored["checked"] == list(range(2, len(revisions) + 1))
