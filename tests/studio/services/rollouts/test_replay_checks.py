"""What behaves otherwise in use than in the proof is found by making episodes again."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from studio.jobs import execute_run
from studio.models import AuthorKind, EnvironmentRecord, Flag, FlagReason, Run, RunEvent, RunState
from studio.services.environments.environments import store_environment
from studio.services.rollouts import replay_checks, rollouts
from studio.services.rollouts.replay_checks import ACCOUNT
from synthesis.documents.environment import Environment
from synthesis.documents.tools import is_ended_by_limit
from synthesis.worlds.toolset import read_toolset
from synthesis.worlds.world import World

TELLS_THE_TIME = """

def _ticks(clock):
    return str(clock.now())
"""


def stored(environment: Environment) -> EnvironmentRecord:
    revision = store_environment(environment=environment, author_kind=AuthorKind.HAND, reason="Imported.")
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


def play(record: EnvironmentRecord, **more: object) -> Run:
    ended = execute_run(rollouts.start_rollouts(record=record, agents=["reference"], **more).pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error
    return ended


@pytest.fixture
def ticking(clinic: Environment) -> Environment:
    """Its lists read the machine's clock past the rules that read the source."""
    source = clinic.tools.source
    spoilt = source.replace('return {"total":', 'return {"read_at": _ticks(datetime), "total":')
    assert spoilt != source
    return clinic.replace(tools=read_toolset(spoilt + TELLS_THE_TIME))


def test_episodes_that_come_to_the_same_raise_no_flag(db, clinic, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"replay_share": 1.0})
    run = play(stored(clinic))
    assert len(replay_checks.sample(run, 1.0)) == run.trajectories.count() >= 5
    assert not Flag.objects.exists()
    assert not RunEvent.objects.filter(kind__startswith="replay").exists()


def test_a_tool_that_reads_the_clock_is_flagged_with_the_step(db, ticking, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"replay_share": 1.0})
    record = stored(ticking)
    run = play(record)
    flags = Flag.objects.filter(environment=record)
    assert flags
    assert {flag.reason for flag in flags} == {FlagReason.TOOL_BUG}
    assert all(flag.blocks and flag.part == "tools" for flag in flags)
    assert len({flag.where for flag in flags}) == len(flags), "one flag for each tool"
    step = run.trajectories.get(pk=flags[0].evidence["trajectory"]).steps.get(index=flags[0].evidence["step"])
    assert step.tool == flags[0].where
    assert "differs in observation of call" in flags[0].comment
    assert RunEvent.objects.filter(run=run, kind="replay_differs").exists()
    play(record)
    assert Flag.objects.filter(environment=record).count() == flags.count()
    account = User.objects.get(username=replay_checks.ACCOUNT)
    assert not account.is_active
    assert not account.has_usable_password()


def test_no_share_makes_nothing_again(db, ticking, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"replay_share": 0.0})
    play(stored(ticking))
    assert not Flag.objects.exists()


def test_a_measurement_that_comes_out_otherwise_is_the_verifiers_fault(db, clinic, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"replay_share": 0.0})
    run = play(stored(clinic), tasks=[clinic.tasks.tasks[0].id])
    trajectory = run.trajectories.get()
    with World(clinic) as world:
        assert replay_checks.replay_disagreement(trajectory, world) is None
        trajectory.label = "agent_error"
        disagreement = replay_checks.replay_disagreement(trajectory, world)
    assert disagreement is not None
    assert (disagreement.reason, disagreement.where) == (FlagReason.VERIFIER_WRONG, trajectory.task_id)
    assert "completed instead of agent_error" in disagreement.words


def test_a_sample_is_at_least_one_episode_and_always_the_same(db, clinic, settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"replay_share": 0.0})
    run = play(stored(clinic), tasks=[task.id for task in clinic.tasks.tasks[:4]])
    assert len(replay_checks.sample(run, 0.01)) == 1
    assert replay_checks.sample(run, 0.5) == replay_checks.sample(run, 0.5)
    assert replay_checks.sample(run, 0) == []
    spoilt = run.trajectories.first()
    spoilt.steps.filter(index=1).update(status="error")
    run.trajectories.exclude(pk=spoilt.pk).update(label="unscored")
    assert replay_checks.sample(run, 1.0) == [spoilt], "a failed call hides no episode"
    run.trajectories.update(label="environment_error")
    assert spoilt in replay_checks.sample(run, 1.0)
    run.trajectories.update(stop_reason="infrastructure_error")
    assert replay_checks.sample(run, 1.0) == []


def failing(clinic: Environment, statement: str) -> Environment:
    """The clinic with a tool whose every call fails at a statement."""
    source = clinic.tools.source.replace('return {"total":', f'{statement}\n    return {{"total":')
    assert source != clinic.tools.source
    return clinic.replace(tools=read_toolset(source + TELLS_THE_TIME))


def differing_flags(settings, environment: Environment) -> set[str]:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"replay_share": 1.0})
    record = stored(environment)
    run = play(record)
    assert run.trajectories.filter(steps__status="error").exists()
    return {flag.reason for flag in Flag.objects.filter(environment=record, raised_by__username=ACCOUNT)}


def test_a_tool_that_fails_by_the_clock_is_flagged(db, clinic, settings):
    assert differing_flags(settings, failing(clinic, "int(_ticks(datetime))")) == {FlagReason.TOOL_BUG}


def test_calls_that_fail_alike_or_for_want_of_memory_raise_no_flag(db, clinic, settings):
    assert differing_flags(settings, failing(clinic, "1 // 0")) == set()
    assert is_ended_by_limit("find", "find ran out of memory.")
    assert not is_ended_by_limit("find", "find failed: RuntimeError: find ran out of memory.")
