"""Attacks by generated tools and verifiers, below every lint: each ends cleanly and changes nothing."""

from __future__ import annotations

import contextlib
import os
import platform
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import Tool, ToolCall, ToolResult, Toolset
from synthesis.documents.verdict import CheckOutcome
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import WorldError
from synthesis.worlds import world as world_module
from synthesis.worlds.database import read_schema
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_client import fork_client
from synthesis.worlds.toolset import compile_tools
from synthesis.worlds.world import Instance, World

ROOT = Path(__file__).parents[4]
HOSTILE = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("hostile_tools.py"))))
SECRET = "hunter2-the-services-password"
SIBLING = "zebra-only-the-sibling-has-this"
LIMITS = Limits(
    call_seconds=1.0,
    verify_seconds=1.5,
    grace_seconds=0.6,
    memory_mib=96,
    max_output_bytes=100_000,
    max_database_mib=16,
)
SCHEMA = (
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "CREATE TABLE big (id INTEGER PRIMARY KEY, x INTEGER NOT NULL);"
)
SEED_ROWS = {"notes": [{"id": 1, "text": "first"}], "big": [{"id": n, "x": n} for n in range(1, 400)]}


@dataclass(frozen=True, slots=True)
class Ground:
    """What attacks aim at outside of the sandbox."""

    folder: Path
    port: int
    listener: socket.socket

    @property
    def places(self) -> dict[str, object]:
        return {
            "secret_file": str(self.folder / "secret"),
            "canary": str(self.folder / "canary"),
            "service": os.getpid(),
            "port": self.port,
            "secret": (SECRET[:9], SECRET[9:]),
            "sibling": (SIBLING[:9], SIBLING[9:]),
        }

    def untouched(self) -> bool:
        """Nothing was read from outside, written, removed or connected to."""
        with contextlib.suppress(BlockingIOError):
            self.listener.accept()[0].close()
            return False
        files = sorted(path.name for path in self.folder.rglob("*"))
        return files == ["canary", "secret"] and (self.folder / "secret").read_text() == SECRET


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    """A folder that everybody may read and write, so that only the sandbox can be what stops an attack."""
    folder = Path(tempfile.mkdtemp())
    (folder / "canary").mkdir()
    (folder / "secret").write_text(SECRET)
    for path, mode in ((folder, 0o777), (folder / "canary", 0o777), (folder / "secret", 0o666)):
        path.chmod(mode)
    os.environ["SERVICE_PASSWORD"] = SECRET
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield Ground(folder, listener.getsockname()[1], listener)
    del os.environ["SERVICE_PASSWORD"]
    shutil.rmtree(folder)


def environment(source: str) -> Environment:
    """An environment around a tools module."""
    tool = Tool(name="notes", description="All notes.", input_schema={"type": "object"}, mutates_state=False)
    task = Task(
        id="look", instruction="Look at the notes.", kind="read", difficulty="easy", min_calls=1,
        reference_solution=(ToolCall(name="notes"),), reference_answer="There is one note.",
    )  # fmt: skip
    schema: Schema = read_schema(SCHEMA)
    return Environment(
        scenario=Scenario(
            name="hostile",
            title="Hostile",
            category="tests",
            description="Attacks.",
            clock=datetime(2026, 3, 11, 8, 30),
        ),
        schema=schema,
        seed_data=SeedData(rows=SEED_ROWS),  # type: ignore[arg-type]
        tools=Toolset(source=source, tools=(tool,)),
        tasks=Tasks(tasks=(task,)),
        verifiers=Verifiers(
            verifiers=(
                Verifier(task_id="look", source="def verify(b, a, c, x):\n    yield check('c', True)"),
            )
        ),
    )


@pytest.fixture(scope="module")
def crowd() -> set[int]:
    """The fork server and what it started for other tests of this process, before any attack."""
    return family_of(fork_client().pid)


@pytest.fixture(scope="module")
def world(ground: Ground, crowd: set[int]) -> Iterator[World]:
    """A world whose tools are attacks; the lint's findings are ignored, since a lint is no boundary."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world_module, "refuse", lambda findings: None)
        result = World(environment(HOSTILE.source(**ground.places)), limits=LIMITS)
    with result:
        yield result


@pytest.fixture(scope="module")
def other_world(crowd: set[int]) -> Iterator[World]:
    """Another environment in the same service."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world_module, "refuse", lambda findings: None)
        result = World(environment(HOSTILE.BENIGN + HOSTILE.REACH), limits=LIMITS)
    with result:
        yield result


@pytest.fixture(scope="module")
def sibling(world: World) -> Instance:
    """An instance of the same world that holds somebody else's data."""
    result = world.instance()
    assert result.call("note", {"text": SIBLING}).status == "ok"
    return result


@pytest.fixture
def instance(world: World, sibling: Instance, ground: Ground) -> Iterator[Instance]:
    """The attacked instance. Afterwards the sibling is as it was and nothing outside was touched."""
    before = sibling.state_hash()
    with world.instance() as result:
        assert result.call("note", {"text": "mine"}).value == {"id": 2}
        yield result
    assert sibling.call("notes").value == {"notes": ["first", SIBLING]}
    assert sibling.state_hash() == before
    assert ground.untouched()


def of_this_machine(attacks: dict[str, str]) -> list[Any]:
    """Parameters for attacks; raw numbers only where they mean what they say."""
    raw = platform.machine() == "x86_64"
    return [pytest.param(e, id=name) for name, e in attacks.items() if raw or HOSTILE.RAW_CALL not in e]


def assert_stopped(result: ToolResult) -> None:
    """A clean result that says that the attack got nothing."""
    assert isinstance(result, ToolResult)
    assert result.status in ("ok", "error", "refused")
    if result.status == "ok":
        assert isinstance(result.value, dict)
        assert result.value["got"] != "WON", result
    else:
        assert result.message
        assert len(result.message) < 5_000
    assert SECRET not in result.model_dump_json()


def assert_goes_on(instance: Instance, *, committed: bool = True) -> None:
    """The attacked instance still has what was committed and can begin again."""
    if committed:
        assert instance.call("notes").value == {"notes": ["first", "mine"]}
    instance.reset()
    assert instance.call("notes").value == {"notes": ["first"]}


def verdict(world: World, source: str) -> tuple[tuple[CheckOutcome, ...], str]:
    """What a verifier's source came to: outcomes, or the text of the error that stands for Unscored."""
    try:
        return world.verify_code("look", world.base, world.base, "", source=source), ""
    except WorldError as error:
        return (), str(error)


def test_the_lint_would_have_said_so_first(ground: Ground) -> None:
    findings = compile_tools(HOSTILE.source(**ground.places)).findings
    assert any(finding.blocks for finding in findings)


def test_the_world_below_the_lint_works(instance: Instance) -> None:
    assert instance.call("notes").value == {"notes": ["first", "mine"]}
    reached = instance.call("unstash")
    assert reached.status == "ok", reached


@pytest.mark.parametrize("name", [p.id for p in of_this_machine(HOSTILE.EXPRESSIONS)])
def test_a_tool_gets_nothing_out_of_the_sandbox(instance: Instance, name: str) -> None:
    assert_stopped(instance.call(name))
    assert_goes_on(instance, committed=not name.startswith("raw_"))


@pytest.mark.parametrize(
    "expression",
    of_this_machine(HOSTILE.FILES | HOSTILE.NETWORK | HOSTILE.PROCESSES | HOSTILE.SIGNALS | HOSTILE.SECRETS),
)
def test_a_verifier_gets_nothing_out_of_the_sandbox(world: World, ground: Ground, expression: str) -> None:
    outcomes, text = verdict(world, HOSTILE.verifier(expression, **ground.places))
    assert SECRET not in text
    assert [outcome for outcome in outcomes if outcome.passed] == []
    assert ground.untouched()


@pytest.mark.parametrize(
    "shared_worker",
    [
        pytest.param({"user": "nobody"}, id="ordinary-user"),
        pytest.param({"own_uid": False}, id="same-user"),
        pytest.param({"user": "nobody", "profile": "docker"}, id="restricted-profile"),
    ],
)
@pytest.mark.parametrize(
    "expression", of_this_machine(HOSTILE.FILES | HOSTILE.NETWORK | HOSTILE.PROCESSES | HOSTILE.SIGNALS)
)
def test_the_seal_alone_stops_it_on_every_host(
    sealed: Any, ground: Ground, shared_worker: dict[str, Any], expression: str
) -> None:
    if "profile" in shared_worker and platform.machine() != "x86_64":
        pytest.skip("the profile is written for x86_64")
    done = sealed(HOSTILE.snippet(expression, **ground.places), seconds=2.0, **shared_worker)
    assert "WON" not in done["told"], done
    assert ground.untouched()


@pytest.mark.parametrize(
    "name",
    ["open", "os_open", "stat", "list_root", "own_environment", "libc_open", "memory_file", "inet_socket",
     "socket_pair", "connect", "fork", "system", "thread", "signal_the_service", "signal_the_parent",
     "executable_memory"],
)  # fmt: skip
def test_the_attack_works_where_there_is_no_seal(sealed: Any, ground: Ground, name: str) -> None:
    """Otherwise it would prove nothing that it fails behind one."""
    done = sealed(HOSTILE.snippet(HOSTILE.EXPRESSIONS[name], **ground.places), seal=False)
    assert done["told"] in (["WON"], [SECRET]), done
    with contextlib.suppress(BlockingIOError):
        ground.listener.accept()[0].close()
    for path in (ground.folder / "canary").iterdir():
        path.unlink()


@pytest.mark.parametrize("name", HOSTILE.ENDINGS)
def test_a_death_costs_one_call(instance: Instance, name: str) -> None:
    result = instance.call(name)
    assert result.status == "error", result
    assert 0 < len(result.message) < 5_000
    assert_goes_on(instance)


@pytest.mark.parametrize("name", HOSTILE.HUNGER)
def test_memory_is_bounded(instance: Instance, name: str) -> None:
    result = instance.call(name)
    assert result.status == "error", result
    assert_goes_on(instance)


@pytest.mark.parametrize("name", HOSTILE.ENDLESS)
def test_time_is_bounded(instance: Instance, name: str) -> None:
    began = time.monotonic()
    result = instance.call(name)
    assert result.status == "error", result
    assert time.monotonic() - began < 10
    assert_goes_on(instance)


@pytest.mark.parametrize("name", HOSTILE.RETURNED)
def test_a_result_that_is_none_is_an_error(instance: Instance, name: str) -> None:
    result = instance.call(name)
    assert result.status == "error", result
    assert_goes_on(instance)


def test_a_result_whose_class_lies_is_what_it_holds(instance: Instance) -> None:
    assert instance.call("a_lying_text").value == "x"
    assert instance.call("a_lying_dict").value == {"a": 1}


@pytest.mark.parametrize("name", HOSTILE.FORGERIES)
def test_the_wire_cannot_be_forged(instance: Instance, name: str) -> None:
    result = instance.call(name)
    assert result.status in ("ok", "error")
    if result.status == "ok":
        assert result.value == "forged"  # its own answer, which is its to give
    assert not result.changes
    later = [instance.call("notes") for _ in range(3)]
    # What was forged too much may arrive only then: it costs its own instance a call more and lies in none.
    assert [r.value for r in later if r.status == "ok"] == [{"notes": ["first", "mine"]}] * (
        3 if later[0].status == "ok" else 2
    )
    assert_goes_on(instance)


def test_a_tool_that_works_on_after_its_answer_is_ended_unasked(
    instance: Instance, sibling: Instance
) -> None:
    worker = instance._slot.shared_worker.pid  # type: ignore[union-attr, attr-defined]
    assert instance.call("answer_and_work_on").value == "forged"
    deadline = time.monotonic() + 30
    while worker in family_of(fork_client().pid) and time.monotonic() < deadline:
        assert sibling.call("notes").status == "ok"  # the watch looks along with any request
        time.sleep(0.1)
    assert worker not in family_of(fork_client().pid)
    instance.reset()
    assert instance.call("notes").value == {"notes": ["first"]}


def test_an_answer_prepared_for_the_next_call_is_refused(instance: Instance) -> None:
    assert instance.call("two_answers").status in ("ok", "error")
    result = instance.call("note", {"text": "after"})
    assert result.value in ({"id": 3}, None)
    assert instance.call("notes").value["notes"][:2] == ["first", "mine"]  # type: ignore[index, call-overload]


NUMBERS = {"numbers": [3, 1, 2]}


def honest_answers(instance: Instance) -> list[Any]:
    """What harmless tools say on a fresh instance."""
    names = (("clock", {}), ("total", NUMBERS), ("chance", {}), ("note", {"text": "n"}), ("notes", {}))
    return [instance.call(name, arguments).value for name, arguments in names]  # type: ignore[arg-type]


@pytest.fixture
def honest(world: World) -> list[Any]:
    with world.instance() as fresh:
        answers = honest_answers(fresh)
    assert answers[1]["sum"] == 6
    return answers


def test_poison_ends_with_a_reset(instance: Instance, honest: list[Any]) -> None:
    assert instance.call("poison").value == {"done": True}
    assert instance.call("total", NUMBERS).value != honest[1]
    instance.reset()
    assert honest_answers(instance) == honest


def test_poison_ends_with_a_restore(instance: Instance, honest: list[Any], world: World) -> None:
    assert instance.call("poison").value == {"done": True}
    instance.restore(world.base)
    assert honest_answers(instance) == honest


def test_poison_reaches_no_other_instance_and_no_other_world(
    instance: Instance, honest: list[Any], world: World, other_world: World, sibling: Instance
) -> None:
    with other_world.instance() as foreign:
        assert instance.call("poison").value == {"done": True}
        assert sibling.call("clock").value["pi"] == "b"  # type: ignore[index, call-overload]
        assert honest_answers(foreign) == honest
    with world.instance() as fresh, other_world.instance() as foreign:
        assert honest_answers(fresh) == honest
        assert honest_answers(foreign) == honest


def test_poison_cannot_stop_the_clock_of_a_snapshot(instance: Instance, world: World) -> None:
    instance.call("poison")
    snapshot = instance.snapshot()
    assert snapshot.calls == 2
    assert (snapshot.clock - world.base.clock).total_seconds() == 2


def test_a_secret_is_found_neither_after_a_reset_nor_next_door(instance: Instance, sibling: Instance) -> None:
    instance.call("stash", {"text": "psst"})
    assert instance.call("unstash").value == {"found": "psst"}
    assert sibling.call("unstash").value == {"found": None}
    instance.reset()
    assert instance.call("unstash").value == {"found": None}


PASSING_VERIFIER = "def verify(before, after, changes, answer):\n    yield check('c', True)"

PLANTING_VERIFIER = (
    HOSTILE.REACH
    + """
def verify(before, after, changes, answer):
    m = _modules()
    m["builtins"].stash = "from the verifier"
    m["builtins"].sum = lambda *a: 666
    found = hasattr(m["builtins"], "old_stash")
    m["builtins"].old_stash = True
    type(after).one = lambda *a: {"n": 0}
    yield check("nothing was planted before", not found)
"""
)


def test_nothing_passes_from_a_verifier_to_a_tool_or_to_the_next_verifier(
    world: World, instance: Instance, honest: list[Any]
) -> None:
    for _ in range(2):
        (outcome,) = world.verify_code("look", world.base, world.base, "", source=PLANTING_VERIFIER)
        assert outcome.passed is True
    assert instance.call("unstash").value == {"found": None}
    instance.reset()
    assert honest_answers(instance) == honest


def test_nothing_passes_from_a_tool_to_a_verifier_but_rows(world: World, instance: Instance) -> None:
    instance.call("stash", {"text": "psst"})
    instance.call("poison")
    source = HOSTILE.REACH + (
        "def verify(before, after, changes, answer):\n"
        "    yield check('clean', not hasattr(_modules()['builtins'], 'stash') and sum([1, 2]) == 3)\n"
        "    texts = [row['text'] for row in after.query('SELECT text FROM notes ORDER BY id')]\n"
        "    yield check('rows', texts == ['first', 'mine'])\n"
        "    yield check('counted', after.one('SELECT count(*) AS n FROM notes') == {'n': 2})\n"
    )
    outcomes = world.verify_code("look", world.base, instance.snapshot(), "", source=source)
    assert [outcome.passed for outcome in outcomes] == [True, True, True]


@pytest.mark.parametrize("body", HOSTILE.FORGED_VERDICTS.values(), ids=HOSTILE.FORGED_VERDICTS.keys())
def test_a_verifier_that_does_not_say_true_or_false_gives_no_verdict(world: World, body: str) -> None:
    source = (
        HOSTILE.REACH + HOSTILE.MORE_HELPERS + f"def verify(before, after, changes, answer):\n    {body}\n"
    )
    outcomes, text = verdict(world, source)
    assert [outcome for outcome in outcomes if outcome.passed] == []
    assert outcomes or text


@pytest.mark.parametrize("sql", HOSTILE.SWAPS.values(), ids=HOSTILE.SWAPS.keys())
def test_a_state_with_another_schema_is_never_verified(ground: Ground, sql: str) -> None:
    """A tool that took the guard off can change the schema of its own copy, and gains nothing."""
    source = (
        HOSTILE.BENIGN
        + HOSTILE.REACH
        + HOSTILE.HELPERS
        + (f'def swap(db) -> dict:\n    """Swap."""\n    _raw(db).execute({sql!r})\n    return {{}}\n')
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world_module, "refuse", lambda findings: None)
        result = World(environment(source), limits=LIMITS)
    with result, result.instance() as attacked:
        attacked.call("swap")
        with pytest.raises(WorldError):
            result.verify_code("look", result.base, attacked.snapshot(), "", source=PASSING_VERIFIER)
        attacked.reset()
        assert attacked.call("notes").value == {"notes": ["first"]}


@pytest.mark.parametrize(
    "image",
    [b"", b"x" * 4096, b"SQLite format 3\x00" + b"\xff" * 4080, b"SQLite format 3\x00" + bytes(100)],
    ids=["empty", "garbage", "header-and-ones", "header-and-zeros"],
)
def test_a_forged_image_is_no_state(world: World, image: bytes) -> None:
    forged = replace(world.base, image=image)
    with pytest.raises(WorldError):
        world.verify_code("look", world.base, forged, "")
    with world.instance() as attacked:
        with contextlib.suppress(WorldError):
            attacked.restore(forged)
            attacked.call("notes")
        with contextlib.suppress(WorldError):
            attacked.reset()


def children_of(pid: int) -> set[int]:
    """Living processes whose parent that is."""
    results = set()
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                results.add(int(folder.name))
    return results


def family_of(pid: int) -> set[int]:
    """A process and all that descend from it: the fork server, its templates and their workers."""
    return {pid}.union(*(family_of(child) for child in children_of(pid)))


def test_nothing_is_left_behind(world: World, other_world: World, sibling: Instance, crowd: set[int]) -> None:
    """After all the attacks above: a template per world, a process per live instance, and the crowd."""
    deadline = time.monotonic() + 5
    while len(left := family_of(fork_client().pid) - crowd) > 2 + world.live + other_world.live:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


SERVICE = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell started us aside
sys.path.insert(0, {root!r})
import runpy
attacks = runpy.run_path({tests!r})
with attacks["pytest"].MonkeyPatch.context() as patch:
    patch.setattr(attacks["world_module"], "refuse", lambda findings: None)
    parts = attacks["HOSTILE"]
    spin = 'def spin(db) -> dict:\\n    "Spin."\\n    _spin_and_swallow()\\n'
    world = attacks["World"](attacks["environment"](parts.BENIGN + parts.REACH + parts.MORE_HELPERS + spin))
instances = [world.instance() for _ in range(3)]
threading.Thread(target=lambda: instances[0].call("spin"), daemon=True).start()
time.sleep(0.2)
print(attacks["fork_client"]().pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_services_death_leaves_no_process_behind(how: signal.Signals) -> None:
    script = SERVICE.format(root=str(ROOT), tests=__file__)
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
