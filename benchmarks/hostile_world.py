"""The environments of suite `hostile`: harmless tools, tools that attack, a module that hangs.

They break the static rules, which are no boundary; the suite's server runs with those rules switched off.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from synthesis.bundles.native import NativeCodec
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.scenario import Scenario
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import ToolCall, Toolset
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.worlds.database import read_schema
from synthesis.worlds.toolset import compile_tools

HARMLESS, HOSTILE, HANGING = "harmless", "hostile", "hanging"
TASK = "look"
_SCHEMA = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL, slow INTEGER NOT NULL DEFAULT 0);"

_BENIGN = '''
"""Notes."""

from typing import Annotated


def note(db, text: str) -> dict:
    """Write a note.

    Args:
        text: What it says.
    """
    return {"id": db.insert("notes", text=text)}


def notes(db) -> dict:
    """All notes."""
    return {"notes": [row["text"] for row in db.query("SELECT text FROM notes ORDER BY id LIMIT 50")]}
'''

_HOSTILE = '''

def _modules():
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return kind.__init__.__globals__["sys"].modules


def _libc():
    modules = _modules()
    ctypes = modules["builtins"].__import__("ctypes")
    return ctypes, ctypes.CDLL(None, use_errno=True)


def _request_id():
    frame = _modules()["sys"]._getframe()
    while frame:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "id" in request:
            return request["id"]
        frame = frame.f_back


def _forge(data):
    view = memoryview(data)
    while view:
        view = view[_modules()["os"].write(3, view):]


def _answer(value: bytes, number=None):
    number = (number or _request_id()).encode()
    body = b'{"id":"' + number + b'","ok":true,"result":{"status":"ok","value":' + value + b'}}'
    _forge(_modules()["struct"].pack("!II", len(body), 0) + body)


def _spin():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def peek(db) -> dict:
    """Answer every request and take none."""
    ctypes, libc = _libc()
    buffer, seen = ctypes.create_string_buffer(4096), set()
    _answer(b"1")
    while True:
        got = libc.recv(3, buffer, 4096, 0x2)
        if got <= 0:
            return _modules()["time"].sleep(1e6)
        at = buffer.raw.rfind(b'"id":"') + 6
        number = buffer.raw[at:at + 16].decode()
        if number not in seen:
            seen.add(number)
            _answer(b"1", number)


def deaf(db) -> dict:
    """Answer once and read nothing again."""
    _answer(b"1")
    return _modules()["time"].sleep(1e6)


def nested(db, count: int) -> dict:
    """Answer nested lists.

    Args:
        count: How many.
    """
    _answer(b"[" + b",".join([b"[]"] * count) + b"]")
    return _modules()["time"].sleep(1e6)


def changed(db, count: int) -> dict:
    """Answer changed rows.

    Args:
        count: How many.
    """
    row = b'{"table":"notes","key":1,"kind":"deleted","before":{},"columns":[]}'
    number = _request_id().encode()
    body = b'{"id":"' + number + b'","ok":true,"result":{"status":"ok","value":1,"changes":['
    body += b",".join([row] * count) + b"]}}"
    _forge(_modules()["struct"].pack("!II", len(body), 0) + body)
    return _modules()["time"].sleep(1e6)


def shapeless(db, kind: int) -> dict:
    """Answer in no known form.

    Args:
        kind: Which.
    """
    number = _request_id().encode()
    bodies = [
        b'{"id":"%s","ok":true}', b'{"id":"%s","ok":true,"result":7}', b'{"id":"%s","ok":false}',
        b'{"id":"%s","ok":true,"result":{"status":"error","message":"\\\\u001b]0;x\\\\u0007"}}',
        b'{"id":"%s","ok":true,"result":{"status":"ok","value":1,"changes":[{"table":1}]}}',
    ]
    body = bodies[kind % len(bodies)] % number
    _forge(_modules()["struct"].pack("!II", len(body), 0) + body)
    return _modules()["time"].sleep(1e6)


def spin(db) -> dict:
    """Spin."""
    _spin()


def answer_and_spin(db) -> dict:
    """Answer, then spin."""
    _answer(b"1")
    _spin()


def slow_again(db) -> dict:
    """Insert a note, slowly where it is made again."""
    modules = _modules()
    age = modules["time"].monotonic() - _LOADED
    number = db.insert("notes", text="x")
    if number > 12 and age < 1:
        modules["time"].sleep(2)
    return {"id": number}


_LOADED = _modules()["time"].monotonic()


def die(db) -> dict:
    """End the process."""
    _modules()["os"]._exit(3)


def long(db, kibibytes: int) -> dict:
    """Answer a long text.

    Args:
        kibibytes: How long.
    """
    return {"text": "x" * (kibibytes << 10)}


def coded(db, code: Annotated[str, Field(pattern="^(a+)+$")]) -> dict:
    """Take a code.

    Args:
        code: Of letters.
    """
    return {}


def lengthy(db, text: Annotated[str, Field(min_length=3_000_000_000)]) -> dict:
    """Take a text of three gigabytes.

    Args:
        text: What it says.
    """
    return {}


def large(db, mebibytes: int) -> dict:
    """Fill the database.

    Args:
        mebibytes: How much.
    """
    for _ in range(mebibytes):
        db.execute("INSERT INTO notes (text) VALUES (hex(zeroblob(524288)))")
        db.execute("UPDATE notes SET slow = 0 WHERE 0")
    return {}
'''

_HANGING = """

def _hang():
    kinds = ().__class__.__base__.__subclasses__()
    modules = next(k for k in kinds if k.__name__ == "_wrap_close").__init__.__globals__["sys"].modules
    frame = modules["sys"]._getframe()
    while frame:
        if frame.f_code.co_name == "_describe":
            return
        frame = frame.f_back
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


_hang()
"""

_VERIFIER = """
def verify(before, after, changes, answer):
    rows = [row["text"] for row in after.query("SELECT text FROM notes ORDER BY id LIMIT 3")]
    yield check("says", "first" in answer and not amounts(answer))
    yield check("dated", not dates(answer) and not times(answer) and not numbers(answer))
    yield check("named", bool(names(answer, rows)))
"""


def write_bundles(folder: Path) -> list[Path]:
    """The bundles of the three environments."""
    sources = {
        HARMLESS: _BENIGN,
        HOSTILE: _BENIGN + _HOSTILE,
        HANGING: _BENIGN + _HANGING,
    }
    codec = NativeCodec()
    return [
        codec.write(Bundle(environment=_environment(name, source)), folder / name)
        for name, source in sources.items()
    ]


def _environment(name: str, source: str) -> Environment:
    task = Task(
        id=TASK,
        instruction="Look at the notes and say what the first one is.",
        kind="read",
        difficulty="easy",
        min_calls=1,
        reference_solution=(ToolCall(name="notes"),),
        reference_answer="The first note says: first.",
    )
    return Environment(
        scenario=Scenario(
            name=name,
            title=name.capitalize(),
            category="benchmarks",
            description="Notes.",
            clock=datetime(2026, 3, 11, 8, 30),
        ),
        schema=read_schema(_SCHEMA),
        seed_data=SeedData(rows={"notes": ({"id": 1, "text": "first"},)}),
        tools=Toolset(source=source, tools=compile_tools(source).tools),
        tasks=Tasks(tasks=(task,)),
        verifiers=Verifiers(verifiers=(Verifier(task_id=TASK, source=_VERIFIER),)),
    )
