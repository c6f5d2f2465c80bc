"""Many ends measured at once say what each says in a process of its own."""

import pytest

from synthesis.documents.verifiers import Verifier
from synthesis.errors import SandboxError
from synthesis.verification import measurements as module
from synthesis.verification.measurements import EndState, Measurements
from synthesis.verification.reference_run import play
from synthesis.verification.row_edits import RowEdit, RowEditor
from synthesis.verification.verifier_habits import Habits
from synthesis.worlds.limits import Limits
from synthesis.worlds.world import World

TASK = "move_cardiology_follow_up"
"""A write task of the clinic."""


def with_verifier(clinic, source):
    others = tuple(one for one in clinic.verifiers.verifiers if one.task_id != TASK)
    verifiers = clinic.verifiers.replace(verifiers=(*others, Verifier(task_id=TASK, source=source)))
    return clinic.replace(verifiers=verifiers)


@pytest.fixture(scope="module")
def states(clinic_world):
    """Six states of the clinic: each with another name of the first of its staff."""
    with RowEditor(clinic_world) as row_editor:
        return [
            row_editor.edited(
                clinic_world.base,
                (RowEdit(kind="update", table="staff", key={"id": 1}, values={"name": f"Somebody {n}"}),),
            )
            for n in range(6)
        ]


@pytest.fixture
def jobs(monkeypatch):
    """What was asked of the sandbox: (how, number of ends)."""
    results = []
    one, many = World.verify_code, World.verify_many

    def verify_code(self, *args, **kwargs):
        results.append(("alone", 1))
        return one(self, *args, **kwargs)

    def verify_many(self, ends):
        results.append(("together", len(ends)))
        return many(self, ends)

    monkeypatch.setattr(World, "verify_code", verify_code)
    monkeypatch.setattr(World, "verify_many", verify_many)
    return results


def measured(world, states, answers=("done",)):
    task = world.environment.task(TASK)
    end_states = [EndState(task, state, answer) for state in states for answer in answers]
    together, apart = Measurements(lambda: world), Measurements(lambda: world)
    together.take(end_states)
    return [together.of(end) for end in end_states], [apart.of(end) for end in end_states]


def says(found):
    return [(one.outcomes, one.error) for one in found]


def test_ends_that_share_a_process_come_to_what_they_come_to_alone(clinic_world, states, jobs):
    task = clinic_world.environment.task(TASK)
    _, right, _ = play(clinic_world, task.reference_solution)
    together, apart = measured(clinic_world, [*states, right], (task.reference_answer,))
    assert says(together) == says(apart)
    assert [one.completed for one in together] == [False] * 6 + [True]
    assert jobs[:2] == [("together", 7), ("alone", 1)]


def test_an_end_is_measured_once(clinic_world, states, jobs):
    task = clinic_world.environment.task(TASK)
    taken = Measurements(lambda: clinic_world)
    end_states = [EndState(task, state, "done") for state in states]
    taken.take([*end_states, *end_states])
    count = len(jobs)
    taken.take(end_states)
    assert len([taken.of(end) for end in end_states]) == 6
    assert len(jobs) == count
    assert jobs[0] == ("together", 6)


def test_code_that_does_not_read_the_answer_is_run_once_for_all_answers(clinic, states, jobs):
    source = "def verify(before, after, changes, answer):\n    yield check('one', len(changes) == 1)\n"
    with World(with_verifier(clinic, source)) as world:
        measured_ones, _ = measured(world, states[:1], ("yes", "no", "maybe", "perhaps", "never"))
    assert all(one.outcomes[0].passed for one in measured_ones)
    assert jobs[0] == ("alone", 1)
    assert len(jobs) == 2, "once together, once in the fresh measurements"


def test_a_verifier_that_shows_that_it_remembers_is_measured_apart(clinic, states, jobs):
    source = (
        "def verify(before, after, changes, answer):\n"
        "    first = not hasattr(check, 'seen')\n"
        "    check.seen = True\n"
        "    yield check('first', first)\n"
    )
    with World(with_verifier(clinic, source)) as world:
        together, apart = measured(world, states)
    assert says(together) == says(apart)
    assert all(one.outcomes[0].passed for one in together)
    assert {how for how, _ in jobs} == {"alone"}


def test_a_verifier_that_remembers_secretly_is_found_out_by_the_end_with_the_longest_past(
    clinic, states, jobs, monkeypatch
):
    monkeypatch.setattr(module, "habits_of", lambda source: Habits(reads_answer=True, may_remember=False))
    source = (
        "def verify(before, after, changes, answer):\n"
        "    first = not hasattr(check, 'seen')\n"
        "    check.seen = True\n"
        "    yield check('first', first)\n"
    )
    with World(with_verifier(clinic, source)) as world:
        together, apart = measured(world, states)
    assert jobs[0] == ("together", 6), "its source shows nothing"
    assert says(together) == says(apart)
    assert all(one.outcomes[0].passed for one in together)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("yield check('x', 1 / 0)", "ZeroDivisionError"),
        ("yield check('x', changes[0] == 1 / len(list(changes.updated)[1:]))", "TypeError"),
        ("while True: pass", "took longer"),
        ("return []", "made no check"),
    ],
)
def test_a_verifier_that_fails_says_the_same_as_alone(clinic, states, monkeypatch, body, error):
    monkeypatch.setattr(module, "FEWEST_TOGETHER", 2)
    source = f"def verify(before, after, changes, answer):\n    {body}\n"
    limits = Limits(verify_seconds=0.3)
    with World(with_verifier(clinic, source), limits=limits) as world:
        together, apart = measured(world, states[:2])
    assert says(together) == says(apart)
    assert all(error in one.error for one in together)


def test_an_end_of_which_alone_it_gives_up_costs_no_other_its_outcome(clinic, states):
    source = (
        "def verify(before, after, changes, answer):\n"
        "    name = after.one('SELECT name FROM staff WHERE id = 1')['name']\n"
        "    if name == 'Somebody 2':\n"
        "        raise ValueError('not this one')\n"
        "    yield check('fine', name == 'Somebody 3')\n"
    )
    with World(with_verifier(clinic, source)) as world:
        together, apart = measured(world, states)
    assert says(together) == says(apart)
    assert [bool(one.error) for one in together] == [n == 2 for n in range(6)]
    assert [not one.error and one.outcomes[0].passed for one in together] == [n == 3 for n in range(6)]


def test_ends_of_several_tasks_share_a_process_and_come_to_what_they_come_to_alone(clinic_world, jobs):
    tasks = clinic_world.environment.tasks.tasks[:6]
    together, apart = Measurements(lambda: clinic_world), Measurements(lambda: clinic_world)
    end_states = [EndState(task, clinic_world.base, "") for task in tasks]
    together.take(end_states)
    assert jobs == [("together", 6), ("alone", 1)]
    assert says(map(together.of, end_states)) == says(map(apart.of, end_states))
    assert len({one.outcomes[0].name for one in map(together.of, end_states)}) > 3


def test_a_verifier_that_hangs_costs_the_others_of_its_process_nothing_and_is_asked_no_more(clinic, states):
    source = "def verify(before, after, changes, answer):\n    while True: pass\n"
    limits = Limits(verify_seconds=0.3)
    with World(with_verifier(clinic, source), limits=limits) as world:
        taken, others = Measurements(lambda: world), [t for t in clinic.tasks.tasks if t.id != TASK][:3]
        end_states = [EndState(world.environment.task(TASK), state, "done") for state in states]
        end_states += [EndState(task, world.base, "") for task in others]
        taken.take(end_states)
        errors = [taken.of(end).error for end in end_states]
    assert all("too long" in error or "took longer" in error for error in errors[:6])
    assert sum("in a row" in error or "not asked again" in error for error in errors) >= 2
    assert errors[6:] == [""] * 3


def test_a_shared_process_that_is_not_believed_is_split_by_task(clinic_world, states, jobs, monkeypatch):
    tasks = clinic_world.environment.tasks.tasks[:2]
    shared = World.verify_many

    def verify_many(self, ends):
        if len({task for task, _, _ in ends}) > 1:
            jobs.append(("failed", len(ends)))
            raise SandboxError("the process died")
        return shared(self, ends)

    monkeypatch.setattr(World, "verify_many", verify_many)
    taken = Measurements(lambda: clinic_world)
    taken.take([EndState(task, state, "") for task in tasks for state in states[:4]])
    assert jobs == [("failed", 8), ("together", 4), ("alone", 1), ("together", 4), ("alone", 1)]


def test_few_ends_of_several_tasks_are_measured_alone(clinic_world, jobs):
    tasks = clinic_world.environment.tasks.tasks[:3]
    Measurements(lambda: clinic_world).take([EndState(task, clinic_world.base, "") for task in tasks])
    assert jobs == [("alone", 1)] * 3


def test_code_that_hands_back_no_check_is_an_error_of_its_verifier(clinic_world, monkeypatch):
    monkeypatch.setattr(World, "verify_code", lambda *_, **__: ())
    end = EndState(clinic_world.environment.task(TASK), clinic_world.base, "done")
    assert "made no check" in Measurements(lambda: clinic_world).of(end).error
