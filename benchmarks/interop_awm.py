"""The Agent World Model's format both ways: what is hosted answers as before, what is exported holds."""

from __future__ import annotations

import os
import random
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import orjson

from benchmarks import memory, processor_time
from benchmarks.sample import Sample, rounded
from synthesis.bundles.awm.exporting import export_awm
from synthesis.bundles.awm.folder import read_awm_folder
from synthesis.bundles.awm.importing import AwmImportOptions, import_awm
from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall, ToolResult
from synthesis.documents.trajectory import FinalAnswer
from synthesis.documents.verdict import Scored
from synthesis.episode import Episode
from synthesis.procedural.business.author import compose
from synthesis.worlds.worker.web.operations import operations
from synthesis.worlds.world import World

FIXTURE = Path(__file__).parent.parent / "tests" / "data" / "awm"
CALLS, QUICK_CALLS = 400, 40
INSTANCES = 20
SENTENCES = (
    ("A veterinary clinic books visits and bills owners", 3),
    ("A bike shop rents out bikes and repairs them", 4),
)
_START_SECONDS = 60
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?")


def awm_figures(bundles: Sequence[Path], folder: Path, *, quick: bool) -> dict[str, Any]:
    """What the format gives both ways.

    Args:
        bundles: Environments to export.
        folder: Scratch.
        quick: Fewer calls and no further environments.
    """
    began = time.perf_counter()
    lines, _ = import_awm(FIXTURE, folder / "fixture", AwmImportOptions(prove=False))
    seconds = time.perf_counter() - began
    hosted = {line.name: open_bundle(folder / "fixture" / line.name).environment for line in lines}
    environments = [open_bundle(bundle).environment for bundle in bundles]
    if not quick:
        environments += [compose(sentence, seed=seed) for sentence, seed in SENTENCES]
    return {
        "imported": {"environments": len(lines), "seconds_each": rounded(seconds / len(lines))},
        "same_answers": _same_answers(hosted, folder, (QUICK_CALLS if quick else CALLS) // len(hosted)),
        "hosted": {name: _cost(environment) for name, environment in hosted.items()},
        "exported": _exported(environments, folder),
    }


def _same_answers(hosted: dict[str, Environment], folder: Path, calls: int) -> dict[str, Any]:
    """The same calls in the same order under the original server and here: equal status and body.

    A call that fails changes nothing here; where the original server has kept a part of it, that is counted
    and put right, so that later answers are compared on equal states.
    """
    scenarios = read_awm_folder(FIXTURE)
    same, kept, differing, statuses = 0, list[str](), list[str](), Counter[str]()
    for name, environment in hosted.items():
        image = folder / f"{name}.db"
        with World(_today(environment), isolation="shared") as world, world.instance() as instance:
            image.write_bytes(instance.snapshot().image)
            with _original(scenarios[name].code, image) as http:
                routes = {each.name: each for each, _ in operations(http.get("/openapi.json").json())}
                for tool, arguments in _calls(environment, calls):
                    method, path, query, body = routes[tool].request(arguments)
                    address = f"{path}?{query.decode()}" if query else path
                    headers = {"content-type": "application/json"} if body else {}
                    answer = http.request(method, address, content=body, headers=headers)
                    theirs = (answer.status_code, _plain(answer.text))
                    ours = _answer(tool, instance.call(tool, arguments))
                    statuses[str(theirs[0])] += 1
                    same += theirs == ours
                    if theirs[0] >= 400 and _put_right(image, instance.snapshot().image):
                        kept.append(tool)
                    if theirs != ours:
                        differing.append(f"{tool} {arguments}: {theirs} {ours}"[:400])
    total = sum(statuses.values())
    return {
        "calls": total,
        "share": rounded(same / total),
        "statuses": dict(statuses),
        "kept_after_failure": kept,
        "differing": differing[:5],
    }


def _put_right(database: Path, image: bytes) -> bool:
    """Whether a database had other rows than an image; it has those of the image now."""
    with closing(sqlite3.connect(database)) as theirs, closing(sqlite3.connect(":memory:")) as ours:
        ours.deserialize(image)
        tables = [name for (name,) in ours.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        selects = [f'SELECT * FROM "{name}" ORDER BY rowid' for name in tables]
        # Moments of writing differ by the seconds that a request takes.
        states = [
            [_plain(str(one.execute(select).fetchall())) for select in selects] for one in (theirs, ours)
        ]
        if states[0] == states[1]:
            return False
        ours.backup(theirs)
    return True


def _today(environment: Environment) -> Environment:
    """The environment at the clock of the original server, by which lists are sorted."""
    clock = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    scenario = environment.scenario.model_copy(update={"clock": clock})
    return environment.model_copy(update={"scenario": scenario})


def _answer(tool: str, result: ToolResult) -> tuple[int, str]:
    """Status and body of a result, as the server would have answered."""
    if result.ok:
        return 200, _plain(orjson.dumps(result.value).decode())
    pattern = rf"Error calling {tool}\. Status code: (\d+)\. Response: (.*)"
    found = re.match(pattern, result.message, re.DOTALL)
    return (int(found[1]), _plain(found[2])) if found else (500, "Internal Server Error")


def _plain(body: str) -> str:
    """A body whatever its white space and the moment at which it was written."""
    try:
        text = orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONDecodeError:
        text = body
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    return _MOMENT.sub(lambda found: "NOW" if found[0].startswith(today) else found[0], text)


def _calls(environment: Environment, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every tool in turn with arguments that often fit: numbers of rows, words of the world, odd ones."""
    draw = random.Random(7)
    words = sorted(
        {
            str(value)
            for rows in environment.seed_data.rows.values()
            for row in rows
            for value in row.values()
            if isinstance(value, str) and len(value) < 40
        }
    )
    tools = environment.tools.tools
    for number in range(count):
        tool = tools[number % len(tools)]
        schema: Any = tool.input_schema
        yield (
            tool.name,
            {
                name: _value(rule, draw, words)
                for name, rule in schema["properties"].items()
                if name in schema["required"] or draw.random() < 0.4
            },
        )


def _value(rule: dict[str, Any], draw: random.Random, words: list[str]) -> Any:
    if draw.random() < 0.05:
        return draw.choice(["", -1, "nonsense", 10**9])
    if "enum" in rule:
        return draw.choice(rule["enum"])
    if rule.get("type") == "array":
        return [_value(rule.get("items", {}), draw, words) for _ in range(2)]
    values: dict[str, list[Any]] = {
        "integer": [*range(1, 9)],
        "number": [0.5, 10.0, 120.0],
        "boolean": [True, False],
        "object": [{}],
    }
    return draw.choice(values.get(str(rule.get("type")), words))


@contextmanager
def _original(code: str, database: Path) -> Iterator[httpx.Client]:
    """The module under its own server, started as the launcher of the format does."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        script = Path(folder) / "server.py"
        script.write_text("\n".join(_rewritten(line, database, port) for line in code.split("\n")))
        with subprocess.Popen(
            [sys.executable, script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as server:
            try:
                # A connection each: the server closes one that waits for a few seconds.
                each = httpx.Limits(max_keepalive_connections=0)
                with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, limits=each) as http:
                    _wait(http)
                    yield http
            finally:
                server.terminate()


def _rewritten(line: str, database: Path, port: int) -> str:
    if "create_engine(" in line and "import" not in line:
        left, _, _ = line.partition("create_engine(")
        return f"{left}create_engine('sqlite:///{database}', connect_args={{'check_same_thread': False}})"
    return f"    uvicorn.run(app, host='127.0.0.1', port={port})" if "uvicorn.run(app" in line else line


def _wait(http: httpx.Client) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            http.get("/openapi.json").raise_for_status()
            return
        time.sleep(0.1)
    raise RuntimeError("The original server did not start.")


def _cost(environment: Environment) -> dict[str, Any]:
    """What an instance costs where many share a process: memory, and time to the answer of its first call."""
    read = next(tool for tool in environment.tools.tools if not tool.mutates_state)
    schema: Any = read.input_schema
    arguments = dict.fromkeys(schema["required"], 1)
    waits = []
    with World(environment, isolation="shared") as world, ExitStack() as stack:
        stack.enter_context(world.instance()).call(read.name, arguments)
        before, spent_before = _own_kib(), processor_time.spent()
        for _ in range(INSTANCES):
            began = time.perf_counter()
            stack.enter_context(world.instance()).call(read.name, arguments)
            waits.append((time.perf_counter() - began) * 1_000)
        after, spent = _own_kib(), processor_time.spent() - spent_before
    known = before is not None and after is not None
    return {
        "mib_each": rounded(((after or 0) - (before or 0)) / 1024 / INSTANCES) if known else None,
        "ms_to_first_call": Sample(tuple(waits)).as_json(),
        "processor_ms_each": rounded(spent * 1_000 / INSTANCES),
    }


def _own_kib() -> int | None:
    return memory.pss_kib(memory.descendants(os.getpid()))


def _exported(environments: Sequence[Environment], folder: Path) -> dict[str, Any]:
    """An exported folder read back: its verifiers on its own tools, with the references and untouched."""
    began = time.perf_counter()
    target = folder / "exported"
    export_awm((Bundle(environment=each) for each in environments), target)
    seconds = time.perf_counter() - began
    import_awm(target, folder / "back", AwmImportOptions(prove=False))
    complete = others = tasks = 0
    for environment in environments:
        back = open_bundle(folder / "back" / environment.name).environment
        with World(back, isolation="shared") as world:
            for number, task in enumerate(environment.tasks.tasks):
                calls, answer = task.reference_solution, task.reference_answer
                complete += _label(world, f"task_{number}", calls, answer) == "complete"
                others += _label(world, f"task_{number}", (), "") == "others"
                tasks += 1
    return {
        "environments": len(environments),
        "tasks": tasks,
        "references_complete": rounded(complete / tasks),
        "untouched_others": rounded(others / tasks),
        "seconds_each": rounded(seconds / len(environments)),
    }


def _label(world: World, task: str, calls: Sequence[ToolCall], answer: str) -> str:
    with Episode(world, task) as episode:
        episode.reset()
        for call in calls:
            episode.step(call)
        episode.step(FinalAnswer(text=answer))
        verdict = episode.verdict
    outcomes = verdict.outcomes if isinstance(verdict, Scored) else ()
    return str(next((each.detail for each in outcomes if each.name == "complete"), "unscored"))
