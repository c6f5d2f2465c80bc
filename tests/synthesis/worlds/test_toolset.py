# ruff: noqa: E501 - tables of cases read better in one line
"""tools.py becomes typed tools, and what is wrong with it is said before anything runs."""

from __future__ import annotations

import time

import pytest

from synthesis.documents.environment import Environment
from synthesis.documents.verifiers import Verifier
from synthesis.errors import BrokenEnvironment, WorkerDied
from synthesis.worlds import toolset
from synthesis.worlds.toolset import read_toolset, toolset_findings, verifier_findings, verifiers_findings

GOOD = 'def look(db) -> dict:\n    """Look."""\n    return {}\n\n\n'


def first(source: str) -> str:
    return " ".join(finding.message for finding in toolset_findings(source))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "empty"),
        ("def look(db) -> dict:\n    return {\n", "line 2: '{' was never closed"),
        ("import os\n" + GOOD, "Line 1: os cannot be imported; allowed: collections, datetime"),
        ("from os import path\n" + GOOD, "os.path cannot be imported"),
        ("from pydantic import BaseModel\n" + GOOD, "pydantic.BaseModel cannot be imported"),
        ("from . import x\n" + GOOD, "cannot be imported"),
        ("import random\n" + GOOD, "random cannot be imported"),
        (GOOD + "CACHE = {}\n\n\ndef _keep(x):\n    CACHE[x] = 1\n", "CACHE is changed"),
        (GOOD + "SEEN = []\n\n\ndef _keep(x):\n    SEEN.append(x)\n", "SEEN is changed"),
        (GOOD + "N = 0\n\n\ndef _keep():\n    global N\n    N += 1\n", "global N"),
        (GOOD + "class Box:\n    n = 0\n\n\ndef _keep():\n    Box.n = 1\n", "Box is changed"),
        (GOOD + "def _keep(x, seen=[]):\n    return seen\n", "a default that can change"),
        (GOOD + "LINES = open('/etc/passwd').read()\n", "open is not available"),
        (GOOD + "X = (n for n in range(3))\n", "only constants"),
        (GOOD + "for n in range(3):\n    pass\n", "For at module level"),
        (GOOD + "def _x():\n    return ().__class__.__bases__\n", ".__class__"),
        (GOOD + "def _x():\n    return eval('1')\n", "eval is not available"),
        ("from datetime import datetime\n" + GOOD + "def _x():\n    return datetime.now()\n", "use db.now()"),
        ("import datetime\n" + GOOD + "def _x():\n    return datetime.date.today()\n", "use db.now()"),
        (GOOD + GOOD, "defined twice"),
        ("async " + GOOD, "is async"),
        ('def look(db) -> dict:\n    """Look."""\n    yield {}\n', "is a generator"),
        ('def look() -> dict:\n    """Look."""\n', "must take db as its first parameter"),
        ('def look(conn) -> dict:\n    """Look."""\n', "must take db as its first parameter"),
        ('def look(db, *, a) -> dict:\n    """Look.\n\n    Args:\n        a: A.\n    """\n', "no type for parameter a"),
        ('def look(db, **a: int) -> dict:\n    """Look."""\n', "*args or **kwargs"),
        ('def look(db):\n    """Look."""\n', "gives no return type"),
        ("def look(db) -> dict:\n    return {}\n", "has no docstring"),
        ('def look(db, a: int) -> dict:\n    """Look."""\n', "does not describe parameter a under Args:"),
        ('def look(db) -> dict:\n    """Look.\n\n    Args:\n        b: B.\n    """\n', "documents b, which is no parameter"),
        ('def look(db, a: Nothing) -> dict:\n    """Look.\n\n    Args:\n        a: A.\n    """\n', "name 'Nothing' is not defined (line 1)"),
        ('def look(db, a: bytes) -> dict:\n    """Look.\n\n    Args:\n        a: A.\n    """\n', "not supported (format)"),
        ("def _x():\n    pass\n", "declares no tool"),
        (GOOD + "X = 1 / 0\n", "ZeroDivisionError"),
    ],
)  # fmt: skip
def test_what_a_tools_module_must_not_do_is_named(source: str, says: str) -> None:
    assert says in first(source)
    with pytest.raises(BrokenEnvironment) as raised:
        read_toolset(source)
    assert raised.value.part == "tools"


def test_the_golden_tools_have_no_finding(clinic: Environment) -> None:
    assert toolset_findings(clinic.tools.source) == ()


def test_the_golden_verifiers_have_no_finding(clinic: Environment) -> None:
    for verifier in clinic.verifiers.verifiers:
        assert verifier_findings(verifier.source, verifier.task_id) == ()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def verify(before, after, changes, answer:\n", "line 1"),
        ("def verify(before, after):\n    pass\n", "must define verify(before, after, changes, answer)"),
        (
            "import socket\n\n\ndef verify(before, after, changes, answer):\n    pass\n",
            "socket.* cannot be imported",
        ),
    ],
)
def test_what_is_wrong_with_a_verifier_is_named(source: str, says: str) -> None:
    messages = " ".join(finding.message for finding in verifier_findings(source, "x"))
    assert says.replace(".*", "") in messages


def test_a_module_that_loops_while_it_loads_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from synthesis.worlds.limits import Limits

    source = GOOD + "X = sum([n for n in range(10**12)])\n"
    began = time.monotonic()
    compiled = toolset.compile_tools(source, limits=Limits(build_seconds=0.3, grace_seconds=1))
    assert time.monotonic() - began < 4
    assert "OutOfTime" in " ".join(finding.message for finding in compiled.findings)


def test_writing_is_found_through_helpers_and_sql() -> None:
    source = '''
SQL = "UPDATE t SET a = 1"


def reads(db) -> dict:
    """Update nothing, delete from nothing."""
    items = []
    items.insert(0, _page(db))
    return {"items": items}


def through_a_helper(db) -> dict:
    """Write."""
    return _outer(db)


def by_query(db) -> dict:
    """Write."""
    return db.one("DELETE FROM t RETURNING id")


def by_constant(db) -> dict:
    """Write."""
    return {"n": db.query(SQL)}


def by_alias(db) -> dict:
    """Write."""
    store = db
    return {"n": store.insert("t", a=1)}


def by_method(db) -> dict:
    """Write."""
    run = db.execute
    return {"n": run("x")}


def _page(db):
    return db.query("SELECT 1")


def _outer(db):
    return _inner(db)


def _inner(handle):
    return handle.execute("x")
'''
    tools = {tool.name: tool.mutates_state for tool in read_toolset(source).tools}
    assert tools == {
        "reads": False, "through_a_helper": True, "by_query": True, "by_constant": True, "by_alias": True, "by_method": True,
    }  # fmt: skip


def test_a_typed_dict_describes_arguments_and_results() -> None:
    source = '''
from typing import Annotated, TypedDict

from pydantic import Field


class Line(TypedDict):
    item: str
    amount: Annotated[int, Field(ge=1)]


def order(db, lines: list[Line]) -> Line:
    """Order.

    Args:
        lines: What.
    """
    return lines[0]
'''
    (tool,) = read_toolset(source).tools
    line = {
        "type": "object",
        "properties": {"item": {"type": "string"}, "amount": {"type": "integer", "minimum": 1}},
        "required": ["item", "amount"],
    }
    assert tool.output_schema == line
    assert tool.input_schema["properties"] == {
        "lines": {"type": "array", "items": line, "description": "What."}
    }


def test_several_verifiers_are_told_the_same_together_as_one_by_one(
    clinic: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = clinic.verifiers.verifiers[0]
    broken = (
        sound,
        Verifier(task_id="no_syntax", source="def verify(before, after, changes, answer):\n  yield ("),
        Verifier(task_id="not_allowed", source="import socket\n" + sound.source),
    )
    alone = tuple(found for one in broken for found in verifier_findings(one.source, one.task_id))
    assert {finding.where for finding in alone} == {"no_syntax", "not_allowed"}
    assert verifiers_findings(broken) == alone

    def lost(*_: object, **__: object) -> None:
        raise WorkerDied("It is gone.")

    monkeypatch.setattr(toolset, "run_jobs", lost)
    assert verifiers_findings(broken) == alone
