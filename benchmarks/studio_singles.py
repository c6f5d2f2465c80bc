"""What single pages show: a batch with its runs, a run of judgements, rollouts, a collection, a saved view,
a trajectory of 400 steps with a result of 20 MB, and a table of a million rows.

Import this only where Django is running.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.files.base import ContentFile

from studio.models import (
    AuthorKind,
    BundleCollection,
    BundleRecord,
    EnvironmentRecord,
    PartRecord,
    Revision,
    Run,
    RunKind,
    RunState,
    SavedFilter,
    StepRecord,
    TrajectoryRecord,
)
from studio.services.browse import saved_filters
from studio.services.environments.environments import store_environment
from studio.services.exports import collections, stored_archives
from studio.services.judging import judge_figures
from studio.services.rollouts.trajectories import add_verdict, store_trajectory
from studio.services.synthesis import batches
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step, Trajectory
from synthesis.documents.verdict import Scored
from synthesis.worlds.database import read_schema

LONG = 400
HEAVY_STEP = 200
HEAVY_CHARACTERS = 20_000_000
JUDGED = 20
LARGE_ROWS = 1_000_000
LARGE_TABLE = "readings"


@dataclass(frozen=True)
class Singles:
    """One of each."""

    batch: Run
    judging: Run
    rollouts: Run
    collection: BundleCollection
    filter: SavedFilter
    heavy: TrajectoryRecord


def singles(*, record: EnvironmentRecord, environment: Environment, user: User) -> Singles:
    """Store one of each.

    Args:
        record: The environment that is stored whole.
        environment: What it is.
        user: Who asks for things.
    """
    batch = batches.start_batch(seeds=["a desk lends tools"], count=1, requested_by=user)
    children = [
        Run(
            kind=RunKind.SYNTHESIS,
            state=(RunState.FINISHED, RunState.FAILED)[number % 9 == 0],
            title=f"Desk {number}",
            parent=batch,
            environment=record,
            done=7,
            total=7,
            error="The attempts are spent." if number % 9 == 0 else "",
            error_type="AttemptsExhausted" if number % 9 == 0 else "",
        )
        for number in range(200)
    ]
    Run.objects.bulk_create(children)
    rollouts = Run.objects.create(
        kind=RunKind.ROLLOUT,
        state=RunState.FINISHED,
        title="Rollouts",
        environment=record,
        done=50,
        total=50,
        request={"revision": record.current_id, "agents": ["reference"], "seeds": [0], "tasks": None},
    )
    bundle = BundleRecord.objects.filter(environment=record).latest("pk")
    collection = BundleCollection.objects.create(
        title="All of them",
        path="collections/all.zip",
        fingerprint="ef" * 32,
        size=10,
        count=1,
        manifest=collections.manifest_of("All of them", [bundle] * 100),
        created_by=user,
    )
    collection.bundles.add(bundle)
    stored_archives.store(ContentFile(bytes(1_000)), collection.path)
    saved_filter = saved_filters.save_filter(user=user, name="Proved", query="state=proved&sort=title")
    return Singles(
        batch, _judged(record), rollouts, collection, saved_filter, heavy_replay(record, environment)
    )


def _judged(record: EnvironmentRecord) -> Run:
    run = Run.objects.create(
        kind=RunKind.JUDGING,
        title=f"Rules: {JUDGED} trajectories",
        state=RunState.FINISHED,
        request={"strategy": "rules", "repeats": 2, "seed": 0, "trajectories": []},
    )
    for place, trajectory in enumerate(record.trajectories.order_by("pk")[:JUDGED]):
        for number in (1, 2):
            label = "completed" if place % 3 else "agent_error"
            verdict = Scored(label=label, reward=0.0, basis="rules", share=0.0)
            add_verdict(
                record=trajectory, verdict=verdict, strategy="rules", judge="rules", run=run, number=number
            )
    run.result = judge_figures.summary(run)
    run.save()
    return run


def heavy_replay(record: EnvironmentRecord, environment: Environment) -> TrajectoryRecord:
    """A trajectory of 400 steps, one of which has a result of 20 MB."""
    assert record.current is not None
    trajectory = Trajectory(
        environment=environment.fingerprint,
        environment_name=environment.name,
        task_id=environment.tasks.tasks[0].id,
        agent="heavy",
        steps=tuple(
            Step(
                index=n,
                action=ToolCall(name=environment.tools.tools[0].name, arguments={"n": n}),
                status="ok",
                observation={"n": n},
            )
            for n in range(1, LONG + 1)
        ),
        stop_reason="step_limit",
    )
    stored = store_trajectory(revision=record.current, judged=JudgedTrajectory(trajectory=trajectory))
    step = stored.steps.get(index=HEAVY_STEP)
    items = [{"id": n, "name": f"thing {n}", "state": "open"} for n in range(HEAVY_CHARACTERS // 45)]
    document = json.loads(step.document)
    document["observation"] = {"items": items}
    text = json.dumps(document, separators=(",", ":"))
    StepRecord.objects.filter(pk=step.pk).update(document=text, size=len(text))
    return stored


def large_environment(environment: Environment, rows: int = LARGE_ROWS) -> EnvironmentRecord:
    """An environment with a table of a million rows, written as text: objects would fill the memory."""
    scenario = environment.scenario.replace(name="large_world", title="Large world")
    schema = read_schema(
        f"{environment.schema.sql}\nCREATE TABLE {LARGE_TABLE} "
        "(id INTEGER PRIMARY KEY, sensor TEXT NOT NULL, note TEXT);\n"
    )
    revision = store_environment(
        environment=environment.replace(scenario=scenario, schema=schema),
        author_kind=AuthorKind.PROCEDURAL,
        reason="Large.",
    )
    part = revision.parts.get(part="seed_data")
    document = json.loads(part.document)
    document["rows"][LARGE_TABLE] = "HERE"
    written = ",".join(f'{{"id":{n},"sensor":"s{n % 50}","note":null}}' for n in range(1, rows + 1))
    text = json.dumps(document).replace('"HERE"', f"[{written}]")
    PartRecord.objects.filter(pk=part.pk).update(document=text)
    Revision.objects.filter(pk=revision.pk).update(rows=rows)
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
