"""However the service ends, no process of its sandbox outlives it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.synthesis.worlds.sandbox.hostile.scene import (
    ROOT,
    family_of,
)

SERVICE = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell started us aside
sys.path.insert(0, {root!r})
import pytest
from synthesis.worlds import world as world_module
from synthesis.worlds.sandbox.fork_client import fork_client
from tests.synthesis.worlds.sandbox.hostile.helpers import MORE_HELPERS, REACH
from tests.synthesis.worlds.sandbox.hostile.modules import BENIGN
from tests.synthesis.worlds.sandbox.hostile.scene import environment
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(world_module, "refuse", lambda findings: None)
    spin = 'def spin(db) -> dict:\\n    "Spin."\\n    _spin_and_swallow()\\n'
    world = world_module.World(environment(BENIGN + REACH + MORE_HELPERS + spin))
instances = [world.instance() for _ in range(3)]
threading.Thread(target=lambda: instances[0].call("spin"), daemon=True).start()
time.sleep(0.2)
print(fork_client().pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_the_services_death_leaves_no_process_behind(how: signal.Signals) -> None:
    script = SERVICE.format(root=str(ROOT))
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as service:
        assert service.stdout
        server = int(service.stdout.readline())
        family = family_of(server)
        assert len(family) == 1 + 1 + 3
        service.send_signal(how)
        service.wait(timeout=10)
        deadline = time.monotonic() + 2
        while left := {pid for pid in family if Path(f"/proc/{pid}/stat").exists()}:
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
        alive = {pid for pid in left if ") Z " not in Path(f"/proc/{pid}/stat").read_text()}
        assert alive == set()
