"""Attacks by generated tools and verifiers, below every lint: each ends cleanly and changes nothing."""

from __future__ import annotations

import contextlib
import platform
import time
from typing import Any

import pytest

from synthesis.worlds.sandbox.fork_client import fork_client
from synthesis.worlds.toolset import compile_tools
from synthesis.worlds.world import Instance, World
from tests.synthesis.worlds.sandbox.hostile.escapes import (
    EXPRESSIONS,
    FILES,
    NETWORK,
    PROCESSES,
    SECRETS,
    SIGNALS,
)
from tests.synthesis.worlds.sandbox.hostile.exhaustion import ENDINGS, ENDLESS, HUNGER
from tests.synthesis.worlds.sandbox.hostile.forgeries import FORGERIES, RETURNED
from tests.synthesis.worlds.sandbox.hostile.modules import snippet, source, verifier
from tests.synthesis.worlds.sandbox.hostile.scene import (
    SECRET,
    Ground,
    assert_goes_on,
    assert_stopped,
    family_of,
    of_this_machine,
    verdict,
)


def test_the_lint_would_have_said_so_first(ground: Ground) -> None:
    findings = compile_tools(source(**ground.places)).findings
    assert any(finding.blocks for finding in findings)


def test_the_world_below_the_lint_works(instance: Instance) -> None:
    assert instance.call("notes").value == {"notes": ["first", "mine"]}
    reached = instance.call("unstash")
    assert reached.status == "ok", reached


@pytest.mark.parametrize("name", [p.id for p in of_this_machine(EXPRESSIONS)])
def test_a_tool_gets_nothing_out_of_the_sandbox(instance: Instance, name: str) -> None:
    assert_stopped(instance.call(name))
    assert_goes_on(instance, committed=not name.startswith("raw_"))


@pytest.mark.parametrize(
    "expression",
    of_this_machine(FILES | NETWORK | PROCESSES | SIGNALS | SECRETS),
)
def test_a_verifier_gets_nothing_out_of_the_sandbox(world: World, ground: Ground, expression: str) -> None:
    outcomes, text = verdict(world, verifier(expression, **ground.places))
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
@pytest.mark.parametrize("expression", of_this_machine(FILES | NETWORK | PROCESSES | SIGNALS))
def test_the_seal_alone_stops_it_on_every_host(
    sealed: Any, ground: Ground, shared_worker: dict[str, Any], expression: str
) -> None:
    if "profile" in shared_worker and platform.machine() != "x86_64":
        pytest.skip("the profile is written for x86_64")
    done = sealed(snippet(expression, **ground.places), seconds=2.0, **shared_worker)
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
    done = sealed(snippet(EXPRESSIONS[name], **ground.places), seal=False)
    assert done["told"] in (["WON"], [SECRET]), done
    with contextlib.suppress(BlockingIOError):
        ground.listener.accept()[0].close()
    for path in (ground.folder / "canary").iterdir():
        path.unlink()


@pytest.mark.parametrize("name", ENDINGS)
def test_a_death_costs_one_call(instance: Instance, name: str) -> None:
    result = instance.call(name)
    assert result.status == "error", result
    assert 0 < len(result.message) < 5_000
    assert_goes_on(instance)


@pytest.mark.parametrize("name", HUNGER)
def test_memory_is_bounded(instance: Instance, name: str) -> None:
    result = instance.call(name)
    assert result.status == "error", result
    assert_goes_on(instance)


@pytest.mark.parametrize("name", ENDLESS)
def test_time_is_bounded(instance: Instance, name: str) -> None:
    began = time.monotonic()
    result = instance.call(name)
    assert result.status == "error", result
    assert time.monotonic() - began < 10
    assert_goes_on(instance)


@pytest.mark.parametrize("name", RETURNED)
def test_a_result_that_is_none_is_an_error(instance: Instance, name: str) -> None:
    result = instance.call(name)
    assert result.status == "error", result
    assert_goes_on(instance)


def test_a_result_whose_class_lies_is_what_it_holds(instance: Instance) -> None:
    assert instance.call("a_lying_text").value == "x"
    assert instance.call("a_lying_dict").value == {"a": 1}


@pytest.mark.parametrize("name", FORGERIES)
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


def test_nothing_is_left_behind(world: World, other_world: World, sibling: Instance, crowd: set[int]) -> None:
    """After all the attacks above: a template per world, a process per live instance, and the crowd."""
    deadline = time.monotonic() + 5
    while len(left := family_of(fork_client().pid) - crowd) > 2 + world.live + other_world.live:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
