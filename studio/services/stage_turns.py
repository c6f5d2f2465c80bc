"""Stage turns: how many of a worker's runs may be in one stage at a time, by WORLDWRIGHT_STAGE_LIMITS."""

from __future__ import annotations

import os
from functools import lru_cache

from django.conf import settings

from synthesis.errors import InvalidInput
from synthesis.pipeline.turns import PROOF, Turns


def stage_turns() -> Turns:
    """The turns that all runs of this process take.

    Raises:
        InvalidInput: WORLDWRIGHT_STAGE_LIMITS cannot be used; the text says what is allowed.
        UnknownName: It names a stage that does not exist.
    """
    return _turns(tuple(settings.ENV["WORLDWRIGHT_STAGE_LIMITS"]))


@lru_cache(maxsize=4)
def _turns(limits: tuple[str, ...]) -> Turns:
    # The proof waits for nobody but the processors: more at a time would only take each other's.
    return Turns({PROOF: os.cpu_count() or 1} | dict(map(_limit, limits)))


def _limit(told: str) -> tuple[str, int]:
    stage, _, number = told.partition("=")
    if not number.strip().isdigit():
        raise InvalidInput(
            f"WORLDWRIGHT_STAGE_LIMITS: {told!r} cannot be used; write a stage, =, and how many runs may be "
            "in it at a time, for example checks=2,tools=8."
        )
    return stage.strip(), int(number)
