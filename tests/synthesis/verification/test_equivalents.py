from collections import Counter

from benchmarks.planted_task_faults import TASK_FAULTS
from synthesis.documents.verifiers import Verifier
from synthesis.verification.checks import CHECKS
from synthesis.verification.equivalents import _bounds, canonical, equivalents
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.reference_run import play, run_reference
from synthesis.verification.renumbering import renumbered
from synthesis.verification.replayer import Replayer
from synthesis.verification.row_edits import RowEditor


def test_it_finds_equivalent_solutions(clinic_world, clinic):
    run = run_reference(clinic_world, clinic.task("empty_a_leaking_room"))
    with Replayer(clinic_world) as replayer, RowEditor(clinic_world) as editor:
        kinds = Counter(other.kind for other in equivalents(clinic_world, run, replayer, editor))
    assert kinds == {"other_words": 1, "later": 1, "looked_twice": 1, "other_order": 3}


def test_another_end_is_not_equivalent(clinic_world, clinic):
    run = run_reference(clinic_world, clinic.task("cancel_late_and_waive_fee"))
    _, _, short = play(clinic_world, run.task.reference_solution[:-1])
    whole = canonical(run.changes, clinic.schema, run.volatile)
    assert canonical(short, clinic.schema, run.volatile) != whole


def test_moments_and_new_keys_make_no_difference(clinic_world, clinic):
    run = run_reference(clinic_world, clinic.task("hand_freed_slot_to_waiting_list"))
    calls = list(run.task.reference_solution)
    calls.insert(0, calls[0])
    _, _, late = play(clinic_world, calls, delay=30)
    assert late != run.changes
    assert canonical(late, clinic.schema, run.volatile) == canonical(run.changes, clinic.schema, run.volatile)


def found(clinic_world, run, kind):
    with Replayer(clinic_world) as replayer, RowEditor(clinic_world) as editor:
        return [other for other in equivalents(clinic_world, run, replayer, editor) if other.kind == kind]


def test_new_rows_may_have_other_numbers_unless_the_number_is_told(clinic_world, clinic):
    run = run_reference(clinic_world, clinic.task("hand_freed_slot_to_waiting_list"))
    (new,) = {
        change.table: change.key for change in run.changes.inserted if change.table == "appointments"
    }.values()
    other_numbers = renumbered(run.changes, clinic.schema, "nothing is told")[0]
    inserted = [edit for edit in other_numbers if edit.kind == "insert"]
    by_table = {edit.table: edit.values for edit in inserted}
    assert by_table["appointments"]["id"] > new
    pointing = [edit.values for edit in inserted if edit.table == "messages"]
    assert by_table["appointments"]["id"] in {values["appointment_id"] for values in pointing}
    assert renumbered(run.changes, clinic.schema, f"It is appointment {new}.") == ()


def test_a_verifier_that_demands_a_number_the_system_gives_is_named(clinic):
    task = "hand_freed_slot_to_waiting_list"
    source = clinic.verifier(task).source
    stated = source.replace(
        "    yield check(",
        "    there = after.one('SELECT id FROM appointments WHERE id = 26') is not None\n"
        "    yield check('the new one is there', there)\n    yield check(",
        1,
    )
    with ProofContext(clinic) as context:
        run = context.reference(clinic.task(task))
        number = next(change.key for change in run.changes.inserted if change.table == "appointments")
    verifiers = clinic.verifiers.replace(
        verifiers=(Verifier(task_id=task, source=stated.replace("= 26", f"= {number}")),)
    )
    tasks = clinic.tasks.replace(tasks=(clinic.task(task),))
    with ProofContext(clinic.replace(tasks=tasks, verifiers=verifiers)) as context:
        result = CHECKS["equivalent_solutions_are_accepted"](context)
    assert not result.passed
    assert any("not by the number that the system gives" in each.message for each in result.findings)


def test_bounds_are_read_from_the_words_of_an_instruction():
    assert list(_bounds("Order at least 3 boxes, no more than 5 crates and 7 tins or more.")) == [
        (3, 1),
        (7, 1),
        (5, -1),
    ]
    assert list(_bounds("Order 3 boxes on 4 May.")) == []


def test_a_number_within_its_bound_is_right_as_well(clinic_world, clinic):
    task = clinic.task("check_in_and_take_payment")
    amount = next(
        call.arguments["amount_cents"] for call in task.reference_solution if "amount_cents" in call.arguments
    )
    asked = task.replace(instruction=f"Take at most {amount} cents.")
    (other,) = found(clinic_world, run_reference(clinic_world, asked), "bound")
    assert not other.certain
    assert any(call.arguments.get("amount_cents") == amount - 1 for call in other.calls)


def test_a_reference_that_is_not_declared_follows_its_row_to_the_other_number(clinic):
    fault = next(one for one in TASK_FAULTS if one.name == "a reference that is not declared")
    with ProofContext(fault.plant(clinic)) as context:
        assert CHECKS["equivalent_solutions_are_accepted"](context).passed
