import pytest

from synthesis.errors import BrokenEnvironment
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.reused_instances import ReusedInstances
from synthesis.worlds import database
from synthesis.worlds.world import World


@pytest.fixture
def begun(monkeypatch):
    """The instances that worlds begin, in their order."""
    instances = []
    begin = World.instance

    def counted(world, **options):
        instances.append(begin(world, **options))
        return instances[-1]

    monkeypatch.setattr(World, "instance", counted)
    return instances


def writing_calls(clinic):
    return clinic.task("cancel_late_and_waive_fee").reference_solution


def test_who_comes_next_has_the_first_state_in_the_same_process(clinic_world, clinic, begun):
    reused = ReusedInstances(clinic_world)
    with reused.instance() as first:
        assert any(result.changes for result in first.call_many(writing_calls(clinic)))
        assert first.state_hash() != clinic_world.base.hash
    with reused.instance() as second:
        assert second.state_hash() == clinic_world.base.hash
        assert second.calls == 0
    reused.close()
    assert begun == [first] == [second]
    assert first.closed


def test_two_at_once_are_two(clinic_world, clinic, begun):
    reused = ReusedInstances(clinic_world)
    with reused.instance() as one, reused.instance() as other:
        one.call_many(writing_calls(clinic))
        assert other.state_hash() == clinic_world.base.hash
    with reused.instance() as one, reused.instance() as other:
        assert one is not other
    assert len(begun) == 2
    reused.close()
    assert all(instance.closed for instance in begun)


def test_one_that_was_broken_off_or_closed_is_not_used_again(clinic_world, begun):
    reused = ReusedInstances(clinic_world)
    with pytest.raises(BrokenEnvironment), reused.instance() as first:
        first.query("SELECT nothing FROM nowhere")
    assert first.closed
    with reused.instance() as second:
        second.close()
    with reused.instance() as third:
        assert third.state_hash() == clinic_world.base.hash
    assert len(begun) == 3
    reused.close()


def test_references_have_processes_of_their_own_and_replays_share_another(clinic, begun):
    with ProofContext(clinic) as context:
        for task in context.tasks:
            context.reference(task)
        references = len(begun)
        for _ in context.tasks:
            with context.instance() as instance:
                assert instance.state_hash() == context.world.base.hash
    assert references == len(clinic.tasks.tasks) + 1  # and one in which all are played later
    assert len(begun) == references + 1
    assert all(each.closed for each in begun)


def test_schema_and_rows_are_sound_together_or_looked_at_alone(clinic):
    assert database.is_sound(clinic.schema, clinic.seed_data)
    name, rows = next((name, rows) for name, rows in clinic.seed_data.rows.items() if rows)
    doubled = clinic.seed_data.model_copy(update={"rows": {**clinic.seed_data.rows, name: (*rows, rows[0])}})
    assert not database.is_sound(clinic.schema, doubled)
    with ProofContext(clinic.model_copy(update={"seed_data": doubled})) as context:
        assert context.sound_parts.schema_findings == ()
        assert [each.where for each in context.sound_parts.seed_findings] == [name]
