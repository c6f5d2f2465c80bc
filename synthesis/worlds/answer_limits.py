"""What the answer of a worker to each operation may hold, for the service and for honest workers.

Generated code can write onto a worker's wire whatever it likes, so an answer is held against the limit of
what was asked before any of it is decoded. An honest worker that cannot stay within it says so instead of
answering.
"""

from __future__ import annotations

from collections.abc import Callable

from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.protocol import AnswerLimit

FAILURE_CHARACTERS = 4_000
"""Of the message of a worker that could not do what it was asked."""
LONGEST_DESCRIPTION = 20_000
"""Characters in the description of a tool."""

_KIB, _MIB = 2**10, 2**20
_ROOM = 32 * _KIB
"""For ids, hashes and a failure's message, whose characters may take six bytes each."""

_NOTHING = AnswerLimit(_ROOM, 1_000)
_ROWS = AnswerLimit(16 * _MIB, 400_000)
"""Rows and changed rows of a whole database, which no client of a server can ask for."""


def answer_limit(op: str, limits: Limits) -> AnswerLimit:
    """What the answer to an operation may hold; that to an unknown one is a failure's message.

    Args:
        op: A name of `synthesis.worlds.worker.worker.Worker`'s operations.
        limits: Ceilings of the world.
    """
    result = _BY_LIMITS.get(op)
    return _FIXED.get(op, _NOTHING) if result is None else result(limits)


def _call(limits: Limits) -> AnswerLimit:
    return AnswerLimit(_ROOM + limits.max_output_bytes + limits.max_change_bytes, limits.max_brackets + 100)


def _call_many(limits: Limits) -> AnswerLimit:
    """The worker breaks a batch off after the result with which it exceeds what one call may answer."""
    one = _call(limits)
    return AnswerLimit(2 * one.body, 2 * one.brackets)


def _with_image(most: AnswerLimit) -> Callable[[Limits], AnswerLimit]:
    return lambda limits: AnswerLimit(most.body, most.brackets, (limits.max_database_mib + 1) * _MIB)


def _outcomes(limits: Limits) -> AnswerLimit:
    return AnswerLimit(_ROOM + 2 * limits.max_output_bytes, limits.max_brackets + 2_000)


_FIXED = {
    "diff": _ROWS,
    "query": _ROWS,
    "tables": _ROWS,
    "rows": _ROWS,
    "compare": _ROWS,
    "lint_verifier": AnswerLimit(4 * _MIB, 50_000),
    "compile": AnswerLimit(4 * _MIB, 50_000, 16 * _MIB),
    "compile_invariants": AnswerLimit(1 * _MIB, 20_000, 4 * _MIB),
    "try_invariants": AnswerLimit(1 * _MIB, 20_000),
    "compile_application": AnswerLimit(4 * _MIB, 50_000, 16 * _MIB),
    "describe": AnswerLimit(2 * _MIB, 50_000),
    "describe_application": AnswerLimit(4 * _MIB, 100_000),
    "compile_verifiers": AnswerLimit(1 * _MIB, 1_000, 64 * _MIB),
    "verify_many": AnswerLimit(32 * _MIB, 400_000),
    "try_near_misses": AnswerLimit(32 * _MIB, 400_000),
}
_BY_LIMITS: dict[str, Callable[[Limits], AnswerLimit]] = {
    "call": _call,
    "call_many": _call_many,
    "snapshot": _with_image(_NOTHING),
    "build": _with_image(AnswerLimit(16 * _MIB, 200_000)),
    "edit": _with_image(_ROWS),
    "verify": _outcomes,
}
