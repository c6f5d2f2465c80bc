"""Everything a page can show, stored once, and clients of every role."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker

from studio.jobs import execute_run
from studio.models import (
    AttemptRecord,
    BundleCollection,
    BundleRecord,
    Comment,
    EnvironmentRecord,
    Flag,
    Review,
    Role,
    Run,
    RunEvent,
    RunKind,
    RunState,
    SavedFilter,
    TrajectoryRecord,
)
from studio.services.browse import saved_filters, scratch, state_queries
from studio.services.exports import collections, trajectory_exports
from studio.services.exports.trajectory_export_plan import ExportSettings
from studio.services.review import comments, flags, reviews
from studio.services.rollouts.trajectories import store_trajectory
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from studio.services.runs import dispatch
from studio.services.synthesis import batches
from tests.studio.conftest import (
    FAST_HASHERS,
    create_judged_run,
    create_person,
    played,
    small_environment,
    store_proved,
)


@dataclass(frozen=True)
class Shelf:
    """One of everything."""

    environment: EnvironmentRecord
    trajectory: TrajectoryRecord
    run: Run
    attempt: AttemptRecord
    bundle: BundleRecord
    flag: Flag
    comment: Comment
    review: Review
    judging: Run
    collection: BundleCollection
    saved: SavedFilter
    batch: Run
    exported: Run
    """Of trajectories."""


@pytest.fixture(scope="module")
def stocked(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Shelf, Path]]:
    """One of everything and the folder of its files, stored once for a module's tests.

    It is written within a transaction around all of them, as Django's `setUpTestData` does: what a test
    changes is undone after it.
    """
    folder = tmp_path_factory.mktemp("bundles")
    overrides = override_settings(BUNDLES_DIR=folder, PASSWORD_HASHERS=FAST_HASHERS)
    lasting = pytest.MonkeyPatch.context()
    with django_db_blocker.unblock(), transaction.atomic(), lasting as patch:
        # Each test closes its connection at its end, which would end the transaction around all of them.
        patch.setattr(connections["default"], "close", lambda: None)
        with overrides, pytest.MonkeyPatch.context() as meanwhile:
            meanwhile.setattr(dispatch, "send", lambda run_id: True)
            created = create_shelf(folder)
        yield created, folder
        transaction.set_rollback(True)


@pytest.fixture
def shared_shelf(stocked: tuple[Shelf, Path], db: None, settings: object) -> Shelf:
    """One of everything for a module each of whose tests expects it: the others would see it, too."""
    created, folder = stocked
    shutil.copytree(folder, settings.BUNDLES_DIR)  # type: ignore[attr-defined]
    return deepcopy(created)


@pytest.fixture
def shelf(db: None, settings: object) -> Shelf:
    """One of everything, as a reviewer called Otto left it."""
    folder = Path(settings.BUNDLES_DIR)  # type: ignore[attr-defined]
    folder.mkdir(parents=True)
    return create_shelf(folder)


def create_shelf(folder: Path) -> Shelf:
    """Store one of everything, with files in a folder that is the one of bundles."""
    otto = create_person("otto", Role.REVIEWER)
    environment = small_environment()
    stored = store_proved(environment)
    assert stored.current is not None
    trajectory = store_trajectory(revision=stored.current, judged=played(environment))
    run = Run.objects.create(
        kind=RunKind.SYNTHESIS,
        title="A desk lends tools",
        state=RunState.RUNNING,
        total=9,
        done=2,
        stage="tools",
    )
    RunEvent.objects.create(run=run, kind="stage_started", stage="tools", text="Started by the model author.")
    attempt = AttemptRecord.objects.create(
        run=run,
        stage="tools",
        number=1,
        prompt="Write the tools.",
        reply="def a(db): ...",
        accepted=False,
        findings=[{"part": "tools", "check": "it_parses", "message": "The docstring is missing."}],
    )
    (folder / "lending_desk.zip").write_bytes(b"PK-content")
    bundle = BundleRecord.objects.create(
        environment=stored,
        revision=stored.current,
        codec="native",
        path="lending_desk.zip",
        fingerprint="ab" * 32,
        size=10,
        manifest={"environment.json": "cd" * 32},
    )
    flag = flags.raise_flag(
        record=stored, user=otto, reason="tool_bug", severity="minor", comment="Off by one."
    )
    comment = comments.add_comment(
        record=stored, author=otto, body="Why fifty?", anchor_kind="tool", anchor="list_loans"
    )
    review = reviews.submit(
        record=stored, revision_number=1, reviewer=otto, decision="request_changes", comment="No."
    )
    judging = create_judged_run(trajectory, "completed", "completed")
    (folder / "collection.zip").write_bytes(b"PK-content")
    collection = BundleCollection.objects.create(
        title="Desks",
        path="collection.zip",
        fingerprint="ef" * 32,
        size=10,
        count=1,
        manifest=collections.manifest_of("Desks", [bundle]),
    )
    collection.bundles.add(bundle)
    saved = saved_filters.save_filter(user=otto, name="Lending", query="category=lending&page=2")
    batch = batches.start_batch(seeds=["a desk"], count=1)
    exported = execute_run(
        trajectory_exports.start_export(
            selection=TrajectorySelection(), wanted=ExportSettings(waiver="To be looked at.")
        ).pk
    )
    assert exported is not None
    assert exported.state == RunState.FINISHED, exported.error
    stored.refresh_from_db()
    return Shelf(
        stored, trajectory, run, attempt, bundle, flag, comment, review, judging, collection, saved, batch,
        exported,
    )  # fmt: skip


@pytest.fixture
def as_(client: Client) -> Callable[[User], Client]:
    """A client signed in as somebody."""

    def sign_in(user: User) -> Client:
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture(autouse=True)
def worlds_end_with_the_test() -> Iterator[None]:
    yield
    scratch.close_expired(older_than=-1)
    state_queries.close_all()


@pytest.fixture(autouse=True)
def on_localhost(settings: object) -> None:
    settings.ALLOWED_HOSTS = ["*"]  # type: ignore[attr-defined]
