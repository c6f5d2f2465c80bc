"""Stage limits: how many of a worker's runs may be in one stage at a time, by WORLDWRIGHT_STAGE_LIMITS."""

from __future__ import annotations

import os
from functools import lru_cache

from django.conf import settings

from synthesis.errors import InvalidInput
from synthesis.pipeline.stage_limits import PROOF, StageLimits


def stage_limits() -> StageLimits:
    """The limits that all runs of this process take.

    Raises:
        InvalidInput: WORLDWRIGHT_STAGE_LIMITS cannot be used; the text says what is allowed.
        UnknownName: It names a stage that does not exist.
    """
    return _stage_limits(tuple(settings.WORLDWRIGHT.stage_limits))


@lru_cache(maxsize=4)
def _stage_limits(limits: tuple[str, ...]) -> StageLimits:
    # The proof waits for nobody but the processors: more at a time would only take each other's.
    return StageLimits({PROOF: os.cpu_count() or 1} | dict(map(_limit, limits)))


def _limit(message: str) -> tuple[str, int]:
    stage, _, number = message.partition("=")
    if not number.strip().isdigit():
        raise InvalidInput(
            f"WORLDWRIGHT_STAGE_LIMITS: {message!r} is invalid; write a stage, = and how many runs may "
            "be in it at a time, for example checks=2,tools=8."
        )
    return stage.strip(), int(number)
