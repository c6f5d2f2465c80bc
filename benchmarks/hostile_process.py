"""An attack of suite `hostile` in a process of its own.

`python -m benchmarks.hostile_process KIND URL SIZE SECONDS` runs one. In one process with the other clients,
those would wait for the attackers' own work.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time

from benchmarks import hostile_attacks, hostile_requests
from benchmarks.hostile_attackers import KINDS, Attackers, AttackKind

__all__ = ["KINDS", "attack_from_outside", "hostile_attacks", "hostile_requests"]


async def attacked(kind: AttackKind, attackers: Attackers, seconds: float) -> dict[str, float]:
    """Attack for so many seconds at most, then delete the instances; how long both took."""
    began = time.perf_counter()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await kind.run(attackers)
    deleted = time.perf_counter()
    await asyncio.gather(*(attackers.ask("DELETE", f"/i/{id}") for id in attackers.instances))
    return {"attack_s": deleted - began, "deleted_s": time.perf_counter() - deleted}


async def attack_from_outside(kind: AttackKind, url: str, size: int, seconds: float) -> dict[str, float]:
    """The same in a process of its own.

    Raises:
        RuntimeError: That process failed; what it said is on stderr.
    """
    command = ["-m", "benchmarks.hostile_process", kind.name, url, str(size), str(seconds)]
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        raise RuntimeError(f"the attackers of {kind.name} ended with status {process.returncode}")
    took: dict[str, float] = json.loads(output)
    return took


if __name__ == "__main__":
    name, address, count, most = sys.argv[1:]
    print(json.dumps(asyncio.run(attacked(KINDS[name], Attackers(address, int(count)), float(most)))))
