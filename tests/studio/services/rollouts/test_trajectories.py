"""Trajectories are stored step by step and come back whole."""

from __future__ import annotations

import pytest
from django.db import connection

from studio.models import TrajectoryRecord
from studio.services.rollouts.trajectories import add_verdict, load_judged, store_trajectory
from synthesis.documents.verdict import Unscored
from synthesis.errors import InvalidInput
from tests.studio.conftest import played, small_environment


def test_what_was_stored_comes_back_equal(trajectory, environment):
    assert load_judged(trajectory) == played(environment)


def test_the_outline_is_there_without_opening_documents(trajectory):
    first, last = trajectory.steps.all()
    assert (first.tool, first.status, first.changed_rows, first.changed_tables) == (
        "return_item",
        "ok",
        1,
        ["loans"],
    )
    assert (last.tool, last.changed_rows) == ("", 0)
    assert (trajectory.label, trajectory.reward, trajectory.changed_rows) == ("completed", 1.0, 1)


def test_verdicts_that_differ_are_marked_as_disputed(trajectory):
    add_verdict(
        record=trajectory, verdict=Unscored(error="the judge did not answer", basis="judge:some-model")
    )
    assert trajectory.disputed
    assert [verdict.label for verdict in load_judged(trajectory).verdicts] == ["completed", "unscored"]
    assert trajectory.label == "completed"


def test_a_trajectory_nobody_measured_is_unscored(stored, environment):
    judged = played(environment)
    record = store_trajectory(revision=stored.current, judged=judged.replace(verdicts=()))
    assert (record.label, record.reward, record.trainable) == ("unscored", None, False)


def test_a_trajectory_of_another_environment_is_refused(stored):
    with pytest.raises(InvalidInput, match="was recorded in"):
        store_trajectory(revision=stored.current, judged=played(small_environment(policy="Be strict.")))


def test_the_newest_of_many_are_found_without_sorting_all(trajectory):
    if connection.vendor != "sqlite":
        pytest.skip("reads the plan as SQLite writes it")
    everywhere = TrajectoryRecord.objects.listed().order_by("-created_at")
    for rows in (everywhere, everywhere.filter(environment=trajectory.environment)):
        assert "TEMP B-TREE" not in rows[:25].explain()
