"""The desk: the clinic as the studio holds it after a working day, with one of everything a screen shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.environment import Environment
from tests.batch_scene import make_batch
from tests.browser.grades import converse, grade
from tests.browser.proofs import report_on


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
