"""The load of suite `paired`, in a process of its own whose `synthesis` and `benchmarks` are some checkout's.

Run as a file, with that checkout on PYTHONPATH, so it uses only what older checkouts have too:

    paired_load.py subject FOLDER       writes the environment that is measured; prints its calls
    paired_load.py LOAD SUBJECT         for each line of stdin puts the load on for so many seconds; prints
                                        how much was done and what it cost
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks import memory
from synthesis.bundles.open import open_bundle
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer
from synthesis.rollouts import agent, batch
from synthesis.worlds.collector import tune_collector
from synthesis.worlds.world import World

SIDE_BY_SIDE = 4
"""Episodes at once, as the studio plays them."""
CONNECTIONS = 64
PROVED = (
    "A municipal library lends books, games and tools",
    "A laboratory receives samples and sends reports",
)
"""Sentences whose worlds are proved, beside the clinic."""
_EXIT_SECONDS = 5.0
_LASTING = 2
"""Processes that outlast a proof: this one and the fork server."""
_TICKS = os.sysconf("SC_CLK_TCK")
_DECISION = getattr(agent, "AgentDecision", None) or agent.Decision  # type: ignore[attr-defined]

Load = Callable[[float], int]
"""Puts a load on for so many seconds; how much of it was done."""


class Reference:
    """Plays ten calls, then answers."""

    name = "benchmark"
    model: str | None = None

    def __init__(self, subject: dict[str, Any], *, answers: bool) -> None:
        calls = [ToolCall(name=name, arguments=arguments) for name, arguments in subject["episode"]]
        answer = FinalAnswer(text=subject["answer"] if answers else "")
        self._actions: Iterator[Any] = iter([*calls, answer])

    def begin(self, context: object) -> None:
        """Nothing to prepare: it plays one task."""

    def act(self, observation: object) -> Any:  # noqa: ARG002 - it knows what comes next
        return _DECISION(action=next(self._actions))


def main(arguments: list[str]) -> None:
    if arguments[0] == "subject":
        print(json.dumps(_subject(Path(arguments[1]))))
        return
    subject = json.loads(Path(arguments[1]).read_text(encoding="utf-8"))
    what, _, isolation = arguments[0].partition(":")
    with LOADS[what](subject, isolation) as (load, pid):
        load(0.5)
        print("ready", flush=True)
        for line in sys.stdin:
            print(json.dumps(_measured(load, float(line), pid)), flush=True)


def _measured(load: Load, seconds: float, pid: int | None) -> dict[str, float]:
    """What a slice of load came to; `host` is the process that drives the workers."""
    before, began = _spent(pid), time.perf_counter()
    done = load(seconds)
    host, workers = (end - start for end, start in zip(_spent(pid), before, strict=True))
    return {"done": done, "seconds": time.perf_counter() - began, "host": host, "workers": workers}


def _spent(server: int | None) -> tuple[float, float]:
    """Processor seconds of this process, or of a server, and those of all that descends from it."""
    pid = os.getpid() if server is None else server
    host = sum(_times(pid)[:2])
    return host, sum(sum(_times(each)) for each in memory.descendants(pid)) - host


def _times(pid: int) -> list[float]:
    """Processor seconds of a process, user and kernel, and of the children it has waited for."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return [int(ticks) / _TICKS for ticks in fields[11:15]]
    return [0.0] * 4


def _subject(folder: Path) -> dict[str, Any]:
    from benchmarks.subject import subject

    made = subject(folder)
    return {
        "proved": list(map(str, _proved(folder))),
        "bundle": str(made.path),
        "task": made.task.id,
        "answer": made.task.reference_answer,
        "read": (made.read.name, made.read.arguments),
        "write": (made.write.name, made.write.arguments),
        "episode": [(call.name, call.arguments) for call in made.episode],
    }


def _proved(folder: Path) -> Iterator[Path]:
    """The environments of load `proof`: the clinic, and worlds from sentences."""
    from synthesis.bundles.native import NativeCodec
    from synthesis.documents.bundle import Bundle

    subjects: Any = importlib.import_module("benchmarks.subject")
    yield Path(subjects.__file__).parent.parent / "tests" / "data" / "clinic_front_desk"
    for number, sentence in enumerate(PROVED):
        path = folder / f"proved-{number}"
        NativeCodec().write(Bundle(environment=subjects.compose(sentence, seed=13 * number)), path)
        yield path


@contextlib.contextmanager
def _calls(subject: dict[str, Any], isolation: str) -> Iterator[tuple[Load, None]]:
    """One call after the other in one instance, reading and writing in turn."""
    pair = [subject["read"], subject["write"]]

    def load(seconds: float) -> int:
        until = time.perf_counter() + seconds
        with world.instance() as instance:
            for number in count():
                if time.perf_counter() >= until:
                    return number
                name, given = pair[number % 2]
                if not instance.call(name, given).ok:
                    raise RuntimeError(f"{name} failed")
        raise AssertionError

    with World(open_bundle(Path(subject["bundle"])).environment, isolation=isolation) as world:  # type: ignore[arg-type]
        tune_collector()
        yield load, None


@contextlib.contextmanager
def _episodes(
    subject: dict[str, Any], isolation: str, *, answers: bool = True
) -> Iterator[tuple[Load, None]]:
    """Ten-call episodes, played and verified, some at once."""

    def jobs(until: float) -> Iterator[batch.RolloutJob]:
        for seed in count():
            if time.perf_counter() >= until:
                return
            play = lambda: Reference(subject, answers=answers)  # noqa: E731
            yield batch.RolloutJob(world, subject["task"], play, seed)

    def load(seconds: float) -> int:
        done = 0
        groups = batch.roll_out_groups(jobs(time.perf_counter() + seconds), at_once=SIDE_BY_SIDE)
        for finished in (each for group in groups for each in group):
            verdicts = finished.judged.verdicts if finished.judged else ()
            if answers and [verdict.label for verdict in verdicts] != ["completed"]:
                raise RuntimeError(f"an episode came to {verdicts} {finished.error}")
            done += 1
        return done

    with World(open_bundle(Path(subject["bundle"])).environment, isolation=isolation) as world:  # type: ignore[arg-type]
        tune_collector()
        yield load, None


@contextlib.contextmanager
def _unanswered(subject: dict[str, Any], isolation: str) -> Iterator[tuple[Load, None]]:
    """The same episodes with an empty answer."""
    with _episodes(subject, isolation, answers=False) as load:
        yield load


@contextlib.contextmanager
def _proof(subject: dict[str, Any], _isolation: str) -> Iterator[tuple[Load, None]]:
    """Every environment proved once, however long that takes, so that each turn is the same work."""
    from synthesis.verification.checks import check_environment

    environments = [open_bundle(Path(path)).environment for path in subject["proved"]]

    def load(seconds: float) -> int:
        chosen = environments if seconds >= 1 else environments[:1]
        for environment in chosen:
            check_environment(environment)
        _wait_for_workers()
        return len(chosen)

    yield load, None


def _wait_for_workers() -> None:
    """Processor time of an ended worker counts only when it has been waited for."""
    until = time.monotonic() + _EXIT_SECONDS
    while len(memory.descendants(os.getpid())) > _LASTING and time.monotonic() < until:
        time.sleep(0.02)


@contextlib.contextmanager
def _mcp(subject: dict[str, Any], isolation: str) -> Iterator[tuple[Load, int]]:
    """Tool calls over MCP from many connections, each on an instance of its own."""
    from benchmarks.http import Connection
    from benchmarks.served import served

    log = Path(subject["bundle"]).parent / f"mcp-{isolation}-{time.time_ns()}.log"
    with served(Path(subject["bundle"]), isolation=isolation, log=log) as (url, pid):
        loop = asyncio.new_event_loop()
        connections = [loop.run_until_complete(Connection.open(url)) for _ in range(CONNECTIONS)]
        paths = [loop.run_until_complete(_opened(connection)) for connection in connections]

        async def put(seconds: float) -> int:
            until = time.perf_counter() + seconds
            each = (_flat_out(*pair, subject, until) for pair in zip(connections, paths, strict=True))
            return sum(await asyncio.gather(*each))

        yield lambda seconds: loop.run_until_complete(put(seconds)), pid
        for connection in connections:
            loop.run_until_complete(connection.close())


async def _opened(connection: Any) -> str:
    opened = await connection.call("POST", "/instances", {})
    return "/" + str(opened["mcp_url"]).split("/", 3)[3]


async def _flat_out(connection: Any, path: str, subject: dict[str, Any], until: float) -> int:
    for number in count():
        if time.perf_counter() >= until:
            return number
        name, given = subject["write" if number % 2 else "read"]
        params = {"name": name, "arguments": given}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        reply = await connection.call("POST", path, body, {"MCP-Protocol-Version": "2025-06-18"})
        if "structuredContent" not in reply.get("result", {}):
            raise RuntimeError(f"{name}: {reply}")
    raise AssertionError


LOADS: dict[str, Any] = {
    "calls": _calls,
    "episodes": _episodes,
    "unanswered": _unanswered,
    "mcp": _mcp,
    "proof": _proof,
}

if __name__ == "__main__":
    main(sys.argv[1:])
