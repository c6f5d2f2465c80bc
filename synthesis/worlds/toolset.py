"""Toolsets: tools.py as source becomes typed tools; all of it is read and run in sealed workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from cachetools import LRUCache

from synthesis.documents.finding import Finding
from synthesis.documents.tools import Tool, Toolset
from synthesis.documents.verifiers import Verifier
from synthesis.errors import BrokenEnvironment, ProtocolViolated, SandboxError
from synthesis.worlds.answers import read_findings, read_number, read_pairs, read_tools
from synthesis.worlds.job import JobFailed, run_job, run_jobs
from synthesis.worlds.limits import Limits
from synthesis.worlds.runtime import Runtime, layer_of, runtime_of
from synthesis.worlds.sandbox.fork_client import fork_client
from synthesis.worlds.schema_bounds import unbounded

T = TypeVar("T")
_LIMITS = Limits()
_MOST_REMEMBERED = 16


@dataclass(frozen=True, slots=True)
class CompiledTools:
    """What a world runs: code that is never unmarshalled outside a sealed worker, and what it declares."""

    code: bytes = field(repr=False)
    tools: tuple[Tool, ...]
    findings: tuple[Finding, ...] = ()
    runtime: Runtime = "functions"
    tables: tuple[str, ...] = ()
    """Statements of the tables that a FastAPI module creates by itself."""
    routes: tuple[Mapping[str, Any], ...] = ()
    """Of a FastAPI module, how each tool's arguments become a request; read by workers alone."""


def read_toolset(source: str) -> Toolset:
    """The toolset of a tools module; `tools` follow from its signatures and docstrings.

    Raises:
        BrokenEnvironment: It does not compile, a tool cannot be described, or it does what tools must not.
    """
    compiled = compile_tools(source)
    refuse(compiled.findings)
    return Toolset(source=source, tools=compiled.tools)


def toolset_findings(source: str) -> tuple[Finding, ...]:
    """Everything wrong with a tools module: syntax, imports, module state, missing descriptions ...

    It is really compiled and described, also when that was done before.
    """
    compiled = _compile(source, _LIMITS)
    if not compiled.findings:
        REMEMBERED.keep(source, _LIMITS, compiled)
    return compiled.findings


def verifier_findings(source: str, task_id: str) -> tuple[Finding, ...]:
    """What is wrong with a verifier's source before it is run: syntax, imports, reflection, no `verify`."""
    answer, _ = _job("lint_verifier", {"source": source}, b"", _LIMITS)
    return _linted(answer, task_id)


def verifiers_findings(verifiers: Iterable[Verifier]) -> tuple[Finding, ...]:
    """The same for several, read one after the other in one process, which runs none of them."""
    read = tuple(verifiers)
    sources = ({"source": one.source} for one in read)
    try:
        answers = run_jobs("lint_verifier", sources, limits=_LIMITS, seconds=_LIMITS.build_seconds)
    except (JobFailed, SandboxError):  # each by itself says whose fault it is
        return tuple(finding for one in read for finding in verifier_findings(one.source, one.task_id))
    return tuple(
        result for one, answer in zip(read, answers, strict=True) for result in _linted(answer, one.task_id)
    )


def _linted(answer: dict[str, Any], task_id: str) -> tuple[Finding, ...]:
    return read_findings(answer.get("problems"), where=task_id)


def compile_tools(source: str, *, limits: Limits = _LIMITS) -> CompiledTools:
    """Compile a tools module in one worker, describe its tools in another; findings say what is wrong.

    What came out without a finding is remembered for a while: a bundle that is opened is mostly played next.
    """
    known = REMEMBERED.get(source, limits)
    if known is None:
        known = _compile(source, limits)
        if not known.findings:
            REMEMBERED.keep(source, limits, known)
    return known


class _Remembered:
    """The toolsets that were compiled last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: LRUCache[tuple[str, Limits], CompiledTools] = LRUCache(_MOST_REMEMBERED)

    def get(self, source: str, limits: Limits) -> CompiledTools | None:
        """What was kept for a source."""
        with self._lock:
            return self._known.get(_key(source, limits))

    def keep(self, source: str, limits: Limits, compiled: CompiledTools) -> None:
        """Keep it, and forget what was used longest ago."""
        with self._lock:
            self._known[_key(source, limits)] = compiled

    def forget(self) -> None:
        """Forget everything, as a new process has."""
        with self._lock:
            self._known.clear()

    def after_fork(self) -> None:
        """A lock that another thread of the parent held is free in the child."""
        self._lock = threading.Lock()


def _key(source: str, limits: Limits) -> tuple[str, Limits]:
    """What a toolset is known by: how long its compilation may be waited for changes nothing of it."""
    return source, replace(limits, patience=0)


REMEMBERED = _Remembered()
"""Of this process."""
os.register_at_fork(after_in_child=REMEMBERED.after_fork)


def _compile(source: str, limits: Limits) -> CompiledTools:
    if not source.strip():
        return CompiledTools(b"", (), (_finding("The tools module is empty: declare at least one tool."),))
    if runtime_of(source) == "fastapi":
        return _compile_application(source, limits)
    answer, code = _job("compile", {"source": source}, b"", limits)
    findings = read_findings(answer.get("problems"))
    if not code or any(finding.check == "every_tool_is_described" for finding in findings):
        return CompiledTools(b"", (), findings)
    size = read_number(answer.get("plain_bytes"), len(code))
    declared = answer.get("tools")
    try:
        described, _ = _job("describe", {"tools": declared}, code[:size], limits)
    except BrokenEnvironment as error:
        return CompiledTools(b"", (), (*findings, _finding(str(error))))
    problems = read_pairs(described.get("problems"))
    findings += tuple(_finding(f"Tool {name} {words}.", where=name) for name, words in problems)
    tools = read_tools(described.get("tools"))
    _expect_declared(tools, declared)
    findings += tuple(
        _finding(f"Tool {tool.name}, {words}.", where=tool.name)
        for tool in tools
        for words in unbounded(tool.input_schema)
    )
    return CompiledTools(code[size:], tools, findings)


def _compile_application(source: str, limits: Limits) -> CompiledTools:
    """A FastAPI module: what runs it declares its tools, so nothing is known of them beforehand."""
    layer = layer_of("fastapi")
    answer, code = _job("compile_application", {"source": source}, b"", limits)
    findings = read_findings(answer.get("problems"))
    if not code:
        return CompiledTools(b"", (), findings, "fastapi")
    try:
        body = {"committing": answer.get("committing")}
        described, _ = _job("describe_application", body, code, limits, layer=layer)
    except BrokenEnvironment as error:
        return CompiledTools(b"", (), (_finding(str(error)),), "fastapi")
    tools = read_tools(described.get("tools"))
    tables, routes = _each_of(described.get("tables"), str), _each_of(described.get("routes"), dict)
    if not tools:
        findings += (_finding("The application has no route with an operation id, so no tool."),)
    return CompiledTools(code, tools, findings, "fastapi", tables, routes)


def _each_of(values: Any, kind: type[T]) -> tuple[T, ...]:
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise ProtocolViolated("The worker described an application in an unknown form.")
    return tuple(values)


def _expect_declared(tools: tuple[Tool, ...], declared: Any) -> None:
    """What ran may say less than what was read, never more: names and writing are known from the source.

    Raises:
        ProtocolViolated: It describes tools that the source does not declare.
    """
    known = dict(declared)
    if len({tool.name for tool in tools}) < len(tools) or any(
        known.get(tool.name) is not tool.mutates_state for tool in tools
    ):
        raise ProtocolViolated("The worker described tools that its source does not declare.")


def refuse(findings: tuple[Finding, ...]) -> None:
    """Raise what blocks.

    Raises:
        BrokenEnvironment: With the first ten messages; `where` names the first place.
    """
    blocking = [finding for finding in findings if finding.blocks]
    if blocking:
        raise BrokenEnvironment(
            " ".join(finding.message for finding in blocking[:10]),
            part=blocking[0].part,
            where=blocking[0].where,
        )


def _job(
    op: str, body: dict[str, Any], blob: bytes, limits: Limits, *, layer: str = ""
) -> tuple[dict[str, Any], bytes]:
    try:
        return run_job(op, body, blob, limits=limits, seconds=limits.build_seconds, forker=fork_client(layer))
    except JobFailed as error:
        part = "verifiers" if op == "lint_verifier" else "tools"
        raise BrokenEnvironment(f"The module does not load: {error}", part=part) from error


def _finding(message: str, *, where: str = "") -> Finding:
    return Finding(part="tools", check="every_tool_is_described", message=message, where=where)
