"""Invariants: invariants.py as source becomes named conditions; it is read and run in sealed workers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from synthesis.documents.finding import Finding
from synthesis.documents.invariants import BrokenInvariant, DeclaredInvariant, Invariants
from synthesis.errors import BrokenEnvironment, ProtocolViolated
from synthesis.worlds.answers import read_findings
from synthesis.worlds.job import JobFailed, run_job
from synthesis.worlds.limits import Limits
from synthesis.worlds.toolset import refuse

_LIMITS = Limits()
_DECLARED: TypeAdapter[tuple[DeclaredInvariant, ...]] = TypeAdapter(tuple[DeclaredInvariant, ...])
_BROKEN: TypeAdapter[tuple[BrokenInvariant, ...]] = TypeAdapter(tuple[BrokenInvariant, ...])


@dataclass(frozen=True, slots=True)
class CompiledInvariants:
    """What a world runs: code that is never unmarshalled outside a sealed worker, and what it declares."""

    code: bytes = field(default=b"", repr=False)
    declared: tuple[DeclaredInvariant, ...] = ()
    findings: tuple[Finding, ...] = ()


def read_invariants(source: str) -> Invariants:
    """The invariants of a module; what is declared follows from its functions and docstrings.

    Raises:
        BrokenEnvironment: It does not compile, declares none, or does what generated code must not.
    """
    compiled = compile_invariants(source)
    refuse(compiled.findings)
    return Invariants(source=source, declared=compiled.declared)


def compile_invariants(source: str, *, limits: Limits = _LIMITS) -> CompiledInvariants:
    """Compile an invariants module without running any of it; findings say what is wrong.

    Raises:
        BrokenEnvironment: It takes too long or too much memory to read.
    """
    try:
        answer, code = run_job(
            "compile_invariants", {"source": source}, limits=limits, seconds=limits.build_seconds
        )
    except JobFailed as error:
        raise BrokenEnvironment(f"The module does not load: {error}", part="invariants") from error
    findings = read_findings(answer.get("problems"))
    try:
        declared = _DECLARED.validate_python(answer.get("declared") or ())
    except ValidationError as error:
        raise ProtocolViolated("The worker described invariants in an unknown form.") from error
    return CompiledInvariants(code, declared, findings)


def read_broken(value: Any) -> tuple[BrokenInvariant, ...]:
    """The invariants that a worker found broken.

    Raises:
        ProtocolViolated: The answer has another form.
    """
    try:
        return _BROKEN.validate_python(value)
    except ValidationError as error:
        raise ProtocolViolated("The worker described broken invariants in an unknown form.") from error
