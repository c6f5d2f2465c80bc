"""Inside a worker: one verifier run against two states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, MappingProxyType
from typing import Any

import orjson

from synthesis.documents.verdict import PUT_BACK
from synthesis.reading import given
from synthesis.worlds import comparison
from synthesis.worlds.sandbox.soft_limit import SOFT_LIMIT
from synthesis.worlds.tables import TableShape, schema_rows, shapes
from synthesis.worlds.worker.changes import Changes
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.integrity import NotIntact, require_intact
from synthesis.worlds.worker.namespace import place_of, run_module
from synthesis.worlds.worker.results import Unfit, encode
from synthesis.worlds.worker.state import Change, Reading, compare
from synthesis.worlds.worker.tool_database import ReadOnlyDatabase

MOST_CHECKS = 200
OPTIONAL_PARAMETERS = ("calls", "conversation")
_MOST_PUT_BACK = 20
_MOST_BRACKETS = 30_000
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


def given_to_verifiers() -> Mapping[str, Any]:
    """The names every verifier has without an import."""
    return _GIVEN


def _given() -> dict[str, Any]:
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
    return {
        "check": Check,
        "says": given.says,
        "declines": given.declines,
        **{name: getattr(comparison, name) for name in helpers},
    }


_GIVEN = MappingProxyType(_given())


def run_verifier(
    source: str | CodeType,
    *,
    before: GuardedConnection,
    after: GuardedConnection,
    tables: Sequence[TableShape] | None = None,
    rows: Reading | None = None,
    same_schema: bool = False,
    answer: str,
    max_bytes: int,
    evidence: dict[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """The outcomes of `verify(before, after, changes, answer)` as plain values.

    A verifier that names `calls` or `conversation` among its parameters is given them.

    Args:
        source: The verifier, as text or compiled.
        before: State the episode began with, open for reading.
        after: State it ended with, open for reading.
        tables: The tables that may differ, where they are known; then `before` is intact.
        rows: The rows of `before`, where they are known.
        same_schema: Whether `sqlite_schema` is known to be the same in both.
        answer: The agent's final text.
        max_bytes: Ceiling of all details.
        evidence: What was called, what was said and which rows were touched, where it is known.

    Raises:
        VerifierFailed: The schemas differ, a state contradicts itself, the source does not compile, `verify`
            raises, yields no check or a malformed one.
        OutOfTime: The soft limit was reached.
    """
    differences = differences_of(before, after, tables=tables, rows=rows, same_schema=same_schema)
    return outcomes_of(
        source,
        databases=(before, after),
        differences=differences,
        answer=answer,
        max_bytes=max_bytes,
        evidence=evidence,
    )


def differences_of(
    before: GuardedConnection,
    after: GuardedConnection,
    *,
    tables: Sequence[TableShape] | None = None,
    rows: Reading | None = None,
    same_schema: bool = False,
) -> list[Change]:
    """Rows in which two intact states of one schema differ; the arguments are those of `run_verifier`.

    Raises:
        VerifierFailed: The schemas differ, or a state contradicts itself.
        OutOfTime: The soft limit was reached.
    """
    if not same_schema and schema_rows(before) != schema_rows(after):
        raise VerifierFailed("the tables before and after are not the same tables: the schema was changed")
    with SOFT_LIMIT:
        try:
            if tables is None:
                tables = shapes(before)
                require_intact(before, tables)
            require_intact(after, tables)
            return compare(rows or before, after, tables)
        except NotIntact as error:
            raise VerifierFailed(str(error)) from error
        except Exception as error:
            raise VerifierFailed(f"{type(error).__name__}: {error}") from error


def outcomes_of(
    source: str | CodeType,
    *,
    databases: tuple[GuardedConnection, GuardedConnection],
    differences: Sequence[Change],
    answer: str,
    max_bytes: int,
    evidence: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """The outcomes of a verifier on two states whose differences are known, as `run_verifier` gives them.

    Raises:
        VerifierFailed: The source does not compile, `verify` raises, yields no check or a malformed one.
        OutOfTime: The soft limit was reached.
    """
    known = evidence or {}
    with SOFT_LIMIT:
        try:
            changes = Changes(differences, known.get("touched", ()))
            code = source if isinstance(source, CodeType) else compiled(source)
            before, after = map(ReadOnlyDatabase, databases)
            outcomes = _outcomes(checks_of(code, before, after, changes, answer, known), max_bytes)
            return [*outcomes, *_put_back(changes, outcomes)]
        except VerifierFailed:
            raise
        except Exception as error:
            raise VerifierFailed(f"{type(error).__name__}: {error}{place_of(error, 'verifier')}") from error


def checks_of(
    code: CodeType,
    before: ReadOnlyDatabase,
    after: ReadOnlyDatabase,
    changes: Changes,
    answer: str,
    evidence: Mapping[str, Any] = MappingProxyType({}),
    also_given: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """What `verify` of a freshly loaded verifier returns; it may still be running when it is a generator.

    Args:
        code: The verifier, compiled.
        before: State the episode began with.
        after: State it ended with.
        changes: How the two differ.
        answer: The agent's final text.
        evidence: What was called and what was said, where it is known.
        also_given: Further names that the module has without an import.

    Raises:
        VerifierFailed: It defines no `verify`.
    """
    space = run_module(code, "verifier", {**given_to_verifiers(), **also_given})
    verify = space.get("verify")
    if not callable(verify):
        raise VerifierFailed("the verifier defines no verify(before, after, changes, answer)")
    more = {name: evidence.get(name, []) for name in optional_parameters(verify)}
    return verify(before, after, changes, answer, **more)


def optional_parameters(verify: Any) -> list[str]:
    """Which of `calls` and `conversation` a verifier asks for by name."""
    code = getattr(verify, "__code__", None)
    if not isinstance(code, CodeType):
        return []
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [name for name in OPTIONAL_PARAMETERS if name in names]


def _put_back(changes: Changes, outcomes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A guard of the project's own that reports rows written and put back; none where there are none."""
    rows = changes.put_back_elsewhere()
    if not rows or any(outcome["name"] == PUT_BACK for outcome in outcomes):
        return []
    detail = [[row.table, row.key] for row in rows[:_MOST_PUT_BACK]]
    return [{"name": PUT_BACK, "passed": True, "guard": True, "detail": detail}]


def compiled(source: str) -> CodeType:
    """A verifier's code; nothing of it is run.

    Raises:
        SyntaxError: It does not compile.
        ValueError: It holds a NUL.
    """
    code: CodeType = compile(source, "verifier", "exec", dont_inherit=True)
    return code


def _outcomes(returned: Any, max_bytes: int) -> list[dict[str, Any]]:
    results: dict[str, dict[str, Any]] = {}
    room = max_bytes
    for item in each_check(returned):
        detail = _detail(item, max_bytes)
        room -= len(detail)
        if room < 0:
            raise VerifierFailed(f"the details of all checks take more than {max_bytes:,} bytes as JSON")
        results[item.name] = {
            "name": item.name,
            "passed": item.passed is True,
            "guard": item.guard is True,
            "detail": orjson.Fragment(detail),
        }
    return list(results.values())


def each_check(returned: Any) -> Iterator[Check]:
    """The checks that `verify` made, one after the other.

    Raises:
        VerifierFailed: There is none, one of them is no check, or two have one name.
    """
    if not isinstance(returned, Iterable) or isinstance(returned, str | bytes | dict):
        raise VerifierFailed(
            f"verify must yield checks or return a list of them, not {type(returned).__name__}"
        )
    names: set[str] = set()
    for item in returned:
        if not isinstance(item, Check):
            raise VerifierFailed(f"verify yielded a {type(item).__name__}; it must yield check(name, passed)")
        if item.name in names:
            raise VerifierFailed(f"two checks are named {item.name!r}; every name must be unique")
        if len(names) == MOST_CHECKS:
            raise VerifierFailed(f"more than {MOST_CHECKS} checks")
        names.add(item.name)
        yield item
    if not names:
        raise VerifierFailed("verify made no check")


def _detail(check: Check, max_bytes: int) -> bytes:
    try:
        return encode(
            check.detail, max_bytes=max_bytes // 10, max_depth=32, max_brackets=_MOST_BRACKETS // MOST_CHECKS
        )
    except Unfit as unfit:
        raise VerifierFailed(f"check({check.name!r}): its detail is not JSON: {unfit}") from None
