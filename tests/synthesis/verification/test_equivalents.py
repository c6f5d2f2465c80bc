from collections import Counter

from synthesis.verification.equivalents import canonical, equivalents
from synthesis.verification.reference_run import play, run_reference
from synthesis.verification.replayer import Replayer


def test_it_finds_equivalent_solutions(clinic_world, clinic):
    run = run_reference(clinic_world, clinic.task("empty_a_leaking_room"))
    with Replayer(clinic_world) as replayer:
        kinds = Counter(other.kind for other in equivalents(clinic_world, run, replayer))
    assert kinds == {"other_words": 1, "later": 1, "looked_twice": 1, "other_order": 2}


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
