# ruff: noqa: E501 - an attack reads best on one line
"""Programs, verifiers and tools modules around the attacks, and a harmless module beside them."""

from __future__ import annotations

import textwrap

from tests.synthesis.worlds.sandbox.hostile.escapes import EXPRESSIONS
from tests.synthesis.worlds.sandbox.hostile.exhaustion import ENDINGS, ENDLESS, HUNGER
from tests.synthesis.worlds.sandbox.hostile.forgeries import FORGERIES, LYING, RETURNED
from tests.synthesis.worlds.sandbox.hostile.helpers import HELPERS, MORE_HELPERS, REACH


def snippet(expression: str, **places: object) -> str:
    """One attack as a program that tells what it got."""
    return "\n".join(
        [
            *(
                REACH,
                HELPERS,
                MORE_HELPERS,
                "m = _modules()",
                "try:",
                f"    got = {expression.format(**places)}",
            ),
            *("except BaseException as error:", "    got = type(error).__name__"),
            "tell(got if isinstance(got, str) and len(got) < 60 else 'WON')",
        ]
    )


def verifier(expression: str, **places: object) -> str:
    """One attack as a verifier, whose only check passes when the attack got something."""
    return "\n".join(
        [
            REACH,
            HELPERS,
            MORE_HELPERS,
            "def verify(before, after, changes, answer):",
            "    m = _modules()",
            "    db = after",
            f"    got = {expression.format(**places)}",
            "    yield check('won', not (isinstance(got, str) and len(got) < 60), detail=repr(got)[:200])",
        ]
    )


def source(**places: object) -> str:
    """A tools module in which every attack is one tool, with the harmless tools that tests need."""
    parts = [BENIGN, REACH, HELPERS, MORE_HELPERS]
    for name, expression in {**EXPRESSIONS, **ENDINGS, **HUNGER, **ENDLESS, **FORGERIES}.items():
        parts.append(
            _tool(
                name,
                expression.format(**places),
                "return {'got': got if isinstance(got, str) and len(got) < 60 else 'WON'}",
            )
        )
    parts += [
        _tool(name, expression.format(**places), "return got")
        for name, expression in {**RETURNED, **LYING}.items()
    ]
    return "\n".join(parts)


def _tool(name: str, expression: str, end: str) -> str:
    body = f'def {name}(db) -> dict:\n    """Attack: {name}."""\n    m = _modules()\n    got = {expression}\n    {end}\n'
    return textwrap.dedent(body)


BENIGN = '''
"""Every attack is a tool of this module."""

import re


def note(db, text: str) -> dict:
    """Write a note.

    Args:
        text: What it says.
    """
    return {"id": db.insert("notes", text=text)}


def notes(db) -> dict:
    """All notes."""
    return {"notes": [row["text"] for row in db.query("SELECT text FROM notes ORDER BY id")]}


def clock(db) -> dict:
    """The world's clock."""
    return {"now": db.now().isoformat(), "sql": db.one("SELECT datetime('now') AS n")["n"], "pi": re.sub("a", "b", "a")}


def chance(db) -> dict:
    """Random numbers of the call."""
    return {"python": db.random.random(), "sql": db.one("SELECT random() AS r")["r"]}


def total(db, numbers: list[float]) -> dict:
    """What Python's own functions make of some numbers.

    Args:
        numbers: Some numbers.
    """
    import decimal
    import json
    import math

    return {
        "sum": sum(numbers),
        "length": len(numbers),
        "text": json.dumps(sorted(numbers)),
        "pi": math.pi,
        "third": str(decimal.Decimal(1) / decimal.Decimal(3)),
        "stolen": [row["text"] for row in db.query("SELECT text FROM notes ORDER BY id")],
    }


def poison(db) -> dict:
    """Change whatever outlives a call in Python."""
    m = _modules()
    builtins, sys = m["builtins"], m["sys"]
    builtins.sum = lambda *a: 666
    builtins.sorted = lambda *a: ["poison"]
    builtins.planted = "planted"
    m["math"].pi = 3
    m["json"].dumps = lambda *a, **k: "poison"
    m["decimal"].getcontext().prec = 2
    m["random"].seed(1)
    m["random"].Random.random = lambda self: 0.5
    sys.modules["statistics"] = None
    globals_ = poison.__globals__
    globals_["note"] = None
    globals_["PLANTED"] = "planted"
    context = db._connection.context
    type(context).now = property(lambda self: m["datetime"].datetime(1999, 1, 1))
    type(db).one = lambda self, *a: {"n": "poison", "r": 4}
    live = m["synthesis.worlds.worker.live"]
    live.LiveInstance.hash = lambda self: "0" * 64
    live.state_hash = lambda *a: "0" * 64
    m["re"].sub = lambda *a: "poison"
    return {"done": True}


def stash(db, text: str) -> dict:
    """Hide a text in module state.

    Args:
        text: What to hide.
    """
    _modules()["builtins"].stash = text
    stash.__globals__["STASH"] = text
    return {}


def unstash(db) -> dict:
    """Find it again."""
    found = getattr(_modules()["builtins"], "stash", None) or unstash.__globals__.get("STASH")
    return {"found": found}

'''
