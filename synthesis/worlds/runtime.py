"""Runtimes: what kind of module a source of tools is, and what running it takes."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Literal

from synthesis.errors import SandboxUnavailable

Runtime = Literal["functions", "fastapi"]
"""functions: a module of plain functions, the tools. fastapi: a FastAPI module, its routes are the tools."""

_APPLICATION = re.compile(r"^app\s*(?::[^=\n]+)?=\s*(?:fastapi\.)?FastAPI\(", re.MULTILINE)
_NEEDED = ("fastapi", "sqlalchemy")
_LAYERS: dict[Runtime, str] = {"functions": "", "fastapi": "synthesis.worlds.worker.web.application"}


def runtime_of(source: str) -> Runtime:
    """The runtime of a module; told by the object that a FastAPI module binds to `app`."""
    return "fastapi" if _APPLICATION.search(source) else "functions"


def layer_of(runtime: Runtime) -> str:
    """The module that a fork server of this runtime loads beside what every worker has.

    Raises:
        SandboxUnavailable: What it takes is not installed; the text says how to install it.
    """
    missing = [name for name in _NEEDED if runtime == "fastapi" and find_spec(name) is None]
    if missing:
        raise SandboxUnavailable(
            f"An environment whose tools are FastAPI routes needs {' and '.join(missing)}: "
            "pip install 'worldwright[awm]'."
        )
    return _LAYERS[runtime]
