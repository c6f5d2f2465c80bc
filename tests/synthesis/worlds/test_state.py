"""The hash of a state covers every value with its type, in an order that is always the same."""

from __future__ import annotations

import hashlib
from datetime import datetime

import pytest

from synthesis.documents.environment import Environment
from synthesis.worlds.tables import shapes
from synthesis.worlds.worker.call_context import CallContext
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.state import compare, read, state_hash
from synthesis.worlds.world import Isolation, World


def database(*statements: str) -> GuardedConnection:
    connection = GuardedConnection(CallContext(datetime(2026, 3, 11)), access="build")
    for statement in statements:
        connection.execute(statement)
    return connection


def hashed(*values: str) -> str:
    connection = database(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v)", *(f"INSERT INTO t (v) VALUES ({v})" for v in values)
    )
    return state_hash(connection, shapes(connection))


def test_the_recipe_is_as_documented() -> None:
    text = '["t",["id","v"],[[1,"\\u00fc"],[2,null],[3,1],[4,1.0],[5,{"blob":"31"}]]]\n'
    assert hashed("'ü'", "NULL", "1", "1.0", "x'31'") == hashlib.sha256(text.encode()).hexdigest()


def test_values_of_different_types_differ() -> None:
    values = ["1", "1.0", "'1'", "x'31'", "NULL", "''", "0", "'null'", "9e999", "-9e999", "0.1", "'ü'"]
    assert len({hashed(value) for value in values}) == len(values)


def test_the_order_of_inserts_and_free_pages_do_not_matter() -> None:
    one = database(
        "CREATE TABLE t (a TEXT NOT NULL, b INT NOT NULL, PRIMARY KEY (a, b))",
        "INSERT INTO t VALUES ('x', 1), ('x', 2), ('y', 0)",
    )
    other = database(
        "CREATE TABLE t (a TEXT NOT NULL, b INT NOT NULL, PRIMARY KEY (a, b))",
        "INSERT INTO t VALUES ('z', 9), ('y', 0), ('x', 2), ('x', 1)",
        "DELETE FROM t WHERE a = 'z'",
    )
    assert one.image() != other.image()
    assert state_hash(one, shapes(one)) == state_hash(other, shapes(other))
    assert compare(one, other, shapes(one)) == []


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ("INSERT INTO t VALUES (3, 'c')", ["inserted"]),
        ("DELETE FROM t WHERE id = 1", ["deleted"]),
        ("UPDATE t SET v = 'z' WHERE id = 1", ["updated"]),
        ("UPDATE t SET id = 9 WHERE id = 1", ["deleted", "inserted"]),
        ("UPDATE t SET v = 1 WHERE id = 2", ["updated"]),
        ("UPDATE t SET v = v", []),
    ],
)
def test_a_comparison_finds_each_changed_row(change: str, kinds: list[str]) -> None:
    rows = ("CREATE TABLE t (id INTEGER PRIMARY KEY, v)", "INSERT INTO t VALUES (1, 'a'), (2, 1.0)")
    before, after = database(*rows), database(*rows, change)
    tables = shapes(before)
    results = compare(before, after, tables)
    assert [row["kind"] for row in results] == kinds
    assert compare(read(before, tables), after, tables) == results


def test_rows_without_a_key_come_and_go() -> None:
    rows = ("CREATE TABLE t (v)", "INSERT INTO t VALUES (1), (1), (2)")
    before, after = (
        database(*rows),
        database(*rows, "DELETE FROM t WHERE rowid = 1", "INSERT INTO t VALUES ('x')"),
    )
    assert [(row["kind"], row["key"]) for row in compare(before, after, shapes(before))] == [
        ("deleted", [1]),
        ("inserted", ["x"]),
    ]


@pytest.mark.parametrize("isolation", ["process", "shared"])
@pytest.mark.parametrize("hashed", [False, True])
def test_the_hash_of_a_live_instance_is_that_of_its_whole_state_after_every_call(
    clinic: Environment, isolation: Isolation, hashed: bool
) -> None:
    """It reads written tables only; the image knows nothing of that."""
    with World(clinic, isolation=isolation) as world, world.instance(seed=1) as instance:
        for task in clinic.tasks.tasks:
            for call in task.reference_solution:
                instance.call(call.name, call.arguments, hashed=hashed)
                message = instance.state_hash()
                snapshot = instance.snapshot()
                image = GuardedConnection(CallContext(snapshot.clock), access="read", image=snapshot.image)
                assert message == instance.state_hash() == snapshot.hash == state_hash(image, shapes(image))
                image.close()
        instance.restore(world.base)
        assert instance.state_hash() == world.base.hash
        instance.restore(snapshot)
        assert instance.state_hash() == snapshot.hash
        instance.reset()
        assert instance.state_hash() == world.base.hash


def test_a_hash_that_came_with_a_call_does_not_outlive_the_state_it_was_made_of(clinic: Environment) -> None:
    writes = [
        call for task in clinic.tasks.tasks if task.kind == "write" for call in task.reference_solution[-1:]
    ]
    with World(clinic) as world, world.instance(seed=1) as instance:
        begun = instance.snapshot()

        def hashed() -> str:
            results = [instance.call(call.name, call.arguments, hashed=True) for call in writes]
            assert results[-1].changes
            return instance.state_hash()

        first = hashed()
        instance.restore(begun)
        assert instance.state_hash() == begun.hash != first
        assert hashed() == first
        instance.reset()
        assert instance.state_hash() == begun.hash
        assert hashed() == first
        assert instance.call(writes[0].name, {"no": "such"}, hashed=True).status == "invalid_arguments"
        assert instance.state_hash() == first
        instance.reset()
        instance.call(writes[0].name, writes[0].arguments, hashed=True)
        instance.call_many([*writes[1:], *writes[1:]])
        assert instance.state_hash() == instance.snapshot().hash
