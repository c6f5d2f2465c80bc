"""Precedence: what a worker does first where the processors cannot do everything at once."""

from __future__ import annotations

import contextlib
import os

from synthesis.worlds.sandbox.fork_client import fork_client

NICENESS = 5
"""Of generated code, on top of this process's own: about a third of the processor that the process gets."""


def requests_first() -> None:
    """Let generated code wait for this process: answers are read, written down and followed by the next
    request before another proof has the processors. It can be done again at any time, and cannot be undone.

    Raises:
        SandboxUnavailable: This host cannot run generated code.
    """
    server, own = fork_client().pid, os.getpriority(os.PRIO_PROCESS, 0)
    # A server that has just ended is started again by whoever needs it.
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, server, max(own + NICENESS, os.getpriority(os.PRIO_PROCESS, server)))
