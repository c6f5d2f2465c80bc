"""Only so many environments are in one stage at a time."""

import threading

import pytest

from synthesis.errors import Cancelled, InvalidInput, UnknownName
from synthesis.pipeline import turns as turns_module
from synthesis.pipeline.self_correction import never
from synthesis.pipeline.turns import Turns


def visit(turns, stage, inside, leave):
    with turns.at(stage, never):
        inside.release()
        leave.wait()


def test_no_more_than_allowed_are_in_a_stage_and_the_next_comes_when_one_leaves():
    turns, inside = Turns({"tools": 2}), threading.Semaphore(0)
    leaves = [threading.Event() for _ in range(3)]
    threads = [threading.Thread(target=visit, args=(turns, "tools", inside, leave)) for leave in leaves]
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
    turns = Turns({"tools": 1})
    with turns.at("schema", never), turns.at("schema", never), turns.at("tools", never):
        pass


def test_who_waits_hears_that_it_is_to_stop(monkeypatch):
    monkeypatch.setattr(turns_module, "LOOK_SECONDS", 0.01)
    turns = Turns({"checks": 1})
    told = pytest.raises(Cancelled, match="waited for checks")
    with turns.at("checks", never), told, turns.at("checks", lambda: True):
        pytest.fail("there was no place")


def test_a_place_is_given_back_after_a_failure():
    turns = Turns({"checks": 1})
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), turns.at("checks", never):
            raise ZeroDivisionError


@pytest.mark.parametrize(
    ("limits", "error", "told"),
    [({"tool": 1}, UnknownName, "checks"), ({"tools": 0}, InvalidInput, "0 is none")],
)
def test_limits_that_cannot_be_meant_are_refused(limits, error, told):
    with pytest.raises(error, match=told):
        Turns(limits)
