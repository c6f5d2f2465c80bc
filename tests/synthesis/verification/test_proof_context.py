"""What a proof starts in a world it ends with it; the world itself stays open when it was given."""

from __future__ import annotations

import pytest

from synthesis.documents.environment import Environment
from synthesis.errors import BrokenEnvironment
from synthesis.verification.measurements import EndState
from synthesis.verification.proof_context import ProofContext
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import World


def test_closing_a_proof_ends_what_it_started_and_leaves_a_given_world_open(
    clinic: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    with World(clinic) as world:
        context = ProofContext(clinic, world=world)
        for part in ("replayer", "row_editor"):
            tool = getattr(context, part)
            close = tool.close
            monkeypatch.setattr(tool, "close", lambda part=part, close=close: (closed.append(part), close()))
        context.close()
        assert sorted(closed) == ["replayer", "row_editor"]
        with world.instance(seed=1) as instance:
            assert instance.state_hash()


def test_closing_a_proof_starts_nothing(clinic: Environment) -> None:
    context = ProofContext(clinic)
    context.close()
    assert {"replayer", "row_editor", "world"} & set(context.__dict__) == set()


def test_a_world_that_does_not_build_is_not_waited_for_by_every_claim(
    clinic: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Environment] = []

    def failing(environment: Environment, *, limits: Limits) -> World:
        assert limits.patience > 0
        built.append(environment)
        raise BrokenEnvironment("It took too long.", part="seed_data")

    monkeypatch.setattr("synthesis.verification.proof_context.World", failing)
    with ProofContext(clinic) as context:
        for _ in range(5):
            with pytest.raises(BrokenEnvironment, match="too long"):
                _ = context.world
    assert len(built) == 2


def test_the_reference_answer_is_read_beside_the_calls_at_equivalent_ends_too(clinic: Environment) -> None:
    task = clinic.task("move_cardiology_follow_up")
    assert task is not None
    with ProofContext(clinic) as context:
        run = context.reference(task)
        late = next(other for other in context.equivalents(task) if other.state.hash != run.after.hash)
        observed = context._observed_at(EndState(task, run.after, task.reference_answer))
        assert observed is not None
        assert context._observed_at(EndState(task, late.state, task.reference_answer)) is observed
        assert context._observed_at(EndState(task, late.state, "It is moved.")) is None
        assert context._observed_at(EndState(task, context.world.base, task.reference_answer)) is None
