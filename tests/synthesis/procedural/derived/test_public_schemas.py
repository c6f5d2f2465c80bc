"""Public schemas that were not made here become environments; the suite `derivation` proves all of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from synthesis.intake import read
from synthesis.procedural.derived.data_model import read_data_model
from synthesis.procedural.derived.derive import derive
from synthesis.procedural.derived.field_values import FieldValues
from synthesis.verification.checks import check_environment
from tests.synthesis.procedural.derived.schemas import CLOCK

FOLDER = Path(__file__).parents[3] / "data" / "schemas"
NAMES = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
PROVED = ("chinook", "quartz")
"""Those that are small enough to prove in a test."""
WRITTEN = {
    "northwind": (13, {"Orders", "Employees", "CustomerCustomerDemo"}),
    "sakila": (16, {"rental", "staff", "store"}),
    "redmine": (18, {"issues", "time_entries", "members"}),
}
"""Those written from their published structure: how many tables, and some that others refer to or join."""


def _source(name):
    return read(str(FOLDER / name / f"{name}.sql"))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*PROVED, *WRITTEN)])
def test_a_public_schema_gets_at_least_ten_tasks(name):
    environment = derive(_source(name), seed=1)
    assert len(environment.tasks.tasks) >= 10
    assert len({task.instruction for task in environment.tasks.tasks}) == len(environment.tasks.tasks)
    assert {"read", "write", "mixed"} <= {task.kind for task in environment.tasks.tasks}
    assert environment.schema.sql == _source(name).schema.sql


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.slow
def test_a_public_schema_is_proved_and_comes_out_the_same_again(name):
    environment = derive(_source(name), seed=1)
    assert len(environment.tasks.tasks) >= 10
    report = check_environment(environment)
    assert [(r.claim, [f.message for f in r.findings]) for r in report.results if not r.passed] == []
    assert derive(_source(name), seed=1).fingerprint == environment.fingerprint


def test_a_number_that_a_library_counts_by_itself_is_held_against_its_value_and_no_clock():
    environment = derive(_source("redmine"), seed=35, fewer_tasks=True)
    added = [
        verifier
        for verifier in environment.verifiers.verifiers
        if 'row["lock_version"]' in verifier.source and "new_issue" in verifier.source
    ]
    assert added
    assert not any('_in_time(row["lock_version"])' in verifier.source for verifier in added)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_schema_written_from_its_structure_is_read_into_a_model(name):
    count, some = WRITTEN[name]
    source = _source(name)
    model = read_data_model(source.schema)
    assert len(source.schema.tables) == count
    assert some <= set(model.relations)
    assert all(model.relations[table].foreign_keys for table in some)
    nouns = [relation.noun for relation in model.relations.values()]
    assert not [noun for noun in nouns if len(set(noun.split())) < len(noun.split())], "no word twice"


def test_flags_and_titles_that_are_texts_get_values_of_their_own():
    model = read_data_model(_source("northwind").schema)
    values = FieldValues(CLOCK, random.Random(2))

    def drawn(table: str, column: str) -> set[object]:
        relation = model.relations[table]
        return {values.draw(relation, relation.field(column), {}) for _ in range(20)}

    assert drawn("Products", "Discontinued") == {"0", "1"}
    assert drawn("Employees", "TitleOfCourtesy") <= {"Ms", "Mr", "Mx", "Dr", "Prof"}
    titles = drawn("Employees", "Title") | drawn("Suppliers", "ContactTitle")
    assert {"Bookkeeper", "Director"} <= titles
    assert not any(first in " ".join(map(str, titles)) for first in values.words["first_names"])


@pytest.mark.at_length
@pytest.mark.parametrize("name", WRITTEN)
def test_a_schema_written_from_its_structure_is_proved(name):
    environment = derive(_source(name), seed=1)
    report = check_environment(environment)
    assert [(r.claim, [f.message for f in r.findings]) for r in report.results if not r.passed] == []
    assert len(environment.tasks.tasks) >= 10


def test_there_are_thirteen_of_them():
    assert len(NAMES) >= 13
