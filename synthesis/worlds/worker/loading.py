"""Loading of a FastAPI module, where the fork server has what that takes: see `synthesis.worlds.runtime`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthesis.worlds.worker.web.application import Application


def application(code: CodeType, known: Iterable[Mapping[str, Any]] | None = None) -> Application:
    """The application of a compiled module; see `synthesis.worlds.worker.web.application.Application`."""
    loaded = importlib.import_module("synthesis.worlds.worker.web.application")
    result: Application = loaded.Application(code, known)
    return result
