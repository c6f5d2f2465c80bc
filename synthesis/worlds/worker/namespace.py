"""The namespace that generated code runs in: the builtins it may use, the imports, the names given to it."""

from __future__ import annotations

import builtins
import sys
import typing
from types import CodeType
from typing import Any

import typing_extensions
from pydantic import Field

from synthesis.worlds.worker.forbidden import BANNED_NAMES, reaches_inside, reads_wall_clock
from synthesis.worlds.worker.open_modules import ALLOWED_IMPORTS, OpenModule, open_module

PRELOADED = (
    *ALLOWED_IMPORTS,
    "__future__",
    "_strptime",
    "calendar",
    "collections.abc",
    "fractions",
    "locale",
    "numbers",
    "pydantic",
    "random",
    "time",
)
"""Modules a fork server holds ready; the last ones because C code of the first asks for them by name."""

_HIDDEN = BANNED_NAMES | {"copyright", "credits", "license"}


class ToolError(Exception):
    """A refusal that the agent sees: a tool raises it with what was wrong and what is allowed."""


def given_to_tools() -> dict[str, Any]:
    """The names every tools module has without an import."""
    return {"ToolError": ToolError, "Field": Field}


def run_module(code: CodeType, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Execute a module's code in a namespace of its own and return that namespace."""
    space: dict[str, Any] = {"__name__": name, "__builtins__": _fresh_builtins(), **given}
    exec(code, space)  # noqa: S102 - this is the sealed process that generated code runs in
    return space


def prepare() -> None:
    """Once per fork server: make `typing.TypedDict` one that can be described on every Python.

    pydantic reads that of Python 3.12; before, it wants that of typing_extensions, which tools cannot import.
    """
    if sys.version_info < (3, 12):
        typing.TypedDict = typing_extensions.TypedDict
    for name in PRELOADED:
        builtins.__import__(name)
        open_module(name)


def place_of(error: BaseException, name: str) -> str:
    """Where in a module an error happened, as words to append: the deepest of its own lines."""
    line, trace = getattr(error, "lineno", None), error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" (line {line})" if line else ""


def _fresh_builtins() -> dict[str, Any]:
    return _spare.pop() if _spare else _BUILTINS.copy()


def _import(
    name: str,
    _globals: Any = None,
    _locals: Any = None,
    fromlist: tuple[str, ...] = (),
    level: int = 0,
) -> OpenModule:
    if level or name not in PRELOADED:
        raise ImportError(f"{name} cannot be imported; allowed: {', '.join(ALLOWED_IMPORTS)}")
    builtins.__import__(name)
    return open_module(name if fromlist else name.partition(".")[0])


def _getattr(owner: Any, name: Any, *default: Any) -> Any:
    """As the builtin, but for what generated code must not reach by a name it puts together."""
    if type(name) is not str:  # a subclass could say one thing here and another below
        raise TypeError(f"the name of an attribute is a str, not {type(name).__name__}")
    if reaches_inside(name) or reads_wall_clock(owner, name):
        raise AttributeError(f"{name!r} is not available to generated code")
    return getattr(owner, name, *default)


_BUILTINS = {name: value for name, value in vars(builtins).items() if name not in _HIDDEN}
_BUILTINS["__import__"] = _import
_BUILTINS["getattr"] = _getattr
"""Copied for every namespace, so that none can change those of another."""
_spare: list[dict[str, Any]] = []
"""A copy made before the fork: to copy in a worker writes to the pages of all these objects, 80 of them."""


def prepare_spare() -> None:
    """Make what the first namespace of a forked worker needs ahead; once in a fork server."""
    _spare[:] = [_BUILTINS.copy()]
