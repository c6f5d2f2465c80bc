"""Derive: odd schemas become proved environments, or the way out is named."""

from __future__ import annotations

from collections import Counter

import pytest

from synthesis.errors import InvalidInput
from synthesis.procedural.derived.derive import derivation_findings, derive
from synthesis.verification.checks import check_environment
from synthesis.worlds.database import read_schema
from tests.synthesis.procedural.derived.schemas import COMPOSITE_KEYS, NUMBERS_ONLY, ODD, SHOP, handed


@pytest.mark.parametrize("name", sorted(ODD))
def test_an_odd_schema_becomes_an_environment_of_which_every_claim_holds(name):
    environment = derive(handed(ODD[name]), seed=1)
    report = check_environment(environment)
    assert [(r.claim, [f.message for f in r.findings]) for r in report.results if not r.passed] == []
    assert len(environment.tasks.tasks) == 10


def test_a_shop_has_tasks_of_every_kind_and_depth(shop):
    assert check_environment(shop).passed
    kinds = Counter(task.kind for task in shop.tasks.tasks)
    assert set(kinds) == {"read", "write", "mixed", "refuse"}
    assert min(task.depth for task in shop.tasks.tasks) <= 1
    assert max(task.depth for task in shop.tasks.tasks) >= 5
    assert max(len(task.reference_solution) for task in shop.tasks.tasks) <= 20


def test_the_ddl_is_written_unchanged(shop):
    assert shop.schema.sql == SHOP


def test_the_same_schema_and_seed_give_the_same_bytes(shop):
    assert derive(handed(SHOP), seed=1).fingerprint == shop.fingerprint


def test_another_seed_gives_other_rows_and_tasks(shop):
    other = derive(handed(SHOP), seed=2)
    assert other.seed_data.fingerprint != shop.seed_data.fingerprint
    assert other.tasks.fingerprint != shop.tasks.fingerprint


def test_no_instruction_says_the_key_of_a_row(shop):
    for task in shop.tasks.tasks:
        for call in task.reference_solution:
            for name, value in call.arguments.items():
                if name.endswith("_id") and isinstance(value, int):
                    assert str(value) not in task.instruction.replace(",", " ").split()


def test_as_many_tasks_as_are_wanted_are_made():
    assert len(derive(handed(SHOP), seed=1, tasks=14).tasks.tasks) == 14


def test_a_schema_of_numbers_alone_is_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match="add a name, title, code, date or amount"):
        derive(handed(NUMBERS_ONLY), seed=1)


def test_a_table_without_a_key_is_named():
    schema = read_schema(COMPOSITE_KEYS)
    bare = schema.tables[0].model_copy(
        update={"columns": tuple(c.model_copy(update={"primary_key": 0}) for c in schema.tables[0].columns)}
    )
    findings = derivation_findings(schema.model_copy(update={"tables": (bare,)}))
    assert [finding.where for finding in findings] == ["building"]
    assert "declare one" in findings[0].message


def test_a_schema_whose_rows_cannot_be_guessed_asks_for_samples():
    source = handed(
        "CREATE TABLE lock (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (hex(name) = '00FF'))"
    )
    with pytest.raises(InvalidInput, match="Provide sample rows"):
        derive(source, seed=1)


def test_texts_that_are_too_long_to_make_are_refused_with_table_and_column():
    sql = (
        "CREATE TABLE parcels (id INTEGER PRIMARY KEY, name TEXT,"
        " code TEXT {} CHECK (length(code) = 2000000000))"
    )
    with pytest.raises(
        InvalidInput, match="Table parcels, column code: its CHECK requires text of at least 2,0"
    ):
        derive(handed(sql.format("NOT NULL")), seed=1)
    assert not derivation_findings(read_schema(sql.format("")))
