"""Verifiers are held against all near-misses in one process, and what they hide there is found."""

import pytest

from synthesis.documents.verifiers import Verifier
from synthesis.verification.checks import CHECKS
from synthesis.verification.near_miss_trials import _cause, _plain, disagreement
from synthesis.verification.near_misses import NearMiss
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.row_edits import RowEdit
from synthesis.verification.strength import strength_of
from synthesis.verification.verifier_habits import habits_of
from synthesis.worlds.verifier_trial import Rejection

TASK = "move_cardiology_follow_up"


def context_with(clinic, source, task=TASK):
    """A proof of the clinic with one task, whose verifier is another one."""
    tasks = clinic.tasks.replace(tasks=(clinic.task(task),))
    verifiers = clinic.verifiers.replace(verifiers=(Verifier(task_id=task, source=source),))
    return ProofContext(clinic.replace(tasks=tasks, verifiers=verifiers))


def changed_verifier(clinic, old, new):
    source = clinic.verifier(TASK).source
    assert old in source
    return source.replace(old, new)


def near_misses(context):
    return CHECKS["near_misses_are_refused"](context)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('template="moved", ', "", "messages"),
        ('== {"status": "booked"}', "!= {}", "slots 29"),
        ('("slots", 19), ("slots", 29)', '("slots",)', "slots"),
        ('("slots", 29), *told', '("slots", 29), ("rooms",), *told', "rooms"),
    ],
)
def test_a_hole_is_found_and_named(clinic, old, new, said):
    with context_with(clinic, changed_verifier(clinic, old, new)) as context:
        result = near_misses(context)
    assert not result.passed
    assert {finding.part for finding in result.findings} == {"verifiers"}
    assert any(said in finding.message for finding in result.findings)


def test_one_hole_is_reported_once_however_many_values_it_lets_through(clinic):
    source = changed_verifier(clinic, "_holds(messages, patient_id=1, ", "_holds(messages, ")
    with context_with(clinic, source) as context:
        result = near_misses(context)
    blamed = [finding.message for finding in result.findings if ".patient_id" in finding.message]
    assert len(blamed) == 1
    assert result.figures["mutants"] - result.figures["refused"] > 1


def test_tools_with_a_slip_lead_to_near_misses(clinic):
    with context_with(clinic, clinic.verifier(TASK).source) as context:
        kinds = {one.kind for one in context.near_misses(clinic.task(TASK))}
        result = near_misses(context)
    assert {"argument", "left_out", "extra_call"} <= kinds
    assert result.passed
    assert any(trial.calls for trial in result.trials)


def test_a_verifier_that_might_remember_is_tried_in_both_orders(clinic):
    source = clinic.verifier(TASK).source + "\n\nclass Notes:\n    seen = 0\n"
    with context_with(clinic, source) as context:
        (trial,) = context.near_miss_trials
        assert (trial.inconsistent, trial.error) == ("", "")
        assert near_misses(context).passed


def test_two_orders_that_disagree_name_the_near_miss():
    near_miss = NearMiss("twice", "a row is there twice", ())
    one, other = Rejection(open=("a",)), Rejection(open=("b",))
    assert disagreement([near_miss], [one], [other]) == "a row is there twice"
    assert disagreement([near_miss], [one], [one]) == ""
    assert disagreement([near_miss], [None], [None]) == ""
    assert disagreement([near_miss], [None], [one]) == "a row is there twice"


@pytest.mark.parametrize(
    ("is_same", "words"),
    [(True, "remembers what it was shown before (line 2, “check.seen”)"), (False, "chance decides")],
)
def test_memory_is_told_from_chance_by_the_same_order_once_more(is_same, words):
    habits = habits_of(
        "def verify(before, after, changes, answer):\n    check.seen = 1\n    yield check('a', True)"
    )
    assert words in _cause(habits, is_same=is_same)


@pytest.mark.slow
def test_a_verifier_that_never_ends_costs_a_bounded_time(clinic):
    source = clinic.verifier(TASK).source.replace(
        "    messages = _added",
        "    count = 'SELECT count(*) AS n FROM rooms'\n"
        "    while after.one(count)['n'] > before.one(count)['n']: pass\n    messages = _added",
        1,
    )
    with context_with(clinic, source) as context:
        result = near_misses(context)
    assert not result.passed
    assert any("out of time" in finding.message for finding in result.findings)


def test_everything_that_the_clinic_demands_is_needed_by_some_near_miss(clinic):
    with context_with(clinic, clinic.verifier(TASK).source) as context:
        strength = strength_of(context.near_miss_trials)
        result = CHECKS["weaker_verifiers_would_be_noticed"](context)
    assert strength.share == 1.0
    assert sum(strength.noticed.values()) >= 40
    assert result.passed
    assert result.figures["strength"] == 1.0
    assert {survivor.reason for survivor in strength.survivors} <= {"check redundant"}


def test_a_check_that_nothing_depends_on_is_named(clinic):
    source = changed_verifier(
        clinic,
        "    told = [",
        "    yield check('the sun rises', after.one('SELECT 1 AS one')['one'] == 1)\n    told = [",
    )
    with context_with(clinic, source) as context:
        result = CHECKS["weaker_verifiers_would_be_noticed"](context)
    (finding,) = result.findings
    assert "“the sun rises”" in finding.message
    assert result.figures["strength"] < 1
    assert "near-miss missing" in {one["reason"] for one in result.figures["survivors"]}


def test_near_misses_that_time_did_not_allow_are_counted_apart_from_calls_left_out(clinic):
    with context_with(clinic, clinic.verifier(TASK).source) as context:
        (trial,) = context.near_miss_trials
        trial.left_out = 2
        result = near_misses(context)
    assert result.figures["not_tried"] == 2
    assert result.figures["left_out"] > 0


def test_a_near_miss_whose_first_variants_are_impossible_is_tried_by_the_others(clinic):
    with context_with(clinic, clinic.verifier(TASK).source) as context:
        near_miss = next(one for one in context.near_misses(clinic.task(TASK)) if one.kind == "collateral")
        impossible = (RowEdit("update", "rooms", {"id": -1}, {"name": "Nowhere"}),)
        late = near_miss._replace(variants=(*[impossible] * 5, *near_miss.variants))
        never = near_miss._replace(variants=(impossible,) * 5)
        context._near_misses[TASK] = (never, late)
        (trial,) = context.near_miss_trials
    assert [tried for tried, _ in trial.tried] == [late]
    assert trial.impossible == [never]


def test_a_verifier_that_is_always_content_is_a_weakening_that_any_near_miss_notices(clinic):
    with context_with(clinic, clinic.verifier(TASK).source) as context:
        (trial,) = context.near_miss_trials
        strength = strength_of([trial])
    assert strength.by_kind()["constant"] == 1.0
    assert strength.counts()["constant"] == 1
    trial.killed = frozenset()
    trial.tried = []
    assert strength_of([trial]).by_kind()["constant"] == 0.0


def test_rows_that_tools_led_to_need_their_foreign_keys_in_order_only_in_the_end(clinic):
    days = {"valid_from": "2026-01-01", "valid_until": "2026-12-31"}
    child = {"patient_id": 1, "insurer_id": 99, "member_number": "N-1", **days}
    edits = (
        RowEdit("insert", "coverages", values=child),
        RowEdit("insert", "insurers", values={"id": 99, "name": "New"}),
    )
    with context_with(clinic, clinic.verifier(TASK).source) as context:
        near_miss = next(one for one in context.near_misses(clinic.task(TASK)) if one.kind == "collateral")
        by_edits = near_miss._replace(variants=(edits,))
        by_tools = by_edits._replace(reached=True)
        in_order = by_edits._replace(variants=(edits[::-1],), reached=True)
        context._near_misses[TASK] = (by_edits, by_tools, in_order)
        (trial,) = context.near_miss_trials
    assert trial.impossible == [by_edits]
    (_, late), (_, at_once) = trial.tried
    assert late.open == at_once.open != ()
    assert {change.table for change in late.changes.changes} == {"coverages", "insurers"}
    assert sorted(map(repr, late.changes.changes)) == sorted(map(repr, at_once.changes.changes))


def test_accepted_near_misses_tell_their_rows_in_one_order_whether_they_were_to_be_shown(clinic):
    accepting = 'def verify(before, after, changes, answer):\n    """Yes."""\n    yield check("yes", True)\n'
    task = clinic.task(TASK)
    with context_with(clinic, accepting) as context:
        near_misses, right = context.near_misses(task)[:120], context.reference(task).after
        told = []
        for shown in (True, False):
            trial = context.world.verifier_trials({TASK: (right, task.reference_answer)}, {})[TASK]
            with trial:
                told.append(trial.attempt([_plain(one, one.variants, shown=shown) for one in near_misses]))
    assert told[0] == told[1]
    rows = [rejection.changes.changes for rejection in told[0] if rejection is not None]
    assert any(len(changes) > len({change.table for change in changes}) for changes in rows)
    assert all(rows)
