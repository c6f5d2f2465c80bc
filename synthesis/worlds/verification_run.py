"""Inside a worker: one verifier run against two states."""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType
from typing import Any

import orjson

from synthesis.worlds import comparison
from synthesis.worlds.changes import Changes
from synthesis.worlds.connection import GuardedConnection
from synthesis.worlds.namespace import place_of, run_module
from synthesis.worlds.results import Unfit, encode
from synthesis.worlds.soft_limit import SOFT_LIMIT
from synthesis.worlds.state import Reading, compare
from synthesis.worlds.tables import SchemaRows, TableShape, schema_rows, shapes
from synthesis.worlds.tool_database import ReadOnlyDatabase

MOST_CHECKS = 200
_LONGEST_NAME = 300


class VerifierFailed(Exception):
    """The verifier did not come to an answer; the text says why."""


class Check:
    """One check a verifier made. Made by `check`, which verifiers have by name."""

    __slots__ = ("detail", "guard", "name", "passed")

    def __init__(self, name: Any, passed: Any, detail: Any = None, guard: Any = False) -> None:
        if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
            raise VerifierFailed(f"check() needs a name of 1 to {_LONGEST_NAME} characters, not {name!r:.80}")
        if not isinstance(passed, bool) or not isinstance(guard, bool):
            raise VerifierFailed(
                f"check({name!r}): passed and guard must be True or False, not {passed!r:.80}, {guard!r:.80}"
            )
        self.name, self.passed, self.detail, self.guard = name, passed, detail, guard


def given_to_verifiers() -> dict[str, Any]:
    """The names every verifier has without an import."""
    helpers = (
        "added",
        "amounts",
        "changed",
        "dates",
        "holds",
        "matches",
        "names",
        "numbers",
        "removed",
        "times",
    )
    return {"check": Check, **{name: getattr(comparison, name) for name in helpers}}


def run_verifier(
    source: str | CodeType,
    *,
    before: GuardedConnection,
    after: GuardedConnection,
    tables: Iterable[TableShape] | None = None,
    rows: Reading | None = None,
    schema: SchemaRows | None = None,
    answer: str,
    max_bytes: int,
) -> list[dict[str, Any]]:
    """The outcomes of `verify(before, after, changes, answer)` as plain values.

    Args:
        source: The verifier, as text or compiled.
        before: State the episode began with, open for reading.
        after: State it ended with, open for reading.
        tables: The tables, where they are known.
        rows: The rows of `before`, where they are known.
        schema: What `sqlite_schema` of `before` holds, where it is known.
        answer: The agent's final text.
        max_bytes: Ceiling of all details.

    Raises:
        VerifierFailed: The schemas differ, the source does not compile, `verify` raises, yields no check or a
            malformed one.
        OutOfTime: The soft limit was reached.
    """
    if (schema or schema_rows(before)) != schema_rows(after):
        raise VerifierFailed("the tables before and after are not the same tables: the schema was changed")
    with SOFT_LIMIT:
        try:
            changes = Changes(compare(rows or before, after, tables or shapes(before)))
            code = source if isinstance(source, CodeType) else compiled(source)
            space = run_module(code, "verifier", given_to_verifiers())
            verify = space.get("verify")
            if not callable(verify):
                raise VerifierFailed("the verifier defines no verify(before, after, changes, answer)")
            views = ReadOnlyDatabase(before), ReadOnlyDatabase(after)
            return _outcomes(verify(*views, changes, answer), max_bytes)
        except VerifierFailed:
            raise
        except Exception as error:
            raise VerifierFailed(f"{type(error).__name__}: {error}{place_of(error, 'verifier')}") from error


def compiled(source: str) -> CodeType:
    """A verifier's code; nothing of it is run.

    Raises:
        SyntaxError: It does not compile.
        ValueError: It holds a NUL.
    """
    code: CodeType = compile(source, "verifier", "exec", dont_inherit=True)
    return code


def _outcomes(returned: Any, max_bytes: int) -> list[dict[str, Any]]:
    if not isinstance(returned, Iterable) or isinstance(returned, str | bytes | dict):
        raise VerifierFailed(
            f"verify must yield checks or return a list of them, not {type(returned).__name__}"
        )
    found: dict[str, dict[str, Any]] = {}
    for item in returned:
        if not isinstance(item, Check):
            raise VerifierFailed(f"verify yielded a {type(item).__name__}; it must yield check(name, passed)")
        if item.name in found:
            raise VerifierFailed(f"two checks are named {item.name!r}; every name must be unique")
        if len(found) == MOST_CHECKS:
            raise VerifierFailed(f"more than {MOST_CHECKS} checks")
        found[item.name] = {
            "name": item.name,
            "passed": item.passed is True,
            "guard": item.guard is True,
            "detail": _detail(item, max_bytes),
        }
    if not found:
        raise VerifierFailed("verify made no check")
    return list(found.values())


def _detail(check: Check, max_bytes: int) -> Any:
    try:
        return orjson.loads(encode(check.detail, max_bytes=max_bytes // 10, max_depth=32))
    except Unfit as unfit:
        raise VerifierFailed(f"check({check.name!r}): its detail is not JSON: {unfit}") from None
