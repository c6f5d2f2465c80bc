"""Suite `interop`: what a world gives through each way in.

On each of three environments, the share of tasks whose reference solution is fully rewarded and an idle
agent's highest reward: by `clients`, the libraries themselves in environments of their own (`--quick` tries
Gymnasium alone), and by `wires`, which are spoken directly. Lines of glue, calls a second; what the Agent
World Model's format gives both ways.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import httpx
import orjson
from websockets.sync.client import ClientConnection, connect

from benchmarks.client_library import RAY, ClientLibrary, NotInstalled, write_tasks
from benchmarks.interop_awm import awm_figures
from benchmarks.interop_clients import CLIENTS, Place, RealClient
from benchmarks.interop_environments import CLINIC, NAMES, bundle_of
from benchmarks.interop_pool import pool_speeds
from benchmarks.machine import machine
from benchmarks.sample import rounded
from benchmarks.served import served
from synthesis.adapters import trl
from synthesis.adapters.client import Client
from synthesis.adapters.gymnasium import ID
from synthesis.bundles.nemo_gym import NemoGymCodec
from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.serving.credentials import Credentials

ROOT = Path(__file__).parent.parent
CALLS = 400
QUICK_TASKS, QUICK_CALLS = 2, 100
POOL_SECONDS, QUICK_POOL_SECONDS = 10.0, 1.0
_EPISODE_CALLS = 10
READ = ToolCall(name="get_patient", arguments={"patient_id": 1})

Play = Callable[[Task, bool], float]
"""One episode of a task: with its reference solution and answer, or without any call; its reward."""


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite as `python -m benchmarks interop` runs it; `--quick` plays two tasks of one environment."""
    quick = arguments.quick
    bundle = arguments.bundle or CLINIC
    with tempfile.TemporaryDirectory() as folder:
        names = NAMES[:1] if quick or arguments.bundle else NAMES
        bundles = [arguments.bundle or bundle_of(name, Path(folder)) for name in names]
        played = [_played(one, Path(folder), quick=quick) for one in bundles]
        awm = awm_figures(bundles, Path(folder), quick=quick)
    return {
        "suite": "interop",
        "machine": machine(),
        "tasks": {one.name: each["tasks"] for one, each in zip(bundles, played, strict=True)},
        "clients": _worst([each["clients"] for each in played]),
        "wires": _worst([each["wires"] for each in played]),
        "awm": awm,
        "calls_per_s_one_connection": _speeds(bundle, QUICK_CALLS if quick else CALLS),
        "pool": pool_speeds(bundle, READ, QUICK_POOL_SECONDS if quick else POOL_SECONDS),
        "ray_pool": {} if quick else _ray_speeds(bundle),
        "credential_us": _credential_microseconds(),
        "glue_lines": {path.stem: glue_lines(path) for path in sorted((ROOT / "examples").glob("*.py"))},
    }


def _played(bundle: Path, folder: Path, *, quick: bool) -> dict[str, Any]:
    """What each way in gives on one environment, with the number of tasks."""
    environment = open_bundle(bundle).environment
    tasks = environment.tasks.tasks[: QUICK_TASKS if quick else None]
    log = folder / "log"
    with served(bundle, isolation="process", log=log, options=("--nemo-gym",)) as (url, _):
        wires = {name: _rewards(play, tasks) for name, play in _wires(url, bundle)}
        clients = {"gym": _rewards_in_gymnasium(bundle, tasks)}
        if not quick:
            place = Place(
                bundle=bundle,
                url=url,
                tasks=write_tasks(environment, folder / "tasks.json"),
                rows=NemoGymCodec().write(Bundle(environment=environment), folder / "rows.jsonl"),
            )
            clients |= {client.name: _rewards_of(client, place) for client in CLIENTS}
    return {"tasks": len(tasks), "clients": clients, "wires": wires}


def _rewards_of(client: RealClient, place: Place) -> dict[str, Any]:
    try:
        gold, idle = client.rewards(place)
    except NotInstalled as reason:
        return {"skipped": str(reason)}
    return {"gold": rounded(sum(reward == 1.0 for reward in gold) / len(gold)), "no_op": max(idle)}


def _worst(results: list[dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """By way in: the lowest share and the highest idle reward of all environments."""
    return {name: _worst_of([each[name] for each in results]) for name in sorted(results[0])}


def _worst_of(results: list[dict[str, Any]]) -> dict[str, Any]:
    reasons = [each["skipped"] for each in results if "skipped" in each]
    if reasons:
        return {"skipped": reasons[0]}
    return {
        "gold": min(each["gold"] for each in results),
        "no_op": max(each["no_op"] for each in results),
        "environments": len(results),
    }


def _ray_speeds(bundle: Path) -> dict[str, Any]:
    try:
        library = ClientLibrary(RAY)
    except NotInstalled as reason:
        return {"skipped": str(reason)}
    given = (str(bundle), str(POOL_SECONDS), READ.model_dump_json())
    speeds: dict[str, Any] = library.run("ray_speed_client.py", *given, path=ROOT)
    return speeds


def _speeds(bundle: Path, calls: int) -> dict[str, float]:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(bundle, isolation="process", log=Path(folder) / "log") as (url, _),
    ):
        return {"json": _json_speed(url, calls), "openenv": _openenv_speed(url, calls)}


def glue_lines(path: Path) -> int:
    """Lines of an example that a user writes: without its docstring, imports and blank lines."""
    lines = path.read_text().partition('"""\n\n')[2].splitlines()
    return sum(
        bool(line.strip()) and not line.startswith(("import ", "from ", "if __name__")) for line in lines
    )


def _rewards(play: Play, tasks: tuple[Task, ...]) -> dict[str, float]:
    gold = [play(task, True) for task in tasks]
    idle = [play(task, False) for task in tasks]
    return {"gold": rounded(sum(reward == 1.0 for reward in gold) / len(gold)), "no_op": max(idle)}


def _wires(url: str, bundle: Path) -> Iterator[tuple[str, Play]]:
    """Every wire with what plays an episode over it, open while it is used; TRL's is its methods."""
    with Client(url) as server:
        yield "json", lambda task, plays: _by_client(server, task, plays)
    with connect(url.replace("http", "ws") + "/ws") as socket:
        yield "openenv", lambda task, plays: _by_socket(socket, task, plays)
    yield "nemo_gym", lambda task, plays: _by_cookie(url, task, plays)
    factory = trl.environment_factory(bundle)
    with contextlib.closing(factory._world):  # noqa: SLF001 public members are tools
        yield "trl", lambda task, plays: _by_methods(factory(), task, plays)


def _rewards_in_gymnasium(bundle: Path, tasks: tuple[Task, ...]) -> dict[str, float]:
    with contextlib.closing(gymnasium.make(ID, bundle=bundle)) as env:
        return _rewards(lambda task, plays: _by_steps(env, task, plays), tasks)


def _by_client(server: Client, task: Task, plays: bool) -> float:
    with server.open(task=task.id) as instance:
        for call in task.reference_solution if plays else ():
            instance.call_with(call.name, call.arguments)
        return float(instance.verify(task.reference_answer if plays else "").reward or 0)


def _by_socket(socket: ClientConnection, task: Task, plays: bool) -> float:
    _ask(socket, {"type": "reset", "data": {"task": task.id}})
    for call in task.reference_solution if plays else ():
        _step(socket, call.name, call.arguments)
    answer = {"final_answer": task.reference_answer if plays else ""}
    return float(_step(socket, "done", answer)["data"]["reward"])


def _step(socket: ClientConnection, name: str, arguments: Any) -> Any:
    data = {"type": "call_tool", "tool_name": name, "arguments": arguments}
    return _ask(socket, {"type": "step", "data": data})


def _ask(socket: ClientConnection, message: Any) -> Any:
    socket.send(orjson.dumps(message).decode())
    answer = orjson.loads(socket.recv())
    if answer["type"] == "error":
        raise RuntimeError(answer["data"]["message"])
    return answer


def _by_cookie(url: str, task: Task, plays: bool) -> float:
    row = {"verifier_metadata": {"task_id": task.id}}
    content = [{"type": "output_text", "text": task.reference_answer if plays else ""}]
    output = [{"type": "message", "role": "assistant", "content": content}]
    with httpx.Client(base_url=url, timeout=60) as http:
        http.post("/seed_session", json=row).raise_for_status()
        for call in task.reference_solution if plays else ():
            http.post(f"/{call.name}", json=call.arguments).raise_for_status()
        verified = http.post("/verify", json={**row, "response": {"output": output}}).raise_for_status()
        return float(verified.json()["reward"])


def _by_steps(env: Any, task: Task, plays: bool) -> float:
    env.reset(options={"task": task.id})
    for call in task.reference_solution if plays else ():
        env.step(call.model_dump_json())
    answer = {"answer": task.reference_answer if plays else ""}
    return float(env.step(orjson.dumps(answer).decode())[1])


def _by_methods(environment: trl.ToolEnvironment, task: Task, plays: bool) -> float:
    environment.reset(task_id=task.id)
    for call in task.reference_solution if plays else ():
        getattr(environment, call.name)(**call.arguments)
    (reward,) = trl.reward([task.reference_answer if plays else ""], [environment])
    return float(reward or 0)


def _json_speed(url: str, calls: int) -> float:
    with httpx.Client(timeout=60) as http:
        address = http.post(f"{url}/instances", json={}).json()["url"]
        body = READ.model_dump(mode="json")
        return _speed(lambda: http.post(f"{address}/call", json=body).raise_for_status(), calls)


def _openenv_speed(url: str, calls: int) -> float:
    """An episode ends at its task's limit of calls: between episodes time stands still."""
    speeds: list[float] = []
    with connect(url.replace("http", "ws") + "/ws") as socket:
        for _ in range(calls // _EPISODE_CALLS):
            _ask(socket, {"type": "reset", "data": {}})
            speeds.append(_speed(lambda: _step(socket, READ.name, READ.arguments), _EPISODE_CALLS))
    return rounded(statistics.median(speeds))


def _speed(call: Callable[[], object], calls: int) -> float:
    call()
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return rounded(calls / (time.perf_counter() - began))


def _credential_microseconds() -> float:
    credentials = Credentials(seconds=60)
    scope = {"path": f"/i/{credentials.issue('w0-0123456789abcdef', 'agent')}/call", "headers": []}
    runs = 20_000
    return rounded(timeit.timeit(lambda: credentials.grant(scope), number=runs) / runs * 1e6)
