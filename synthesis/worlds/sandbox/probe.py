"""What of the sandbox is in force on this host, found out by trying, once per process."""

from __future__ import annotations

import functools
import json
import logging
import platform
import subprocess
import sys
from typing import Any

from synthesis.worlds.sandbox import kernel, layers
from synthesis.worlds.sandbox.mode import SandboxMode, chosen_mode
from synthesis.worlds.sandbox.status import SandboxStatus

logger = logging.getLogger(__name__)

_SECONDS = 20
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from synthesis.worlds.sandbox import trial; trial.main()"
)
_WAIVABLE = (None, "PRIVILEGES", "FILTER")
"""Failures that the operator may waive; a seal that is there but leaks is none of them."""


def probe(mode: SandboxMode | None = None) -> SandboxStatus:
    """The sandbox's state on this host. The first call takes about 0.2 s, later ones nothing.

    Args:
        mode: What the operator chose (default: what WORLDWRIGHT_SANDBOX says).

    Raises:
        InvalidInput: WORLDWRIGHT_SANDBOX holds something unknown.
    """
    return _probe(chosen_mode() if mode is None else mode)


@functools.cache
def _probe(mode: SandboxMode) -> SandboxStatus:
    host = f"{platform.system()} {platform.release()} {platform.machine()}"
    if kernel.machine() is None:
        return SandboxStatus(mode=mode, host=host, layers=(layers.unknown_host(),), waivable=False)
    results = _try()
    status = SandboxStatus(
        mode=mode,
        host=host,
        layers=layers.read(results),
        waivable=all(results.get(tried, {}).get("failed") in _WAIVABLE for tried in ("seal", "template"))
        and bool(results.get("pidfd"))
        and bool(results.get("memory_file", True)),
    )
    for notice in status.notices:
        logger.log(logging.WARNING if status.waived else logging.INFO, notice)
    return status


def _try() -> dict[str, Any]:
    """What `trial` found; a trial that cannot be run counts as a seal that failed."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _START],
            input=json.dumps(sys.path) + "\n",
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            env={},
        )
        results: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError) as error:
        return {"seal": {"failed": "trial", "detail": f"the trial process could not be run: {error}"}}
    return results
