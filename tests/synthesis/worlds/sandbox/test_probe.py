"""The probe: what is in force here, and what it says where something is missing."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synthesis.errors import InvalidInput, SandboxUnavailable
from synthesis.worlds.sandbox import kernel
from synthesis.worlds.sandbox import probe as probe_module
from synthesis.worlds.sandbox.mode import SandboxMode, chosen_mode
from synthesis.worlds.sandbox.probe import probe
from synthesis.worlds.sandbox.status import SandboxStatus

REQUIRED = [
    "clean process",
    "no_new_privs",
    "resource limits",
    "seccomp",
    "self-test",
    "template",
    "pidfd",
    "memory files",
]
SEALED = {
    "report": {"seccomp": True, "no_new_privs": True, "landlock": 0, "uid": None, "limits": {"RLIMIT_AS": 1}}
}


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`fresh(found, mode)` is what the probe makes of a trial that found that."""

    def probed(found: dict[str, Any], mode: SandboxMode = SandboxMode.SEALED) -> SandboxStatus:
        monkeypatch.setattr(
            probe_module, "_try", lambda: {"landlock_offered": 0, "root": False, "pidfd": True, **found}
        )
        probe_module._probe.cache_clear()
        return probe(mode)

    yield probed
    probe_module._probe.cache_clear()


def test_this_host_is_tried_and_usable() -> None:
    status = probe(SandboxMode.SEALED)
    if kernel.machine() is None:
        pytest.skip("the sandbox is for Linux on x86_64 and aarch64")
    assert [layer.name for layer in status.layers if layer.required] == REQUIRED
    assert status.sealed, status.refusal
    status.require()


def test_it_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = probe(SandboxMode.SEALED)
    monkeypatch.setattr(probe_module, "_try", lambda: pytest.fail("tried again"))
    assert probe(SandboxMode.SEALED) is first


def test_it_says_the_same_as_plain_values() -> None:
    message = json.loads(json.dumps(probe(SandboxMode.SEALED).as_json()))
    assert message["mode"] == "sealed"
    assert {"name", "in_force", "required", "detail", "remedy"} == set(message["layers"][0])


@pytest.mark.parametrize(("failed", "name"), [("PRIVILEGES", "no_new_privs"), ("FILTER", "seccomp")])
def test_a_missing_boundary_refuses_with_its_name_and_the_way_out(fresh: Any, failed: str, name: str) -> None:
    status = fresh({"seal": {"failed": failed, "detail": "the kernel said no"}})
    with pytest.raises(SandboxUnavailable) as refused:
        status.require()
    text = str(refused.value)
    assert f"{name}: the kernel said no" in text
    assert "WORLDWRIGHT_SANDBOX=trusted-code-only" in text
    assert name in [layer.name for layer in status.missing]


@pytest.mark.parametrize("failed", ["PRIVILEGES", "FILTER"])
def test_trusted_code_may_run_without_it_and_everybody_is_told(
    fresh: Any, failed: str, caplog: pytest.LogCaptureFixture
) -> None:
    status = fresh({"seal": {"failed": failed, "detail": "no"}}, SandboxMode.TRUSTED_CODE_ONLY)
    status.require()
    assert status.waived
    assert not status.sealed
    assert any("WITHOUT" in notice for notice in status.notices)
    assert any(record.levelname == "WARNING" and "WITHOUT" in record.message for record in caplog.records)


@pytest.mark.parametrize("failed", ["SELF_TEST", "LIMITS", "DESCRIPTORS", "ended", "trial"])
def test_a_seal_that_leaks_has_no_way_round(fresh: Any, failed: str) -> None:
    status = fresh({"seal": {"failed": failed, "detail": "no"}}, SandboxMode.TRUSTED_CODE_ONLY)
    with pytest.raises(SandboxUnavailable) as refused:
        status.require()
    assert "trusted-code-only" not in str(refused.value)


def test_what_comes_after_a_failure_is_not_claimed(fresh: Any) -> None:
    status = fresh({"seal": {"failed": "LIMITS", "detail": "no"}})
    assert [layer.in_force for layer in status.layers if layer.required] == [
        True,
        True,
        False,
        False,
        False,
        True,
        True,
        True,
    ]


def test_insurance_is_never_required(fresh: Any) -> None:
    status = fresh({"seal": SEALED, "namespaces": []})
    status.require()
    assert len(status.notices) == 1
    assert "Landlock, own user id, namespaces" in status.notices[0]


def test_workers_that_cannot_be_stopped_by_handle_are_not_started(fresh: Any) -> None:
    status = fresh({"seal": SEALED, "pidfd": False}, SandboxMode.TRUSTED_CODE_ONLY)
    with pytest.raises(SandboxUnavailable, match=r"pidfd: .*Linux 5\.3"):
        status.require()


def test_a_trial_that_cannot_be_run_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    probe_module._probe.cache_clear()
    try:
        assert not probe(SandboxMode.SEALED).usable
    finally:
        probe_module._probe.cache_clear()


@pytest.mark.parametrize(("system", "called"), [("darwin", "macOS"), ("win32", "Windows")])
def test_other_systems_are_pointed_to_a_container(
    monkeypatch: pytest.MonkeyPatch, system: str, called: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    probe_module._probe.cache_clear()
    try:
        status = probe(SandboxMode.TRUSTED_CODE_ONLY)
        with pytest.raises(SandboxUnavailable, match=f"{called}.*Linux container"):
            status.require()
    finally:
        probe_module._probe.cache_clear()


def test_another_machine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    probe_module._probe.cache_clear()
    try:
        assert "riscv64" in probe(SandboxMode.SEALED).refusal
    finally:
        probe_module._probe.cache_clear()


@pytest.mark.parametrize(
    ("value", "mode"),
    [({}, "sealed"), ({"WORLDWRIGHT_SANDBOX": ""}, "sealed"), ({"WORLDWRIGHT_SANDBOX": "sealed"}, "sealed"),
     ({"WORLDWRIGHT_SANDBOX": "trusted-code-only"}, "trusted-code-only")],
)  # fmt: skip
def test_the_operator_chooses_the_mode(value: dict[str, str], mode: str) -> None:
    assert chosen_mode(value) == mode


@pytest.mark.parametrize("value", ["off", "0", "TRUSTED-CODE-ONLY", "trusted"])
def test_a_mode_nobody_knows_is_refused(value: str) -> None:
    with pytest.raises(InvalidInput, match=f"WORLDWRIGHT_SANDBOX is '{value}'"):
        chosen_mode({"WORLDWRIGHT_SANDBOX": value})


def test_it_holds_for_an_ordinary_user_too() -> None:
    """The trial itself, run by root after it became nobody."""
    if os.geteuid() != 0:
        pytest.skip("this is the case of test_this_host_is_tried_and_usable here")
    script = (
        "import os; from synthesis.worlds.sandbox import trial; os.setgroups([]);"
        "os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534); trial.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[4]), *sys.path])},
    )
    result = json.loads(done.stdout)
    assert result["seal"]["report"]["seccomp"] is True
    assert result["seal"]["report"]["uid"] is None


UNDER_A_PROFILE = """
import ctypes, struct, sys
sys.path[:0] = {path!r}
from synthesis.worlds.sandbox import kernel, seccomp, trial
code = [(0x20, 0, 0, 0), (0x15, 0, {skip}, {number})]
if {option!r} is not None:
    code += [(0x20, 0, 0, 16), (0x15, 0, 1, {option})]
code += [(0x06, 0, 0, 0x00050001), (0x06, 0, 0, seccomp.ALLOW)]
raw = b"".join(struct.pack("=HBBI", *line) for line in code)
buffer = ctypes.create_string_buffer(raw, len(raw))
program = seccomp._Program(len(code), ctypes.addressof(buffer))
kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
assert kernel.prctl(kernel.PR_SET_SECCOMP, 2, ctypes.addressof(program)) == 0
trial.main()
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the profile is written for x86_64")
@pytest.mark.parametrize(
    ("number", "option", "layer"),
    [
        (424, None, "pidfd"),  # pidfd_send_signal
        (319, None, "memory files"),  # memfd_create
        (157, 1, "clean process"),  # prctl(PR_SET_PDEATHSIG)
        (17, None, "template"),  # pread64, which a template measures its workers' memory with
    ],
)
def test_what_a_profile_refuses_is_told(fresh: Any, number: int, option: int | None, layer: str) -> None:
    script = UNDER_A_PROFILE.format(
        path=sys.path, number=number, option=option, skip=1 if option is None else 3
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    status = fresh(json.loads(done.stdout.splitlines()[-1]))
    assert layer in [missing.name for missing in status.missing]
    assert f"{layer}: " in status.refusal
    assert not status.usable
