"""The attacks of suite `hostile` by generated code: coroutines that a server and its clients must survive.

`benchmarks.hostile_requests` has those by clients alone.
"""

from __future__ import annotations

import asyncio

from benchmarks.hostile_attackers import Attackers, attack
from benchmarks.hostile_world import HANGING, HOSTILE, TASK


@attack("requests_answered_and_not_taken", 1)
async def _peek(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 8)
    for _ in range(3):
        await attackers.call_all(ids, "peek")
    await asyncio.gather(*(attackers.call(id, "note", text="x" * 19_000) for id in ids for _ in range(10)))


@attack("requests_never_read", 1)
async def _deaf(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 8)
    await attackers.call_all(ids, "deaf")
    await asyncio.gather(*(attackers.call(id, "note", text="x" * 600_000) for id in ids for _ in range(3)))


@attack("nested_lists", 2)
async def _nested(attackers: Attackers) -> None:
    await attackers.call_all(await attackers.open_many(4), "nested", count=20_000_000)


@attack("nested_lists_within_the_size", 2)
async def _nested_within(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 4)
    for count in (10_000, 330_000):
        await attackers.call_all(ids, "nested", count=count)


@attack("changed_rows", 2)
async def _changed(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 4)
    for count in (9_000, 25_000, 500_000):
        await attackers.call_all(ids, "changed", count=count)


@attack("answers_in_no_known_form", 2)
async def _shapeless(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 4)
    for kind in range(5):
        await attackers.call_all(ids, "shapeless", kind=kind)


@attack("long_answers_to_read", 3)
async def _answers(attackers: Attackers) -> None:
    texts = ("not " * 5_000, "1," * 10_000, "no " + "a" * 19_990, "I did not, " * 1_800, "2026-" * 4_000)
    for text in texts:
        ids = [id for _ in range(4) if (id := await attackers.open(task=TASK))]
        bodies = {"task": TASK, "answer": text}
        await asyncio.gather(*(attackers.ask("POST", f"/i/{id}/verify", bodies) for id in ids))


@attack("large_states_verified", 2)
async def _large(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 16)
    for _ in range(45):
        await attackers.call_all(ids, "large", mebibytes=1)
    await asyncio.gather(*(attackers.ask("POST", f"/i/{id}/verify", {"task": TASK}) for id in ids))


@attack("catastrophic_patterns", 5)
async def _patterns(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 2)
    await attackers.call_all(ids, "coded", code="a" * 60 + "!")


@attack("least_lengths_of_gigabytes", 5)
async def _lengths(attackers: Attackers) -> None:
    """Whoever describes the tool, checks a text for it or makes one must not make one of that length."""
    ids = await attackers.open_many(attackers.size // 2)
    await attackers.call_all(ids, "lengthy", text="a")
    await attackers.call_all(ids, "lengthy", text="a" * 900_000)
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    await asyncio.gather(*(attackers.ask("POST", f"/i/{id}/mcp", listing) for id in ids))
    await asyncio.gather(*(attackers.ask("GET", f"/tools?environment={HOSTILE}") for _ in ids))


@attack("calls_slow_when_made_again", 6)
async def _recovery(attackers: Attackers) -> None:
    ids = await attackers.open_many(attackers.size // 4)
    await asyncio.sleep(1.5)
    for _ in range(20):
        await attackers.call_all(ids, "slow_again")
    await attackers.call_all(ids, "die")


@attack("spinning", 7)
async def _spinning(attackers: Attackers) -> None:
    await attackers.call_all(await attackers.open_many(attackers.size), "spin")


@attack("spinning_after_the_answer", 7)
async def _spinning_after(attackers: Attackers) -> None:
    await attackers.call_all(await attackers.open_many(5 * attackers.size), "answer_and_spin")
    await asyncio.sleep(4)


@attack("modules_that_hang", 7)
async def _hanging(attackers: Attackers) -> None:
    await asyncio.gather(*(attackers.open(HANGING) for _ in range(attackers.size)))
