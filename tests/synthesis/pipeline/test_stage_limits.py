"""Only so many environments are in one stage at a time."""

import threading

import pytest

from synthesis.errors import Cancelled, InvalidInput, UnknownName
from synthesis.pipeline import stage_limits as stage_limits_module
from synthesis.pipeline.self_correction import never
from synthesis.pipeline.stage_limits import StageLimits


def visit(stage_limits, stage, inside, leave):
    with stage_limits.at(stage, never):
        inside.release()
        leave.wait()


def test_no_more_than_allowed_are_in_a_stage_and_the_next_comes_when_one_leaves():
    stage_limits, inside = StageLimits({"tools": 2}), threading.Semaphore(0)
    leaves = [threading.Event() for _ in range(3)]
    threads = [
        threading.Thread(target=visit, args=(stage_limits, "tools", inside, leave)) for leave in leaves
    ]
    for thread in threads:
        thread.start()
    assert inside.acquire(timeout=10)
    assert inside.acquire(timeout=10)
    assert not inside.acquire(blocking=False)
    for leave in leaves:
        leave.set()
    assert inside.acquire(timeout=10)
    for thread in threads:
        thread.join()


def test_a_stage_without_a_limit_takes_everybody():
    stage_limits = StageLimits({"tools": 1})
    with stage_limits.at("schema", never), stage_limits.at("schema", never), stage_limits.at("tools", never):
        pass


def test_who_waits_hears_that_it_is_to_stop(monkeypatch):
    monkeypatch.setattr(stage_limits_module, "LOOK_SECONDS", 0.01)
    stage_limits = StageLimits({"checks": 1})
    raises_exc = pytest.raises(Cancelled, match="waiting for checks")
    with stage_limits.at("checks", never), raises_exc, stage_limits.at("checks", lambda: True):
        pytest.fail("there was no place")


def test_a_place_is_given_back_after_a_failure():
    stage_limits = StageLimits({"checks": 1})
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), stage_limits.at("checks", never):
            raise ZeroDivisionError


@pytest.mark.parametrize(
    ("limits", "error", "message"),
    [({"tool": 1}, UnknownName, "checks"), ({"tools": 0}, InvalidInput, "must be at least 1, not 0")],
)
def test_limits_that_cannot_be_meant_are_refused(limits, error, message):
    with pytest.raises(error, match=message):
        StageLimits(limits)
