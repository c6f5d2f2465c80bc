"""What a worker remembers of the environments it made: nothing, however many there were."""

from __future__ import annotations

import gc
from collections import Counter

import pytest

from studio.jobs import execute_run
from studio.models import RunState
from studio.services.synthesis import synthesis
from synthesis.documents.environment import Draft, Environment
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.instance import Instance
from synthesis.worlds.world import World

OF_ONE_RUN = (Draft, Environment, Instance, ProofContext, World)


def make(seed: int) -> None:
    request = synthesis.new_request(sentence="A hotel takes bookings and bills its guests", seed=seed)
    ended = execute_run(synthesis.start_synthesis(request=request).pk)
    assert ended is not None
    assert ended.state == RunState.FINISHED, ended.error


def alive() -> Counter[str]:
    """How many of what belongs to one run are still there."""
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects() if type(one) in OF_ONE_RUN)


@pytest.mark.at_length
def test_nothing_of_a_finished_run_stays_in_the_memory_of_its_worker(db):
    make(seed=1)
    before = alive()
    for seed in (2, 3):
        make(seed)
    assert not alive() - before


def test_what_somebody_still_holds_is_counted(clinic):
    before = alive()
    held = clinic.replace(scenario=clinic.scenario)
    assert alive() - before == {"Environment": 1}
    assert held == clinic
