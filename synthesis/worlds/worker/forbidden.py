"""Forbidden: what generated code must not name, import or reach."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from synthesis.worlds.syntax import nodes_of, nodes_of_module
from synthesis.worlds.worker.load_time import annotation_texts
from synthesis.worlds.worker.open_modules import ALLOWED_IMPORTS, open_names

BANNED_NAMES = frozenset(
    [
        "breakpoint",
        "compile",
        "delattr",
        "eval",
        "exec",
        "exit",
        "globals",
        "help",
        "id",
        "input",
        "locals",
        "memoryview",
        "open",
        "print",
        "quit",
        "setattr",
        "super",
        "vars",
        "__import__",
        "__builtins__",
        "__loader__",
        "__spec__",
    ]
)
_FRAMES = frozenset(
    [
        "ag_code",
        "ag_frame",
        "cr_code",
        "cr_frame",
        "cr_origin",
        "f_back",
        "f_builtins",
        "f_code",
        "f_globals",
        "f_locals",
        "gi_code",
        "gi_frame",
        "tb_frame",
        "tb_next",
    ]
)
"""Attributes that lead from a generator or an error to the frames of whoever called."""
_OF_NAMED_TUPLES = frozenset({"_asdict", "_field_defaults", "_fields", "_make", "_replace"})
OF_THE_DATABASE = frozenset({"_connection", "_inserts", "_shape", "_stay_in_transaction", "_tables"})
"""What `db` is made of: nobody's own, whatever a module calls its attributes."""
_WALL_CLOCK = frozenset({"now", "today", "utcnow"})
_CLOCKS = frozenset({"datetime", "date", "time"})
_WITH_NAMES = frozenset({ast.Attribute, ast.Global, ast.Import, ast.ImportFrom, ast.MatchClass, ast.Name})
"""Nodes that may name what is forbidden; most others hold nothing but these."""


def forbidden(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines with what is forbidden, texts of annotations included: they are evaluated too."""
    modules, clocks = _modules(tree), _clocks(tree)
    own = _own_attributes(tree)
    for root in (tree, *annotation_texts(tree)):
        for node in nodes_of_module(tree) if root is tree else nodes_of(root):
            if type(node) not in _WITH_NAMES:
                continue
            line = getattr(node, "lineno", 0) if root is tree else getattr(root, "lineno", 0)
            yield from ((line, words) for words in _words(node, modules, clocks, own))


def reaches_inside(name: str) -> bool:
    """Whether an attribute is one by which code reaches into objects that are not its own."""
    return name in _FRAMES or (name.startswith("_") and name not in _OF_NAMED_TUPLES)


def reads_wall_clock(owner: Any, name: str) -> bool:
    """Whether an attribute of a class tells the time of the machine."""
    return name in _WALL_CLOCK and isinstance(owner, type)


def _words(node: ast.AST, modules: dict[str, str], clocks: set[str], own: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from _import(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in BANNED_NAMES:
        yield f"{node.id} is not available to generated code."
    elif isinstance(node, ast.Attribute):
        yield from _attribute(node, modules, clocks, own)
    elif isinstance(node, ast.MatchClass):
        yield from (_inside(name) for name in node.kwd_attrs if reaches_inside(name) and name not in own)
    elif isinstance(node, ast.Global):
        yield f"global {', '.join(node.names)}: nothing but the database survives a call."


def _import(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            if not open_names(alias.name):
                yield _not_importable(alias.name)
        elif node.level or not _may_import(node.module or "", alias.name):
            yield _not_importable(f"{node.module or '.'}.{alias.name}")


def _may_import(module: str, name: str) -> bool:
    names = open_names(module)
    return name in names or (name == "*" and bool(names))


def _not_importable(what: str) -> str:
    return f"{what} cannot be imported; allowed: {', '.join(ALLOWED_IMPORTS)}, and Field from pydantic."


def _attribute(
    node: ast.Attribute, modules: dict[str, str], clocks: set[str], own: frozenset[str]
) -> Iterator[str]:
    dunder = node.attr.startswith("__") and node.attr.endswith("__")
    if dunder or (reaches_inside(node.attr) and node.attr not in own):
        yield _inside(node.attr)
    owner = _dotted(node.value)
    module = modules.get(owner)
    if module is not None and node.attr not in open_names(module):
        yield f"{module}.{node.attr} is not available to generated code."
    last = owner.rpartition(".")[2]
    if node.attr in _WALL_CLOCK and (last in _CLOCKS or owner.partition(".")[0] in clocks):
        yield f"{last}.{node.attr}: the wall clock is not the world's; use db.now()."


def _inside(name: str) -> str:
    return f".{name}: generated code must not reach into objects."


def _dotted(node: ast.expr) -> str:
    """a.b for a.b, "" for what is no plain name."""
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return node.id if isinstance(node, ast.Name) else ""


def _modules(tree: ast.Module) -> dict[str, str]:
    """Names that stand for a module all over the source: they are given to nothing else."""
    bound = {
        n.id for n in nodes_of_module(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    bound |= {n.arg for n in nodes_of_module(tree) if isinstance(n, ast.arg)}
    names: dict[str, str] = {}
    for node in (n for n in nodes_of_module(tree) if isinstance(n, ast.Import)):
        for alias in node.names:
            names[alias.asname or alias.name] = alias.name
            if alias.asname is None:
                names[alias.name.partition(".")[0]] = alias.name.partition(".")[0]
    return {name: module for name, module in names.items() if name.partition(".")[0] not in bound}


def _clocks(tree: ast.Module) -> set[str]:
    """Names that stand for datetime's classes, or for a name that does."""
    imports = [n for n in nodes_of_module(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    texts = {
        alias.asname or alias.name
        for node in imports
        for alias in node.names
        if alias.name == "datetime" or getattr(node, "module", "") == "datetime"
    }
    assigned = [n for n in nodes_of_module(tree) if isinstance(n, ast.Assign)]
    while True:
        more = {
            target.id
            for node in assigned
            if _dotted(node.value).partition(".")[0] in texts
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if more <= texts:
            return texts
        texts |= more


def _own_attributes(tree: ast.Module) -> frozenset[str]:
    """Private names that the module's own classes define: those are theirs to read."""
    names: set[str] = set()
    for node in (n for n in nodes_of_module(tree) if isinstance(n, ast.ClassDef)):
        for inner in nodes_of(node):
            if isinstance(inner, ast.FunctionDef):
                names.add(inner.name)
            elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                names |= {inner.attr} if _dotted(inner.value) == "self" else set()
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                names.add(inner.id)
    return frozenset(name for name in names if not name.startswith("__")) - OF_THE_DATABASE
