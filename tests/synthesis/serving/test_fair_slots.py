"""Slots are shared: nobody gets all of them, and who used little comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from synthesis.serving.fair_slots import FairSlots, Flow
from synthesis.serving.faults import RequestRefused

MINE, THEIRS = Flow("mine", "shop"), Flow("theirs", "shop")


class Work:
    """Work that holds a slot until it is told to end."""

    def __init__(self, slots: FairSlots, flow: Flow) -> None:
        self.began, self.over = False, asyncio.Event()
        self.task = asyncio.create_task(self._run(slots, flow))

    async def _run(self, slots: FairSlots, flow: Flow) -> None:
        async with slots.slot(flow):
            self.began = True
            await self.over.wait()

    async def end(self) -> None:
        self.over.set()
        await self.task


async def begin(slots: FairSlots, flow: Flow, count: int) -> list[Work]:
    works = [Work(slots, flow) for _ in range(count)]
    await settle()
    return works


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def running(works: list[Work]) -> int:
    return sum(work.began for work in works)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 20))


def test_one_flow_never_gets_all_and_the_next_never_waits() -> None:
    async def test() -> None:
        slots = FairSlots(32)
        spinning = await begin(slots, MINE, 300)
        assert running(spinning) == 16
        assert slots.waiting == 284
        others = [(await begin(slots, Flow(f"client {n}", "shop"), 1))[0] for n in range(3)]
        assert running(others) == 3
        for work in (*others, *spinning):
            work.over.set()
        await asyncio.gather(*(work.task for work in (*others, *spinning)))
        assert slots.waiting == 0
        assert running(await begin(slots, THEIRS, 20)) == 16

    run(test())


def test_a_client_with_many_environments_leaves_room_for_others() -> None:
    async def test() -> None:
        slots = FairSlots(32)
        many = [work for n in range(40) for work in await begin(slots, Flow("mine", f"e{n}"), 10)]
        assert running(many) == 22, "twice what it leaves free"
        assert running(await begin(slots, THEIRS, 1)) == 1

    run(test())


def test_an_environment_used_by_many_clients_leaves_room_for_others() -> None:
    async def test() -> None:
        slots = FairSlots(32)
        many = [work for n in range(40) for work in await begin(slots, Flow(f"c{n}", "shop"), 10)]
        assert running(many) == 22, "twice what it leaves free"
        assert running(await begin(slots, Flow("c0", "clinic"), 1)) == 1

    run(test())


def test_who_used_less_time_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr("synthesis.serving.fair_slots.time.monotonic", lambda: now)

    async def test() -> None:
        nonlocal now
        slots = FairSlots(2)
        (first,) = await begin(slots, MINE, 1)
        now += 3
        (waiting,) = await begin(slots, MINE, 1)
        (other,) = await begin(slots, THEIRS, 1)
        (another,) = await begin(slots, THEIRS, 1)
        assert [work.began for work in (first, waiting, other, another)] == [True, False, True, False]
        await first.end()
        await settle()
        assert [waiting.began, another.began] == [True, False]  # theirs runs one already
        await other.end()
        await settle()
        assert another.began

    run(test())


def test_who_gives_up_waiting_takes_no_slot() -> None:
    async def test() -> None:
        slots = FairSlots(2)
        (holder,) = await begin(slots, MINE, 1)
        (gone, patient) = await begin(slots, MINE, 2)
        gone.task.cancel()
        await settle()
        assert slots.waiting == 1
        await holder.end()
        await settle()
        assert patient.began
        assert not gone.began

    run(test())


def test_what_was_used_adds_up_and_who_used_less_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("synthesis.serving.fair_slots.time.monotonic", lambda: now[0])
    first: list[str] = []

    async def use(slots: FairSlots, flow: Flow, seconds: float) -> None:
        async with slots.slot(flow):
            first.append(flow.client)
            now[0] += seconds

    async def main() -> None:
        slots = FairSlots(1)
        for seconds in (0.4, 0.4):
            await use(slots, MINE, seconds)
        await use(slots, THEIRS, 0.5)
        first.clear()
        (holder,) = await begin(slots, Flow("another", "shop"), 1)
        both = [asyncio.create_task(use(slots, flow, 0)) for flow in (MINE, THEIRS)]
        await settle()
        await holder.end()
        await asyncio.gather(*both)

    asyncio.run(main())
    assert first == ["theirs", "mine"]


@pytest.mark.parametrize(("seconds", "order"), [(4.4, ["theirs", "mine"]), (4.6, ["mine", "theirs"])])
def test_what_was_used_long_ago_counts_half(
    monkeypatch: pytest.MonkeyPatch, seconds: float, order: list[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("synthesis.serving.fair_slots.time.monotonic", lambda: now[0])
    first: list[str] = []

    async def use(slots: FairSlots, flow: Flow, seconds: float) -> None:
        async with slots.slot(flow):
            first.append(flow.client)
            now[0] += seconds

    async def main() -> None:
        slots = FairSlots(1)
        await use(slots, MINE, 9.0)
        await use(slots, THEIRS, seconds)
        first.clear()
        (holder,) = await begin(slots, Flow("another", "shop"), 1)
        both = [asyncio.create_task(use(slots, flow, 0)) for flow in (MINE, THEIRS)]
        await settle()
        await holder.end()
        await asyncio.gather(*both)

    asyncio.run(main())
    assert first == order


def test_who_waits_longer_than_it_has_patience_is_told_when_to_come_again() -> None:
    async def test() -> None:
        slots = FairSlots(2)
        (holder,) = await begin(slots, MINE, 1)
        with pytest.raises(RequestRefused, match="already waiting") as refused:
            async with slots.slot(MINE, patience=0.01):
                pass
        assert (refused.value.status, refused.value.code, refused.value.retry_after) == (503, "busy", 5)
        assert slots.waiting == 0
        await holder.end()
        async with slots.slot(MINE, patience=0.01):
            pass

    run(test())
