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
        (GOOD + "def _keep(x, seen=[]):\n    return seen\n", "a mutable default"),
        (GOOD + "LINES = open('/etc/passwd').read()\n", "open is not available"),
        (GOOD + "X = (n for n in range(3))\n", "only contain constants"),
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
        ('def look(db) -> dict:\n    """Look.\n\n    Args:\n        b: B.\n    """\n', "documents b, which is not a parameter"),
        ('def look(db, a: Nothing) -> dict:\n    """Look.\n\n    Args:\n        a: A.\n    """\n', "name 'Nothing' is not defined (line 1)"),
        ('def look(db, a: bytes) -> dict:\n    """Look.\n\n    Args:\n        a: A.\n    """\n', "not supported (format)"),
        ("def _x():\n    pass\n", "declares no tool"),
        (GOOD + "X = 1 / 0\n", "ZeroDivisionError"),
        ("import json\n" + GOOD + "def _x():\n    return json.codecs.sys.modules\n", "json.codecs is not available"),
        ("import json as j\n" + GOOD + "def _x():\n    return j.codecs\n", "json.codecs is not available"),
        ("import typing\n" + GOOD + "def _x():\n    return typing.sys\n", "typing.sys is not available"),
        ("from typing import sys\n" + GOOD, "typing.sys cannot be imported"),
        ("import collections.abc\n" + GOOD + "def _x():\n    return collections.abc.sys\n", "collections.abc.sys is"),
        ("import string\n" + GOOD + "def _x():\n    return string.Formatter()\n", "string.Formatter is not available"),
        ("from typing import get_type_hints\n" + GOOD, "typing.get_type_hints cannot be imported"),
        (GOOD + "def _x(sys):\n    return sys._getframe(1)\n", "._getframe"),
        (GOOD + "def _x(db):\n    return db._connection\n", "._connection"),
        (GOOD + "class A:\n    _connection = 1\n\n\ndef _x(db):\n    return db._connection\n", "._connection"),
        (GOOD + "def _x(db):\n    match db:\n        case object(_connection=c):\n            return c\n", "._connection"),
        (GOOD + "def _x():\n    return (n for n in ()).gi_frame\n", ".gi_frame"),
        (GOOD + "def _x(e):\n    return e.tb_frame.f_back\n", ".f_back"),
        (GOOD + "class A:\n    for n in range(3):\n        pass\n", "class A may only contain constants and functions"),
        (GOOD + "class A:\n    n = [].append(1)\n", "class A may only contain constants and functions"),
        (GOOD + "class A:\n    import json\n", "class A may only contain constants and functions"),
        (GOOD + "class A(type('B', (), {})):\n    pass\n", "class A computes a base"),
        (GOOD + "class A(metaclass=int):\n    pass\n", "class A has metaclass="),
        (GOOD + "def _d(f):\n    return f\n\n\n@_d\nclass A:\n    pass\n", "class A has a decorator"),
        (GOOD + "def _d(f):\n    return f\n\n\n@_d\ndef _x():\n    pass\n", "_x has a decorator"),
        (GOOD + "def _x(a: [].append(1)):\n    pass\n", "an annotation contains code"),
        (GOOD + "def _x(a: (lambda: 1)()):\n    pass\n", "an annotation contains code"),
        (GOOD + "def _x() -> _x():\n    pass\n", "an annotation contains code"),
        (GOOD + "def _x(a: 'eval(1)'):\n    pass\n", "eval is not available"),
        (GOOD + "def _x(a: list['().__class__']):\n    pass\n", ".__class__"),
        (GOOD + "def _x(a=(1, (lambda: 2)())):\n    pass\n", "a default contains code"),
        (GOOD + "def _x(*, a=(b := 1)):\n    pass\n", "a default contains code"),
        (GOOD + "def split():\n    return 1\n\n\nX = split()\n", "only contain constants"),
        ("from datetime import datetime as d\n" + GOOD + "def _x():\n    return d.now()\n", "use db.now()"),
        ("import datetime as d\n" + GOOD + "def _x():\n    e = d.date\n    f = e\n    return f.today()\n", "use db.now()"),
    ],
)  # fmt: skip
def test_what_a_tools_module_must_not_do_is_named(source: str, says: str) -> None:
    assert says in first(source)
    with pytest.raises(BrokenEnvironment) as raised:
        read_toolset(source)
    assert raised.value.part == "tools"


@pytest.mark.parametrize(
    "source",
    [
        "from collections import Counter\n" + GOOD + "def _x():\n    return Counter.now()\n",
        "import json\n" + GOOD + "def _x():\n    return json.today()\n",
    ],
)
def test_only_a_clock_is_taken_for_one(source: str) -> None:
    assert not any("use db.now()" in finding.message for finding in toolset_findings(source))


@pytest.mark.parametrize("pattern", ["object(real=c)", "Box(_n=c)"])
def test_a_pattern_may_name_what_is_public_or_the_modules_own(pattern: str) -> None:
    box = "class Box:\n    _n = 1\n\n\n"
    match = f"def _x(db):\n    match db:\n        case {pattern}:\n            return c\n"
    assert toolset_findings(GOOD + box + match) == ()


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


def test_examples_of_a_docstring_that_are_json_objects_become_the_schemas() -> None:
    source = (
        'def look(db, booking_id: int) -> dict:\n    """Look.\n\n    Args:\n        booking_id: Which.\n\n'
        '    Examples:\n        {"booking_id": 41}\n        look at the first one\n    """\n    return {}\n'
    )
    (tool,) = read_toolset(source).tools
    assert tool.input_schema["examples"] == [{"booking_id": 41}]
    assert "examples" not in read_toolset(GOOD).tools[0].input_schema


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
    alone = tuple(result for one in broken for result in verifier_findings(one.source, one.task_id))
    assert {finding.where for finding in alone} == {"no_syntax", "not_allowed"}
    assert verifiers_findings(broken) == alone

    def lost(*_: object, **__: object) -> None:
        raise WorkerDied("It is gone.")

    monkeypatch.setattr(toolset, "run_jobs", lost)
    assert verifiers_findings(broken) == alone


def test_what_authors_write_today_is_taken() -> None:
    source = '''
import collections.abc
import datetime
import json
import re
import string
from collections import Counter, namedtuple
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from pydantic import Field

CODE = re.compile(r"^[A-Z]{2}$")
LETTERS = string.ascii_lowercase
CENT = Decimal("0.01")
Pair = namedtuple("Pair", "a b")


class Shown(TypedDict, total=False):
    """A row."""

    id: int
    kind: Literal["open", "eval", "x"]


class Point(NamedTuple):
    x: int
    y: int = 0


class Basket:
    limit = 3

    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    @property
    def size(self) -> int:
        return len(self._rows)

    @staticmethod
    def join(one: 'Basket', other: 'Basket') -> 'Basket':
        return Basket(one._rows + other._rows)


def look(
    db,
    code: Annotated[str, Field(description="open it", pattern=r"^[A-Z]{2}$")] = "AB",
    kind: "Literal['open', 'print'] | None" = None,
) -> Shown:
    """Look.

    Args:
        code: Which.
        kind: Of what kind.
    """
    rows = sorted(db.query("SELECT 1 AS n"), key=lambda row, sign=-1: sign * row["n"])
    day = datetime.datetime.fromisoformat("2026-01-01") + datetime.timedelta(days=1)
    pair = Pair(1, 2)._replace(a=3)._asdict()
    parsed = datetime.datetime.strptime("2026-01-02", "%Y-%m-%d") == day
    size = Basket.join(Basket(rows), Basket([])).size
    wide = isinstance(rows, collections.abc.Sequence) and isinstance(rows, Iterable)
    total = Decimal("1.005").quantize(CENT, rounding=ROUND_HALF_UP)
    told = json.loads(json.dumps({"n": size}))
    return {"id": told["n"] if CODE.match(code) and parsed and wide and pair and total else 0}
'''
    tools = read_toolset(source).tools
    assert [tool.name for tool in tools] == ["look"]
    assert tools[0].input_schema["properties"]["kind"]["anyOf"][0]["enum"] == ["open", "print"]


def test_writing_is_found_through_tables_of_functions_and_classes() -> None:
    source = '''
def _save(db):
    return db.insert("folders", name="a")


def _load(db):
    return db.query("SELECT 1")


class Store:
    def __init__(self, db):
        self._db = db

    def save(self):
        return self._db.insert("folders", name="a")


class Shelf:
    """INSERT INTO nothing."""

    def put(self, rows):
        rows.insert(0, 1)


class Pile:
    def __init__(self, rows):
        self.rows = rows

    def put(self):
        self.rows.insert(0, 1)


ACTIONS = {"save": _save}
READS = {"load": _load}
'''
    calls = {
        "by_table": "ACTIONS['save'](db)",
        "by_class": "Store(db).save()",
        "reads": "READS['load'](db)",
        "shelves": "Shelf().put([])",
        "piles": "Pile([]).put()",
    }
    source += "".join(
        f'\n\ndef {name}(db) -> dict:\n    """Do it."""\n    {body}\n    return {{}}\n'
        for name, body in calls.items()
    )
    details = {tool.name: tool.mutates_state for tool in read_toolset(source).tools}
    assert details == {"by_table": True, "by_class": True, "reads": False, "shelves": False, "piles": False}
