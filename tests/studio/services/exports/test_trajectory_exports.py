"""Trajectories of many environments leave as training data: chosen, dealt into splits, counted."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from studio.jobs import execute_run
from studio.models import AuthorKind, EnvironmentState, Revision, RunState, TrajectoryRecord
from studio.services.environments.environments import add_revision, store_environment
from studio.services.errors import Conflict, NotReady
from studio.services.exports import stored_archives
from studio.services.exports import trajectory_exports as exports
from studio.services.exports.trajectory_export_plan import ExportSettings, plan
from studio.services.rollouts.trajectories import store_trajectories
from studio.services.rollouts.trajectory_selection import TrajectorySelection
from synthesis.bundles.splits import SplitSettings
from synthesis.documents.environment import Environment
from synthesis.documents.verdict import Scored, Unscored
from synthesis.errors import InvalidInput, UnknownName
from tests.studio.conftest import played, report_on, small_environment

WAIVED = ExportSettings(waiver="For a test.")
ALL = TrajectorySelection()


def tried(environment: Environment, *, seed: int = 0, **more):
    judged = played(environment, **more)
    trajectory = judged.trajectory.replace(seed=seed)
    if more.get("label") == "agent_error":
        trajectory = trajectory.replace(steps=(trajectory.steps[-1].replace(index=1),))
    return judged.replace(trajectory=trajectory)


def split_tasks(environment: Environment, *splits: str | None) -> Environment:
    tasks = tuple(
        task.replace(split=split) for task, split in zip(environment.tasks.tasks, splits, strict=True)
    )
    return environment.replace(tasks=environment.tasks.replace(tasks=tasks))


def keep(environment: Environment, *judged) -> Revision:
    revision = store_environment(
        environment=environment,
        author_kind=AuthorKind.PROCEDURAL,
        reason="Made.",
        report=report_on(environment),
    )
    store_trajectories(revision=revision, judged=judged)
    return revision


def export(selection: TrajectorySelection = ALL, wanted: ExportSettings = WAIVED):
    ended = execute_run(exports.start_export(selection=selection, wanted=wanted).pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error
    return ended


def content_of(run) -> bytes:
    with stored_archives.opened(exports.archive_of(run)) as file:
        content: bytes = file.read()
    return content


def files(run) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content_of(run))) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def lines(run) -> list[dict]:
    return [
        json.loads(line)
        for name, content in sorted(files(run).items())
        if name.startswith("data/")
        for line in content.splitlines()
    ]


@pytest.fixture
def two(db) -> list[Environment]:
    environments = [small_environment(name=name) for name in ("desk_one", "desk_two")]
    for environment in environments:
        keep(
            environment,
            *(
                tried(environment, seed=seed, label="completed" if seed else "agent_error")
                for seed in range(3)
            ),
        )
    return environments


def test_an_export_holds_the_trajectories_of_every_environment_with_their_split(two):
    run = export()
    results = lines(run)
    assert len(results) == 6
    assert {line["environment"] for line in results} == {"desk_one", "desk_two"}
    card = json.loads(files(run)["data_card.json"])
    assert card["trajectories"] == 6
    assert card["labels"] == {"agent_error": 2, "completed": 4}
    assert sum(card["lines"].values()) == 6
    assert "desk_one" in files(run)["README.md"].decode()


def test_equal_content_gives_equal_bytes_whatever_order_it_came_in(two):
    first = export()
    content = content_of(first)
    records = list(TrajectoryRecord.objects.select_related("revision").order_by("-pk"))
    judged = [(record.revision, exports.load_judged(record)) for record in records]
    TrajectoryRecord.objects.all().delete()
    for revision, each in judged:
        store_trajectories(revision=revision, judged=[each])
    second = export()
    assert content_of(second) == content
    assert second.result["fingerprint"] == first.result["fingerprint"]


def test_an_environment_is_wholly_in_one_split_and_stays_there_after_an_edit(db):
    environments = [small_environment(name=f"desk_{number}") for number in range(12)]
    for environment in environments:
        keep(environment, tried(environment))
    wanted = WAIVED.replace(splits=SplitSettings(train=50, validation=25, test=25), older_revisions=True)
    before = {each.name: each.assigned.split for each in plan(ALL, wanted).environments}
    assert len(set(before.values())) > 1
    record = Revision.objects.get(environment__name="desk_3").environment
    changed = small_environment(name="desk_3", policy="Be very kind.")
    revision = add_revision(record=record, environment=changed, author_kind=AuthorKind.HAND, reason="Kinder.")
    store_trajectories(revision=revision, judged=[tried(changed, seed=9)])
    after = plan(ALL, wanted)
    assert {each.name: each.assigned.split for each in after.environments} == before
    by_split = {}
    for line in lines(export(wanted=wanted)):
        by_split.setdefault(line["environment"], set()).add(line["split"])
    assert {name: {split} for name, split in before.items()} == by_split


def test_the_most_held_out_split_that_tasks_name_takes_the_environment_and_the_move_is_told(db):
    environment = split_tasks(small_environment(), "train", "test")
    other = tried(environment)
    keep(
        environment,
        tried(environment),
        other.replace(trajectory=other.trajectory.replace(task_id="count_the_loans")),
    )
    (placed,) = plan(ALL, WAIVED).environments
    assert (placed.assigned.split, placed.assigned.by, placed.assigned.moved) == (
        "test",
        "tasks",
        {"train": 1},
    )
    run = export()
    assert {line["split"] for line in lines(run)} == {"test"}
    assert run.result["card"]["moved"][0]["moved"] == {"train": 1}
    assert "Tasks that moved" in files(run)["README.md"].decode()
    shares = WAIVED.replace(splits=SplitSettings(train=100, validation=0, test=0, own=False))
    assert plan(ALL, shares).environments[0].assigned.split == "train"


def test_what_says_nothing_about_the_agent_is_left_out_of_training_formats_and_counted(db):
    environment = small_environment()
    judged = tried(environment)
    error = Scored(label="environment_error", reward=0.0, basis="verifier", share=0, trainable=False)
    keep(
        environment,
        judged,
        tried(environment, seed=1).replace(verdicts=(Unscored(error="It died."),)),
        tried(environment, seed=2).replace(verdicts=(error,)),
        judged.replace(trajectory=judged.trajectory.replace(seed=3, stop_reason="cancelled")),
    )
    export_plan = plan(ALL, WAIVED)
    assert export_plan.included == 1
    assert sorted(count for _, count in export_plan.left_out) == [1, 1, 1]
    assert any("Unscored" in why for why, _ in export_plan.left_out)
    assert any("Environment error" in why for why, _ in export_plan.left_out)
    assert len(lines(export())) == 1
    assert plan(ALL, WAIVED.replace(format="atif")).included == 4


def test_the_dry_run_says_what_the_export_then_holds(two):
    export_plan = plan(ALL, WAIVED)
    card = export().result["card"]
    assert card["labels"] == dict(export_plan.labels)
    assert card["splits"] == {split: count for split, (_, count) in export_plan.splits().items() if count}
    assert card["environments"] == {each.name: each.trajectories for each in export_plan.environments}


def test_a_trajectory_that_stands_twice_is_written_once_and_counted(db):
    environment = small_environment()
    keep(environment, tried(environment), tried(environment))
    run = export()
    assert len(lines(run)) == 1
    assert run.result["card"]["repeated"] == 1


def test_unapproved_environments_stay_out_without_a_reason(two):
    export_plan = plan(ALL, ExportSettings())
    assert (export_plan.included, dict(export_plan.left_out)) == (0, {"Its environment is not approved.": 6})
    with pytest.raises(NotReady, match="not approved"):
        exports.start_export(selection=ALL, wanted=ExportSettings())
    Revision.objects.get(environment__name="desk_one").environment.__class__.objects.filter(
        name="desk_one"
    ).update(state=EnvironmentState.APPROVED)
    assert plan(ALL, ExportSettings()).included == 3


def test_older_revisions_stay_out_unless_they_are_asked_for(db):
    environment = small_environment()
    revision = keep(environment, tried(environment))
    changed = small_environment(policy="Be very kind.")
    add_revision(
        record=revision.environment, environment=changed, author_kind=AuthorKind.HAND, reason="Kinder."
    )
    assert plan(ALL, WAIVED).included == 0
    assert plan(ALL, WAIVED.replace(older_revisions=True)).included == 1


@pytest.mark.parametrize(
    ("narrowed", "count"),
    [
        ({"label": ("completed",)}, 4),
        ({"reward_min": 0.5}, 4),
        ({"reward_max": 0.5}, 2),
        ({"environment": "desk_one"}, 3),
        ({"kind": ("write",)}, 6),
        ({"kind": ("read",)}, 0),
        ({"difficulty": ("easy", "hard")}, 6),
        ({"difficulty": ("hard",)}, 0),
        ({"category": ("lending",)}, 6),
        ({"state": ("proved",)}, 6),
        ({"state": ("approved",)}, 0),
        ({"agent": ("nobody",)}, 0),
        ({"model": ("m-1",)}, 0),
        ({"trainable": True}, 6),
        ({"run": 12345}, 0),
    ],
)
def test_it_can_be_chosen_by(two, narrowed, count):
    assert plan(TrajectorySelection(**narrowed), WAIVED).matching == count


def test_pairs_are_made_within_one_task(two):
    results = lines(export(wanted=WAIVED.replace(format="preference_pairs")))
    assert {line["environment"] for line in results} == {"desk_one", "desk_two"}
    assert all(line["chosen_reward"] > line["rejected_reward"] for line in results)


@pytest.mark.parametrize(("format", "count"), [("training_samples", 10), ("atif", 6)])
def test_other_formats_hold_all_of_it(two, format, count):
    run = export(wanted=WAIVED.replace(format=format))
    assert sum(run.result["card"]["lines"].values()) == count


def test_only_a_few_trajectories_are_in_memory_at_a_time(two, monkeypatch):
    asked = []
    load = exports._loaded
    monkeypatch.setattr(exports, "AT_ONCE", 2)
    monkeypatch.setattr(exports, "_loaded", lambda ids: asked.append(len(ids)) or load(ids))
    export()
    assert asked == [2, 1, 2, 1]


def test_an_export_of_something_else_than_was_seen_is_refused(two):
    export_plan = plan(ALL, WAIVED)
    TrajectoryRecord.objects.first().delete()
    with pytest.raises(Conflict):
        exports.start_export(
            selection=ALL, wanted=WAIVED, through=export_plan.through, shown=export_plan.included
        )


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        (ExportSettings(format="csv"), UnknownName),
        (ExportSettings(history="backwards"), UnknownName),
        (ExportSettings(splits=SplitSettings(train=90, validation=20)), InvalidInput),
        (ExportSettings(splits=SplitSettings(train=110, validation=-10, test=0)), InvalidInput),
    ],
)
def test_settings_that_cannot_be_are_refused_before_anything_is_queued(two, wanted, error):
    with pytest.raises(error):
        exports.start_export(selection=ALL, wanted=wanted)


def test_nothing_leaves_with_a_reason_where_waivers_are_closed(two, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"gate_waivers": False})
    with pytest.raises(NotReady):
        plan(ALL, WAIVED)
