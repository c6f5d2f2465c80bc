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
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.environment import Environment
from tests.batch_scene import make_batch
from tests.browser.grades import converse, grade
from tests.browser.proofs import report_on

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

SCREENS: dict[str, Callable[[Any], str]] = {
    "home": lambda desk: "/",
    "catalogue": lambda desk: "/environments/",
    "catalogue-filtered": lambda desk: "/environments/?state=proved&q=clinic",
    "catalogue-empty": lambda desk: "/environments/?q=zeppelin",
    "new-environment": lambda desk: "/environments/new/",
    "own-schema": lambda desk: "/environments/from-schema/",
    "overview": lambda desk: desk.address,
    "schema": lambda desk: f"{desk.address}schema/",
    "data": lambda desk: f"{desk.address}data/",
    "table": lambda desk: f"{desk.address}data/table/appointments/",
    "table-after-a-step": lambda desk: f"{desk.address}data/table/appointments/?at={desk.replay.pk}/3",
    "sql": lambda desk: f"{desk.address}data/sql/?query=SELECT+*+FROM+patients",
    "row": lambda desk: f"{desk.address}data/row/appointments/?id=18",
    "tools": lambda desk: f"{desk.address}tools/",
    "tool": lambda desk: f"{desk.address}tools/cancel_appointment/",
    "scratch": lambda desk: f"{desk.address}scratch/?tool=find_patients",
    "tasks": lambda desk: f"{desk.address}tasks/",
    "task": lambda desk: f"{desk.address}tasks/hand_freed_slot_to_waiting_list/",
    "checks": lambda desk: f"{desk.address}checks/",
    "check": lambda desk: f"{desk.address}checks/near_misses_are_refused/?kind=reverted",
    "trajectories-of-one": lambda desk: f"{desk.address}trajectories/",
    "review": lambda desk: f"{desk.address}review/",
    "walk": lambda desk: f"{desk.address}review/walk/hand_freed_slot_to_waiting_list/?table=appointments",
    "questions": lambda desk: f"{desk.address}review/questions/",
    "dictionary": lambda desk: f"{desk.address}dictionary/?section=table.appointments",
    "send-back": lambda desk: f"{desk.address}review/send-back/",
    "conflicts": lambda desk: "/review/conflicts/",
    "edit-tools": lambda desk: f"{desk.address}edit/tools/?tool=cancel_appointment",
    "edit-task": lambda desk: f"{desk.address}edit/task/hand_freed_slot_to_waiting_list/",
    "edit-row": lambda desk: f"{desk.address}edit/row/appointments/?id=18",
    "revision": lambda desk: f"{desk.address}history/1/",
    "flag": lambda desk: f"{desk.address}flags/new/?trajectory={desk.replay.pk}&step=3",
    "history": lambda desk: f"{desk.address}history/",
    "export": lambda desk: f"{desk.address}export/",
    "replay": lambda desk: f"/trajectories/{desk.replay.pk}/step/3/?since=0",
    "verdict": lambda desk: f"/trajectories/{desk.replay.pk}/step/{desk.replay.step_count}/",
    "side-by-side": lambda desk: f"/trajectories/{desk.replay.pk}/beside/{desk.idle.pk}/",
    "trajectories": lambda desk: "/trajectories/",
    "trajectories-export": lambda desk: (
        "/trajectories/export/?label=completed&format=chat_jsonl&train=90&validation=5&test=5&seed=0&waiver=Trial"
    ),
    "queue": lambda desk: "/review/",
    "runs": lambda desk: "/runs/",
    "run": lambda desk: f"/runs/{desk.run.pk}/",
    "batch": lambda desk: f"/batches/{desk.batch.pk}/",
    "batch-failed-runs": lambda desk: (
        f"/batches/{desk.batch.pk}/?state=failed&error=AttemptsExhausted&stage=tools"
    ),
    "batch-candidates": lambda desk: f"/batches/{desk.batch.pk}/candidates/?decision=rejected",
    "batch-new": lambda desk: "/batches/new/",
    "spend": lambda desk: "/spend/",
    "attempt": lambda desk: f"/runs/{desk.run.pk}/attempts/{desk.attempt.pk}/",
    "rollouts-new": lambda desk: "/rollouts/new/",
    "rollouts": lambda desk: f"/rollouts/{desk.rollouts.pk}/",
    "statistics": lambda desk: "/statistics/?by=difficulty",
    "statistics-compare": lambda desk: "/statistics/compare/?first_agent=no-op&second_agent=reference",
    "played-again": lambda desk: f"/trajectories/{desk.replay.pk}/drift/",
    "quality": lambda desk: "/quality/",
    "quality-new": lambda desk: "/quality/new/",
    "quality-of-one": lambda desk: f"{desk.address}quality/",
    "diversity": lambda desk: "/diversity/",
    "tool-graph": lambda desk: f"{desk.address}tool-graph/",
    "conversation": lambda desk: f"/trajectories/{desk.idle.pk}/conversation/",
    "judge-lab": lambda desk: "/judging/",
    "judge-lab-new": lambda desk: "/judging/new/",
    "judge": lambda desk: f"/judging/{desk.judging.pk}/",
    "act-on-many": lambda desk: "/catalogue/act/?action=assign",
    "bundles": lambda desk: "/bundles/",
    "collections": lambda desk: "/bundles/collections/",
    "collection-new": lambda desk: "/bundles/collections/new/?author_kind=hand",
    "collection": lambda desk: f"/bundles/collections/{desk.collection.pk}/",
    "replay-of-a-range": lambda desk: f"/trajectories/{desk.replay.pk}/step/3/?since=1&through=4&q=a",
    "catalogue-columns": lambda desk: "/environments/?columns=tools&columns=reviewed&sort=title",
    "bundle": lambda desk: f"/bundles/{desk.bundle.pk}/",
    "dashboard": lambda desk: "/dashboard/",
    "operations": lambda desk: "/operations/",
    "account": lambda desk: "/account/",
    "notifications": lambda desk: "/notifications/",
    "account-password": lambda desk: "/account/password/",
    "audit": lambda desk: "/audit/",
    "people": lambda desk: "/people/",
    "keys": lambda desk: "/keys/",
    "glossary": lambda desk: "/glossary/",
    "jump": lambda desk: "/jump/?q=appointment",
    "components": lambda desk: "/components/",
}
"""Name to address; `make screenshots` photographs the same."""

FOR_ADMINISTRATORS = {"audit", "people"}
"""Screens that others may not see."""

FAST_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""No test waits for a slow hash."""

SIZES = {"wide": (1280, 900), "narrow": (360, 780)}

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
        metafunc.parametrize("screen", SCREENS)


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


@dataclass(frozen=True)
class Desk:
    """The clinic as the studio holds it."""

    record: Any
    replay: Any
    """The reference agent's longest trajectory."""
    idle: Any
    """The no-op agent's try at the same task."""
    run: Any
    attempt: Any
    bundle: Any
    judging: Any
    batch: Any
    rollouts: Any
    collection: Any

    @property
    def address(self) -> str:
        """The environment's page."""
        return f"/environments/{self.record.name}/"


def create_people() -> dict[str, User]:
    """The people of the demonstration by username, each with the password `<username>-secret`."""
    from studio.services.accounts.accounts import DEMO_PEOPLE, set_role

    values = {}
    for username, full_name, role in DEMO_PEOPLE:
        first, last = full_name.split(" ", 1)
        values[username] = User.objects.create_user(
            username, password=f"{username}-secret", first_name=first, last_name=last
        )
        set_role(user=values[username], role=role)
    return values


@pytest.fixture
def people(transactional_db: None, settings: Any) -> dict[str, User]:
    settings.PASSWORD_HASHERS = FAST_HASHERS
    return create_people()


def create_desk(clinic: Environment, clinic_trajectories: list[JudgedTrajectory]) -> Desk:
    """Store the clinic, proved and tried out, ready for review."""
    from studio.models import AuthorKind, EnvironmentRecord, TrajectoryRecord
    from studio.services.environments.environments import store_environment
    from studio.services.rollouts.trajectories import store_trajectory

    revision = store_environment(
        environment=clinic, author_kind=AuthorKind.HAND, reason="Imported.", report=report_on(clinic)
    )
    for judged in clinic_trajectories:
        store_trajectory(revision=revision, judged=judged)
    longest = TrajectoryRecord.objects.filter(agent="reference").order_by("-step_count")[0]
    record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
    idle = TrajectoryRecord.objects.get(agent="no-op", task_id=longest.task_id)
    grade(revision)
    converse(idle)
    run, attempt = _failed_run()
    judging, batch = _judged([longest, idle]), make_batch(held=True)
    bundle, rollouts = _bundle(record), _rollouts(record)
    collection = _collection(bundle)
    return Desk(record, longest, idle, run, attempt, bundle, judging, batch, rollouts, collection)


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


def _collection(bundle: Any) -> Any:
    """An archive of one environment."""
    from studio.models import BundleCollection
    from studio.services.exports import collections

    collection = BundleCollection.objects.create(
        title="First shipment",
        query="state=approved",
        path="collections/collection-ab.zip",
        fingerprint="ab" * 32,
        size=48_901,
        count=1,
        manifest=collections.manifest_of("First shipment", [bundle]),
    )
    collection.bundles.add(bundle)
    return collection


def _rollouts(record: Any) -> Any:
    """A batch of rollouts in the middle: one part has played everything there is, another waits."""
    from studio.models import Run, RunKind, RunState, TrajectoryRecord

    played = TrajectoryRecord.objects.count()
    batch = Run.objects.create(
        kind=RunKind.ROLLOUTS,
        title="reference, no-op in Clinic front desk",
        state=RunState.RUNNING,
        request={"episodes": 2 * played},
        total=2,
        done=1,
    )
    parts = [
        Run.objects.create(
            kind=RunKind.ROLLOUT,
            title="reference in Clinic front desk",
            state=state,
            environment=record,
            parent=batch,
            total=played,
            done=done,
        )
        for state, done in ((RunState.FINISHED, played), (RunState.QUEUED, 0))
    ]
    TrajectoryRecord.objects.update(run=parts[0])
    return batch


def _judged(trajectories: list[Any]) -> Any:
    """A finished run of judgements whose judge flips on the first and is wrong about the second."""
    from studio.models import Run, RunKind, RunState
    from studio.services.judging import judge_figures
    from studio.services.rollouts.trajectories import add_verdict
    from synthesis.documents.verdict import Scored

    run = Run.objects.create(
        kind=RunKind.JUDGING,
        title="Model only: 2 from Clinic front desk, 2 times",
        state=RunState.FINISHED,
        request={"strategy": "model_only", "repeats": 2, "seed": 0, "trajectories": []},
    )
    texts = (("completed", "agent_error"), ("completed", "completed"))
    for record, labels in zip(trajectories, texts, strict=True):
        for number, label in enumerate(labels, start=1):
            add_verdict(
                record=record,
                verdict=Scored(label=label, reward=0.0, basis="judge:some-model", share=0.5),  # type: ignore[arg-type]
                strategy="model_only",
                judge="judge:some-model",
                model="some-model",
                prompt_fingerprint="ab" * 32,
                run=run,
                number=number,
            )
    run.result = judge_figures.summary(run)
    run.save()
    return run


def _failed_run() -> tuple[Any, Any]:
    """A run of the model author that spent its attempts on the tools."""
    from studio.models import Run, RunEvent, RunKind, RunState

    run = Run.objects.create(
        kind=RunKind.SYNTHESIS,
        title="The front desk of an outpatient clinic with four departments",
        state=RunState.FAILED,
        total=9,
        done=4,
        error="Stage 'tools' failed 2 times; the last attempt: get_patient has no docstring.",
        error_type="AttemptsExhausted",
        error_stage="tools",
    )
    for stage in ("scenario", "outlines", "schema", "seed_data"):
        RunEvent.objects.create(
            run=run, kind="stage_started", stage=stage, text="Started by the model author."
        )
        RunEvent.objects.create(run=run, kind="part_stored", stage=stage, text="Stored.")
    RunEvent.objects.create(run=run, kind="stage_started", stage="tools", text="Started by the model author.")
    finding = {
        "part": "tools",
        "check": "every_tool_has_a_docstring",
        "message": "get_patient has no docstring.",
        "where": "get_patient",
    }
    code = "def get_patient(db, patient_id: int) -> dict:\n    return db.one('SELECT * FROM patients')\n"
    for number, reply in enumerate(
        (code, code.replace("patients'", "patients WHERE id = ?', patient_id")), start=1
    ):
        attempt = run.attempts.create(
            stage="tools",
            number=number,
            author="model",
            model="some-model",
            prompt="Write the tools.",
            reply=reply,
            findings=[finding],
            accepted=False,
            input_tokens=2100,
            output_tokens=840,
        )
    RunEvent.objects.create(run=run, kind="failed", stage="tools", text=run.error)
    return run, attempt


def _bundle(record: Any) -> Any:
    from studio.models import BundleRecord

    return BundleRecord.objects.create(
        environment=record,
        revision=record.current,
        codec="native",
        path="native/clinic_front_desk-r1.zip",
        fingerprint="ab" * 32,
        size=48_213,
        manifest={"environment.json": "cd" * 32, "schema.sql": "ef" * 32},
        waiver="A rehearsal.",
    )


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
