"""How strict the sandbox is, as the operator chose it: the only reader of WORLDWRIGHT_SANDBOX."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping

from synthesis.errors import InvalidInput

VARIABLE = "WORLDWRIGHT_SANDBOX"
"""Environment variable: unset or "sealed", or "trusted-code-only"."""


class SandboxMode(enum.StrEnum):
    """What happens on a host that cannot seal a process."""

    SEALED = "sealed"
    """Generated code is refused there. The default."""
    TRUSTED_CODE_ONLY = "trusted-code-only"
    """It runs there with limits and an audit hook: protection from accidents, none from attacks."""


def chosen_mode(environ: Mapping[str, str] | None = None) -> SandboxMode:
    """The mode the environment asks for.

    Only the service calls this; the fork server has an empty environment and is told.

    Args:
        environ: The environment to read (default: this process's).

    Raises:
        InvalidInput: The variable holds something else.
    """
    value = (os.environ if environ is None else environ).get(VARIABLE, "")
    if not value:
        return SandboxMode.SEALED
    try:
        return SandboxMode(value)
    except ValueError:
        known = " or ".join(f'"{mode}"' for mode in SandboxMode)
        raise InvalidInput(f"{VARIABLE} is {value!r}; set it to {known}, or unset it.") from None
