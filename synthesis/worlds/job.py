"""One question to one throw-away worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from synthesis.errors import ProtocolViolated
from synthesis.worlds.answer_limits import FAILURE_CHARACTERS, answer_limit
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_client import Forker, fork_client
from synthesis.worlds.sandbox.printable import printable
from synthesis.worlds.sandbox.worker_process import WorkerProcess


class JobFailed(Exception):
    """The worker answered that it could not do it.

    Args:
        kind: Whose failure: "verifier", "tools", "time", "memory" or "other".
        message: What it said.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def run_job(
    op: str,
    body: dict[str, Any],
    blob: bytes = b"",
    *,
    limits: Limits,
    seconds: float,
    forker: Forker | None = None,
) -> tuple[dict[str, Any], bytes]:
    """Do one thing in a fresh sealed process and end that process.

    Args:
        op: What to do.
        body: Its arguments, JSON.
        blob: Bytes that go along.
        limits: Ceilings of memory and of the answer.
        seconds: Soft time limit.
        forker: A world's template to fork from, where its database is of use; the fork server otherwise.

    Raises:
        JobFailed: The worker says it could not be done.
        SandboxError: The worker died, ran out of time or broke the protocol; or the sandbox is not available.
    """
    worker = (forker or fork_client()).fork(memory_mib=limits.memory_mib)
    try:
        return _asked(worker, op, body, blob, limits=limits, seconds=seconds)
    finally:
        worker.kill()


def run_jobs(
    op: str, bodies: Iterable[dict[str, Any]], *, limits: Limits, seconds: float
) -> list[dict[str, Any]]:
    """Do one thing several times in one fresh sealed process: only for what runs no generated code.

    Args:
        op: What to do.
        bodies: The arguments of each time, JSON.
        limits: Ceilings of memory and of each answer.
        seconds: Soft time limit of each time.

    Raises:
        JobFailed: The worker says that one of them could not be done.
        SandboxError: As for `run_job`.
    """
    worker = fork_client().fork(memory_mib=limits.memory_mib)
    try:
        return [_asked(worker, op, body, b"", limits=limits, seconds=seconds)[0] for body in bodies]
    finally:
        worker.kill()


def _asked(
    worker: WorkerProcess, op: str, body: dict[str, Any], blob: bytes, *, limits: Limits, seconds: float
) -> tuple[dict[str, Any], bytes]:
    answer, tail = worker.request(
        op,
        body,
        blob,
        soft=seconds,
        grace=limits.grace_seconds,
        most=answer_limit(op, limits),
        patience=limits.patience,
    )
    if not answer["ok"]:
        raise failure(answer)
    return answer, tail


def failure(answer: dict[str, Any]) -> JobFailed | ProtocolViolated:
    """The error that a negative answer stands for."""
    kind, message = answer.get("kind"), answer.get("message")
    if not isinstance(kind, str) or not isinstance(message, str):
        return ProtocolViolated("A worker reported a failure in an unknown form.")
    return JobFailed(kind, printable(message[:FAILURE_CHARACTERS]))
