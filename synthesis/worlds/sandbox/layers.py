"""The layers of the sandbox in words, from what a trial found."""

from __future__ import annotations

import platform
import sys
from typing import Any

from synthesis.worlds.sandbox.layer import Layer
from synthesis.worlds.sandbox.seal import SealExit

_CONTAINER = "Run it in a Linux container (x86_64 or aarch64); an image as small as python:3.12-slim will do."
_PROFILE = "Run under a seccomp profile that lets a process filter itself; Docker's and Podman's default do."
_NOTHING_TO_DO = "Nothing needs to be done."

_STEPS = ("", SealExit.PRIVILEGES.name, SealExit.LIMITS.name, SealExit.FILTER.name, SealExit.SELF_TEST.name)
"""Steps of the seal that make a required layer, in their order; "" stands for all that comes before."""


def unknown_host() -> Layer:
    """The layer that is missing on a host the sandbox does not know."""
    system = {"darwin": "macOS", "win32": "Windows"}.get(sys.platform, platform.system())
    if sys.platform == "linux":
        missing = f"this is {platform.machine()} or a 32 bit Python"
    else:
        missing = f"this is {system}, which has no seccomp"
    return _layer(
        "Linux on x86_64 or aarch64", in_force=False, missing=missing, remedy=_CONTAINER, required=True
    )


def read(results: dict[str, Any]) -> tuple[Layer, ...]:
    """The layers as `trial` found them, required ones first."""
    pidfd = _layer(
        "pidfd",
        in_force=bool(results.get("pidfd")),
        given="workers are stopped by handle",
        missing="the kernel gives no handles of processes, or refuses to signal through them",
        remedy="Use Linux 5.3 or newer, with a seccomp profile that allows pidfd_open and pidfd_send_signal.",
        required=True,
    )
    memory_files = _layer(
        "memory files",
        in_force=bool(results.get("memory_file", True)),
        given="a world is handed to its template without a file on disk",
        missing="memfd_create is refused",
        remedy="Run under a seccomp profile that allows memfd_create; Docker's and Podman's default do.",
        required=True,
    )
    template = results.get("template", {})
    confined = _layer(
        "template",
        in_force="failed" not in template,
        given="a world's template is confined, and workers forked there are sealed",
        missing=str(template.get("detail", "")),
        remedy=f"{_PROFILE} The limits of a template are wider than a worker's.",
        required=True,
    )
    return (
        *_required(results["seal"]),
        confined,
        pidfd,
        memory_files,
        *_insurance(results, results["seal"].get("report", {})),
    )


def _required(seal: dict[str, Any]) -> tuple[Layer, ...]:
    """Each step needs the one before: what comes after a failed one was not tried."""
    failed = seal.get("failed")
    reached = len(_STEPS) if failed is None else (_STEPS.index(failed) if failed in _STEPS else 0)
    return tuple(
        _layer(
            name,
            in_force=reached > step,
            given=given,
            missing=seal.get("detail", "")
            if reached == step
            else "not tested, because an earlier step failed",
            remedy=remedy,
            required=True,
        )
        for step, (name, given, remedy) in enumerate(_REQUIRED)
    )


_REQUIRED = (
    ("clean process", "a worker inherits nothing and dies with its parent", _CONTAINER),
    ("no_new_privs", "no privilege can be gained", f"Use Linux 3.5 or newer. {_CONTAINER}"),
    ("resource limits", "memory, files, processes and core dumps", _CONTAINER),
    ("seccomp", "system calls are limited to memory, time and the worker's socket", _PROFILE),
    (
        "self-test",
        "a sealed worker could not open, connect, fork, kill, execute or make memory files",
        "Nothing overrides this; run on another host.",
    ),
)
"""Name, what it gives, the way out; one for each of _STEPS."""


def _insurance(results: dict[str, Any], report: dict[str, Any]) -> tuple[Layer, ...]:
    version, namespaces = report.get("landlock", 0), results.get("namespaces", ())
    if results.get("root"):
        same_user = "the service runs as root without CAP_SETUID, CAP_SETGID and CAP_KILL"
    else:
        same_user = "the service runs as an ordinary user, and so do its workers"
    return (
        _layer(
            "Landlock",
            in_force=bool(version),
            given=f"version {version}",
            missing=f"the kernel offers version {results.get('landlock_offered', 0)}",
            remedy="A kernel from 5.13 on with Landlock switched on adds a second layer.",
        ),
        _layer(
            "own user id",
            in_force=report.get("uid") is not None,
            given="every worker has a user id of its own",
            missing=same_user,
        ),
        _layer(
            "namespaces",
            in_force=bool(namespaces),
            given=", ".join(namespaces),
            missing="the host does not allow it, as in most containers",
        ),
    )


def _layer(
    name: str,
    *,
    in_force: bool,
    missing: str,
    given: str = "",
    remedy: str = _NOTHING_TO_DO,
    required: bool = False,
) -> Layer:
    return Layer(
        name=name,
        in_force=in_force,
        required=required,
        detail=given if in_force else missing,
        remedy="" if in_force else remedy,
    )
