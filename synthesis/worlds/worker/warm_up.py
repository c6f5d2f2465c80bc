"""Warm-up: everything a worker does, done once in the fork server on a toy world of our own.

What Python and SQLite set up at first use, and the code the interpreter has specialised, is then there before
a worker is forked: a verification takes an eighth less time (measured). It is asked over a wire, so that this
is so of what reads requests and writes answers, too. No generated code runs here.
"""

from __future__ import annotations

import ast
import marshal
import socket
from datetime import datetime
from typing import Any

from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.protocol import HEADER, decode, encode
from synthesis.worlds.worker.builder import Builder
from synthesis.worlds.worker.live import WorldBlueprint
from synthesis.worlds.worker.namespace import given_to_tools, run_module
from synthesis.worlds.worker.signature import describe
from synthesis.worlds.worker.tool_source import source_problems, tool_problems, writing_functions
from synthesis.worlds.worker.verification_run import compiled
from synthesis.worlds.worker.worker import Worker, serve

_ROUNDS = 12
"""The interpreter specialises code after it has run eight times."""

_CLOCK = datetime(2026, 1, 1)
_SCHEMA = """
CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT NOT NULL CHECK (t <> ''), at TEXT DEFAULT (datetime('now')));
CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a (id), n INTEGER);
CREATE INDEX b_by_a ON b (a_id);
"""
_ROWS: dict[str, list[dict[str, Any]]] = {"a": [{"id": 1, "t": "x"}], "b": [{"id": 1, "a_id": 1, "n": 1}]}
_TOOLS = '''
def toy(db, key: int, text: str | None = None) -> dict:
    """Toy.

    Args:
        key: K.
        text: T.
    """
    row = db.one("SELECT * FROM b WHERE id = ?", key)
    if row is None:
        raise ToolError("none")
    made = db.insert("b", a_id=1, n=row["n"])
    db.execute("UPDATE b SET n = n + 1 WHERE id = ?", key)
    rows = db.query("SELECT * FROM a JOIN b ON b.a_id = a.id ORDER BY b.id LIMIT 2")
    return {"rows": rows, "now": str(db.now()), "id": made}
'''
_VERIFIER = '''
def verify(before, after, changes, answer):
    """Toy."""
    row = after.one("SELECT * FROM b WHERE id = 1") or {}
    yield check("one", row.get("n") == 2, detail=[row])
    yield check("changed", changed(before, after, "b", 1) == {"n": 2}, detail=changed(before, after, "b", 2))
    yield check("only", changes.only(("b", 1), ("b", 2)), guard=True)
    yield check("answer", amounts(answer) == {100})
    yield check("said", says(answer, 100, type="money_cents") and not declines(answer, "it is late"))
'''


def warm_up() -> None:
    """Build, call, compare, hash and verify a toy world.

    Raises:
        RuntimeError: The toy does not do what it should, so neither would a world.
    """
    builder = Builder(_CLOCK, max_mib=4)
    builder.create(_SCHEMA)
    builder.load(_ROWS, None)
    tree = ast.parse(_TOOLS)
    if builder.problems or source_problems(tree, part="tools") or tool_problems(tree):
        raise RuntimeError("the toy world does not build")
    code = compile(tree, "tools", "exec")
    function = run_module(code, "tools", given_to_tools())["toy"]
    tools = [describe(function, mutates_state="toy" in writing_functions(tree))]
    for _ in range(_ROUNDS):
        outcomes = _play(marshal.dumps(code), tools, builder.image())
        if not all(outcome["passed"] for outcome in outcomes):
            raise RuntimeError(f"the toy world does not play: {outcomes}")


def _play(code: bytes, tools: list[dict[str, Any]], image: bytes) -> list[dict[str, Any]]:
    """The outcomes of an episode: everything is asked over the wire, as the service asks."""
    blueprint = WorldBlueprint(
        code=code, tools=tools, image=image, start=_CLOCK, actor=None, limits=Limits(max_database_mib=4)
    )
    worker = Worker(blueprint)
    _asked(worker, "start", {"seed": 0, "shared": False})
    for number, arguments in enumerate(({"key": 1, "text": "y"}, {"key": 9}, {"key": "x"}, {})):
        _asked(worker, "call", {"number": number, "name": "toy", "arguments": arguments, "hashed": True})
    _, after = _asked(worker, "snapshot", {})
    _asked(worker, "diff", {})
    _asked(worker, "query", {"sql": "SELECT * FROM b", "params": [], "limit": 5})
    _asked(worker, "start", {"seed": 1, "shared": False})
    _asked(worker, "end", {})
    verifier, clock = marshal.dumps(compiled(_VERIFIER)), _CLOCK.isoformat()
    body = {
        "source": "",
        "code_bytes": len(verifier),
        "from_base": True,
        "before_bytes": 0,
        "clocks": [clock, clock],
        "answer": "1.00",
        "max_bytes": 10_000,
        "evidence": {"touched": [["a", 1], ["b", 1]]},
    }
    answer, _ = _asked(worker, "verify", body, verifier + after)
    outcomes: list[dict[str, Any]] = answer["outcomes"]
    return outcomes


def _asked(worker: Worker, op: str, body: dict[str, Any], blob: bytes = b"") -> tuple[dict[str, Any], bytes]:
    """What a worker answers; it serves until the wire ends, so nobody need ask beside it.

    Raises:
        RuntimeError: It could not do it.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(encode({"id": op, "op": op, "key": 1, **body}, blob))
        ours.shutdown(socket.SHUT_WR)
        serve(theirs.fileno(), worker)
        theirs.close()
        with ours.makefile("rb") as answered:
            size, blob_size = HEADER.unpack(answered.read(HEADER.size))
            answer, tail = decode(answered.read(size)), answered.read(blob_size)
    if not answer["ok"]:
        raise RuntimeError(f"the toy world does not play: {answer['message']}")
    return answer, tail
