"""Open modules: the modules that generated code may import, with the names of each that it may use.

A module of the standard library leads to others (`json.codecs`, `typing.sys`), and one of them to everything.
Generated code is therefore given copies that hold a module's public names and no other module.
"""

from __future__ import annotations

import importlib
from functools import cache
from types import ModuleType

ALLOWED_IMPORTS = (
    "collections",
    "datetime",
    "decimal",
    "itertools",
    "json",
    "math",
    "re",
    "statistics",
    "string",
    "typing",
)
"""What generated code may import; from pydantic only Field, to state bounds; nothing else."""

_PARTLY = {"__future__": ("annotations",), "pydantic": ("Field",)}
_BELOW = {"collections": ("abc",)}
"""Modules that may be imported below another."""
_REACHING = {
    "string": frozenset({"Formatter"}),
    "typing": frozenset({"ForwardRef", "evaluate_forward_ref", "get_type_hints"}),
}
"""Names that evaluate texts as code or fetch attributes by texts."""


def open_names(module: str) -> frozenset[str]:
    """The names of a module that generated code may use; none where it may not import it."""
    if module in _PARTLY:
        return frozenset(_PARTLY[module])
    parent, _, name = module.partition(".")
    if module not in ALLOWED_IMPORTS and name not in _BELOW.get(parent, ()):
        return frozenset()
    return _public(module) | frozenset(_BELOW.get(module, ()))


@cache
def _public(module: str) -> frozenset[str]:
    real = importlib.import_module(module)
    names = getattr(real, "__all__", None) or [name for name in vars(real) if not name.startswith("_")]
    plain = {name for name in names if not isinstance(getattr(real, name, None), ModuleType)}
    return frozenset(plain) - _REACHING.get(module, frozenset())


class OpenModule(ModuleType):
    """A module as generated code sees it; it cannot be changed."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self.__name__}.{name}: a module stays as it is")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self.__name__}.{name}: a module stays as it is")


@cache
def open_module(name: str) -> OpenModule:
    """The copy of a module; one that is not open has no names: C code asks for it and looks it up itself."""
    shown = OpenModule(name)
    below = _BELOW.get(name, ())
    real = importlib.import_module(name)
    for each in open_names(name):
        value = open_module(f"{name}.{each}") if each in below else getattr(real, each)
        vars(shown)[each] = value
    return shown
