"""Reviewers as programs: each looks at the queue, takes what comes next, reads it and decides."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.environment import Environment
from synthesis.documents.rubric import ENVIRONMENT_QUALITY

PAGES = ("queue", "claim", "environment", "review", "submit")
_CSRF = "c" * 32


@dataclass
class Reviewer:
    """One person with a session.

    Attributes:
        session: The key of their session.
        took: Milliseconds of every answer, by page.
        decided: Environments whose decision was answered as stored.
        errors: Answers that were none of the expected, in words.
    """

    session: str
    client: httpx.AsyncClient = field(default_factory=httpx.AsyncClient)
    took: dict[str, list[float]] = field(default_factory=lambda: {page: [] for page in PAGES})
    decided: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    async def work(self, pause: float) -> None:
        """Review one environment, with a pause of up to so many seconds before each page."""
        self.client.cookies.update({"sessionid": self.session, "csrftoken": _CSRF})
        await self._ask("queue", "/review/", pause)
        taken = await self._ask("claim", "/review/next/", pause, form={})
        if taken is None:
            return
        name = urlsplit(taken.headers["location"]).path.split("/")[2]
        await self._ask("environment", f"/environments/{name}/", pause)
        await self._ask("review", f"/environments/{name}/review/", pause)
        if await self._ask("submit", f"/environments/{name}/review/submit/", pause, form=_VERDICT):
            self.decided.append(name)

    async def _ask(
        self, page: str, path: str, pause: float, form: Mapping[str, str] | None = None
    ) -> httpx.Response | None:
        """One request; None when it is not answered with a page, or a form not with a redirection."""
        await asyncio.sleep(random.uniform(0, pause))
        began = time.perf_counter()
        try:
            if form is None:
                answer = await self.client.get(path)
            else:
                answer = await self.client.post(path, data=dict(form), headers={"X-CSRFToken": _CSRF})
        except httpx.TransportError as error:
            self.errors.append(f"{page}: {type(error).__name__}")
            return None
        self.took[page].append((time.perf_counter() - began) * 1000)
        if answer.status_code == (200 if form is None else 302):
            return answer
        self.errors.append(f"{page}: {answer.status_code}")
        return None


_VERDICT = {
    "revision": "1",
    "decision": "request_changes",
    "comment": "The third task names a person who is not in the data.",
    **{f"score_{criterion.name}": str(criterion.highest) for criterion in ENVIRONMENT_QUALITY.criteria},
}


def reviewers(count: int) -> list[Reviewer]:
    """So many people, signed in. Django has to run."""
    from django.contrib.auth.models import User
    from django.test import Client

    from studio.models import Role
    from studio.services.accounts import accounts

    team = []
    for number in range(count):
        user = User.objects.create(username=f"reviewer_{number}")
        accounts.set_role(user=user, role=Role.REVIEWER)
        client = Client()
        client.force_login(user)
        team.append(Reviewer(session=client.cookies["sessionid"].value))
    return team


def waiting(environment: Environment, count: int) -> None:
    """So many proved environments, alike but for their names."""
    from studio.models import AuthorKind, EnvironmentRecord, EnvironmentState
    from studio.services.environments.environments import store_environment

    for number in range(count):
        named = environment.scenario.replace(name=f"desk_{number}", title=f"Desk {number}")
        own = environment.replace(scenario=named)
        report = CheckReport(
            environment=own.fingerprint, results=(CheckResult(claim="the_schema_builds", passed=True),)
        )
        store_environment(
            environment=own, author_kind=AuthorKind.PROCEDURAL, reason="Composed.", report=report
        )
    EnvironmentRecord.objects.update(state=EnvironmentState.PROVED)


def stored_decisions() -> Counter[str]:
    """Submitted reviews by environment."""
    from studio.models import Review

    return Counter(Review.objects.submitted().values_list("environment__name", flat=True))
