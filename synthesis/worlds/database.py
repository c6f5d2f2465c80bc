"""Databases of worlds: the one way from a schema and seed rows to an image, in sealed workers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson
from pydantic import ValidationError

from synthesis.documents.finding import Finding, PartName
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.errors import BrokenEnvironment, ProtocolViolated
from synthesis.worlds.answers import read_findings, read_hash
from synthesis.worlds.job import JobFailed, run_job
from synthesis.worlds.limits import Limits
from synthesis.worlds.snapshot import Snapshot

_LIMITS = Limits()
_ANY_DAY = datetime(2026, 1, 1)


def read_schema(sql: str) -> Schema:
    """The schema that a DDL script declares.

    Raises:
        BrokenEnvironment: A statement does not build or may not stand there; `where` names the first place.
    """
    answer, _ = _build(sql)
    _refuse(_findings(answer), "schema")
    try:
        return Schema.model_validate({"sql": sql, "tables": answer.get("tables")})
    except ValidationError as error:
        raise ProtocolViolated("The worker returned tables in an unknown form.") from error


def schema_findings(sql: str) -> tuple[Finding, ...]:
    """Everything wrong with a DDL script: what does not build, what is not allowed, tables without a key."""
    if not sql.strip():
        return (
            Finding(
                part="schema", check="every_statement_builds", message="The schema is empty: declare tables."
            ),
        )
    answer, _ = _build(sql)
    return _findings(answer)


def seed_findings(schema: Schema, seed_data: SeedData) -> tuple[Finding, ...]:
    """Everything wrong with seed rows: table, row number from 1 and SQLite's words for each."""
    answer, _ = _build(schema.sql, seed_data)
    return tuple(finding for finding in _findings(answer) if finding.part == "seed_data")


def is_sound(schema: Schema, seed_data: SeedData) -> bool:
    """Whether there is nothing to be found wrong with a schema and its rows, asked in one process."""
    answer, _ = _build(schema.sql, seed_data)
    return bool(schema.sql.strip()) and not _findings(answer)


def build(schema: Schema, seed_data: SeedData, *, clock: datetime, limits: Limits = _LIMITS) -> Snapshot:
    """The world's state before the first call. The same arguments give the same hash on every machine.

    Raises:
        BrokenEnvironment: The schema does not build, or a row does not load (part "seed_data").
    """
    answer, image = _build(schema.sql, seed_data, clock=clock, limits=limits)
    findings = _findings(answer)
    _refuse(findings, "schema")
    _refuse(findings, "seed_data")
    return Snapshot(image=image, hash=read_hash(answer.get("hash")), clock=clock)


def _build(
    sql: str, seed_data: SeedData | None = None, *, clock: datetime = _ANY_DAY, limits: Limits = _LIMITS
) -> tuple[dict[str, Any], bytes]:
    body: dict[str, Any] = {"sql": sql, "clock": clock.isoformat(), "rows": None, "actor": None}
    body["max_mib"] = limits.max_database_mib
    if seed_data is not None:
        body["rows"] = seed_data.rows
        body["actor"] = seed_data.actor.model_dump() if seed_data.actor else None
    try:
        return run_job("build", body, limits=limits, seconds=limits.build_seconds)
    except JobFailed as error:
        raise BrokenEnvironment(f"The database could not be built: {error}", part="schema") from error
    except TypeError as error:
        return {"problems": _unloadable(seed_data, str(error)), "tables": [], "hash": ""}, b""


def _findings(answer: dict[str, Any]) -> tuple[Finding, ...]:
    return read_findings(answer.get("problems"))


def _refuse(findings: tuple[Finding, ...], part: PartName) -> None:
    blocking = [finding for finding in findings if finding.part == part and finding.blocks]
    if blocking:
        text = " ".join(finding.message for finding in blocking[:10])
        more = f" And {len(blocking) - 10} more." if len(blocking) > 10 else ""
        raise BrokenEnvironment(text + more, part=part, where=blocking[0].where)


def _unloadable(seed_data: SeedData | None, words: str) -> list[dict[str, Any]]:
    """Findings for rows that cannot be handed to a worker: integers beyond 64 bits, lone surrogates."""
    results = []
    for table, rows in (seed_data.rows if seed_data else {}).items():
        for number, row in enumerate(rows, start=1):
            try:
                orjson.dumps(row)
            except TypeError as error:
                message = f"{table}, row {number}: {error}."
                results.append(
                    {"part": "seed_data", "check": "every_row_loads", "message": message, "where": table}
                )
    return results or [{"part": "schema", "check": "every_statement_builds", "message": f"{words}."}]
