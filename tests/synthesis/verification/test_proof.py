from collections import Counter

import pytest

from synthesis.verification.proof import MOST_PER_KIND, near_misses
from synthesis.verification.reference_run import run_reference


@pytest.fixture(scope="module")
def late(clinic_world, clinic):
    return run_reference(clinic_world, clinic.task("cancel_late_and_waive_fee"))


def test_a_changing_task_gets_every_kind_of_near_miss(clinic, late):
    kinds = Counter(mutant.kind for mutant in near_misses(clinic, late))
    assert set(kinds) == {"other_row", "wrong_value", "twice", "partial", "reverted", "collateral"}
    assert sum(kinds.values()) >= 8
    assert max(kinds.values()) <= MOST_PER_KIND


def test_what_depends_on_the_time_is_no_mistake(late):
    assert late.volatile == {("appointments", "cancelled_at"), ("messages", "sent_at")}


def test_no_near_miss_asks_for_a_moment_or_for_who_acted(clinic, late):
    for mutant in near_misses(clinic, late):
        if mutant.kind in ("wrong_value", "other_row"):
            columns = {column for edits in mutant.variants for edit in edits for column in edit.values}
            assert not columns & {"sent_at", "sent_by"}, mutant.description


def test_a_question_gets_damages_alone(clinic, clinic_world):
    run = run_reference(clinic_world, clinic.task("read_total_owed"))
    mutants = list(near_misses(clinic, run))
    assert {mutant.kind for mutant in mutants} == {"collateral"}
    assert {mutant.start for mutant in mutants} == {"before"}
    assert len(mutants) >= 4


def test_descriptions_are_unique_so_that_each_can_be_named(clinic, late):
    descriptions = [mutant.description for mutant in near_misses(clinic, late)]
    assert len(descriptions) == len(set(descriptions))
