"""A real browser on a real server: the studio with the clinic in it, watched for errors of every kind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.environment import Environment
from tests.browser.desk import Desk, create_desk, create_people
from tests.browser.screens import MOST_SEEN, SCREENS, SIZES

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=5_000)

HERE = Path(__file__).parent

FAST_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""No test waits for a slow hash."""

# Playwright's loop runs in the test's thread, where Django would refuse to touch the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make screenshots` ask for pictures."""
    parser.addoption("--screenshots", action="store_true", help="write docs/screenshots")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say clearly that browser tests did not run where there is no browser."""
    missing = not Path(CHROMIUM).exists()
    for item in items:
        if HERE not in Path(item.path).parents:
            continue
        item.add_marker(pytest.mark.browser)
        if missing:
            item.add_marker(
                pytest.mark.skip(reason="chromium is not installed, so nothing was tried in a browser")
            )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `screen` is made once per screen."""
    if "screen" in metafunc.fixturenames:
        seldom = [each for each in SCREENS if each not in MOST_SEEN]
        often = [each for each in SCREENS if each in MOST_SEEN]
        metafunc.parametrize(
            "screen", [*often, *(pytest.param(each, marks=pytest.mark.slow) for each in seldom)]
        )


@pytest.fixture
def address(screen: str, desk: Desk) -> str:
    """Where the screen is."""
    return SCREENS[screen](desk)


@pytest.fixture
def sizes() -> dict[str, tuple[int, int]]:
    return SIZES


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": FLAGS}


@dataclass
class Watch:
    """What a browser complained about during one test."""

    origin: str
    console_errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Parts of complaints that a test provokes on purpose."""

    def over(self, page: Page) -> None:
        """Listen to a page."""
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.console_errors.append(f"error: {error}"))
        page.on("request", lambda request: self._asked(request.url))

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.console_errors.append(f"{kind}: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.origin, "data:", "blob:")):
            self.console_errors.append(f"foreign origin: {url}")

    def unexpected(self) -> list[str]:
        """What nobody provoked."""
        return [text for text in self.console_errors if not any(part in text for part in self.expected)]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    tmp_path_factory: pytest.TempPathFactory, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """SQLite in a file, where each request has a connection of its own, as the studio has it.

    In memory all share one: a request that calls one of Django's functions and another that holds Python then
    wait for each other without end.
    """
    for alias in connections:
        database = connections[alias].settings_dict
        if connections[alias].vendor == "sqlite":
            database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / f"{alias}.sqlite3")


@pytest.fixture
def watch(page: Page, live_server: Any) -> Watch:
    return Watch(live_server.url)


@pytest.fixture(autouse=True)
def nothing_to_complain_about(request: pytest.FixtureRequest) -> Iterator[None]:
    """No console error, no refused script or style, no foreign origin in any test with a browser."""
    if "page" not in request.fixturenames:
        yield
        return
    page, watch = request.getfixturevalue("page"), request.getfixturevalue("watch")
    page.add_init_script(
        "addEventListener('securitypolicyviolation',"
        " event => console.error('CSP ' + event.violatedDirective + ' ' + event.blockedURI))"
    )
    watch.over(page)
    yield
    assert watch.unexpected() == []


@pytest.fixture(scope="session")
def clinic_trajectories() -> list[JudgedTrajectory]:
    """What the reference and the no-op agent did on every task of the clinic, as recorded.

    `test_recording.py` proves the recording against the agents and a real world; `recording.py` renews it.
    """
    lines = (HERE / "clinic_trajectories.jsonl").read_text().splitlines()
    return [JudgedTrajectory.model_validate_json(line) for line in lines]


@pytest.fixture
def people(transactional_db: None, settings: Any) -> dict[str, User]:
    settings.PASSWORD_HASHERS = FAST_HASHERS
    return create_people()


@pytest.fixture
def desk(people: dict[str, User], clinic: Environment, clinic_trajectories: list[JudgedTrajectory]) -> Desk:
    """The clinic stored, proved and tried out, ready for review."""
    return create_desk(clinic, clinic_trajectories)


@pytest.fixture
def many(desk) -> Environment:
    """Thirty small environments of the category lending beside the clinic; gives the one they are like."""
    from studio.models import AuthorKind, EnvironmentRecord, EnvironmentState
    from studio.services.environments.environments import store_environment
    from tests.studio.conftest import small_environment

    one = small_environment()
    for number in range(30):
        scenario = one.scenario.replace(name=f"desk_{number:02}", title=f"Desk {number:02}")
        store_environment(
            environment=one.replace(scenario=scenario), author_kind=AuthorKind.PROCEDURAL, reason="Made."
        )
    EnvironmentRecord.objects.update(state=EnvironmentState.PROVED)
    return one


@pytest.fixture
def signed_in(context: BrowserContext, live_server: Any, people: dict[str, User]) -> Callable[..., None]:
    """Signs somebody in without the form; `view="expert"` shows them code, ids and JSON."""

    def sign_in(username: str, view: str = "plain") -> None:
        client = Client()
        client.force_login(people[username])
        cookie = client.cookies["sessionid"].value
        cookies = {"sessionid": cookie, "view": view}
        context.add_cookies(
            [{"name": name, "value": value, "url": live_server.url} for name, value in cookies.items()]
        )

    return sign_in


@pytest.fixture
def plain(browser: Browser, base_url: str) -> Iterator[BrowserContext]:
    """A page of a browser without script; it takes over the cookies a test gives it."""
    other = browser.new_context(base_url=base_url, java_script_enabled=False)
    yield other
    other.close()


@pytest.fixture(scope="session")
def base_url(live_server: Any) -> str:
    """Where relative addresses lead; takes the place of pytest-base-url's, which pytest 9 warns about."""
    return str(live_server.url)


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1280, "height": 900}}
