"""Source: Python text as the definitions at its top level, so that pieces of a module can be put together."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Collection, Iterable

_LINE_OF_MODULE = re.compile(r"\(line (\d+)\)")
DEFINITIONS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
)
"""Statements at the top level of a module that define something."""
DOCSTRING = "=docstring"
"""The key of a module's own docstring."""


def definitions(source: str) -> dict[str, str]:
    """The top-level statements of a module by what they define, each with its own text and comments above it.

    Raises:
        SyntaxError: It does not parse.
    """
    lines = source.splitlines()
    results: dict[str, str] = {}
    end = 0
    for node in ast.parse(source).body:
        last = node.end_lineno or node.lineno
        text = "\n".join(lines[end:last]).strip("\n")
        name = DOCSTRING if not results and _is_text(node) else _defined(node)
        results[name] = f"{results[name]}\n{text}" if name in results and name.startswith("=") else text
        end = last
    return results


def merged(standing: str, addition: str) -> str:
    """Both modules' definitions; where both define a name, the addition's.

    A text that does not parse is put behind the other as it is: whoever compiles it says what is wrong.
    """
    try:
        both = {**definitions(standing), **definitions(addition)}
    except SyntaxError:
        return f"{standing.rstrip()}\n\n{addition}".strip("\n")
    head = [both.pop(name) for name in [*both] if name == DOCSTRING]
    imports = [both.pop(name) for name in [*both] if name.startswith("import ")]
    return "\n\n".join([*head, *(["\n".join(imports)] if imports else []), *both.values()]).strip("\n")


def corrected(standing: str, correction: str, *, users: Iterable[str], removed: Iterable[str]) -> str:
    """What several functions share, after a correction.

    The correction replaces what exists. Of that, only definitions remain that the correction or the functions
    still use and that it neither defines nor removes: an author that writes only what it changes loses
    nothing, and an import that nothing needs is gone.

    Args:
        standing: The shared source so far.
        correction: The shared source of the correction; "" when it says nothing about it.
        users: Sources of the functions that share it.
        removed: Names that are to go: of helpers, constants, imported names or modules, or whole imports.
    """
    gone = {name.strip() for name in removed}
    try:
        old, new = definitions(standing), definitions(correction)
        remaining = {
            key: trimmed
            for key, text in old.items()
            if key not in new and key not in gone and (trimmed := _without(text, gone))
        }
        needed = _needed(remaining, new, tuple(users))
    except SyntaxError:
        return merged(standing, correction)
    loose = bool(correction.strip())
    left = [text for key, text in remaining.items() if key in needed or not (loose or _is_import(key))]
    return merged("\n\n".join(left), correction)


def undefined(source: str, given: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Names that the functions of a module use and nothing defines, each with those functions.

    Args:
        source: The module; one that does not parse has none.
        given: Names that are there without a definition, beside Python's own.
    """
    try:
        module = symtable.symtable(source, "module", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    known = {*given, *dir(builtins)}
    known |= {one.get_name() for one in module.get_symbols() if one.is_assigned() or one.is_imported()}
    known |= {one.get_name() for one in module.get_children()}
    users: dict[str, list[str]] = {}
    for function in module.get_children():
        for name in sorted(_globals_of(function) - known):
            users.setdefault(name, []).append(function.get_name())
    return {name: tuple(functions) for name, functions in users.items()}


def _globals_of(table: symtable.SymbolTable) -> set[str]:
    """Names that a function and those within it look up in their module."""
    names = {one.get_name() for one in table.get_symbols() if one.is_global() and one.is_referenced()}
    return names.union(*(_globals_of(inner) for inner in table.get_children()))


def place_of(source: str, line: int) -> tuple[str, int]:
    """Name of the top-level function that holds a line (from 1), and the line within it; "" and the same
    line where none does.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return "", line
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno):
            return node.name, line - node.lineno + 1
    return "", line


def placed(message: str, source: str) -> str:
    """A finding's text with each "(line 32)", a line of the module, told by function, line and statement."""
    lines = source.splitlines()

    def in_place(match: re.Match[str]) -> str:
        if not 0 < int(match[1]) <= len(lines) or not lines[int(match[1]) - 1].strip():
            return match[0]
        name, line = place_of(source, int(match[1]))
        where = f"line {line} of {name}: " if name else ""
        return f"({where}{lines[int(match[1]) - 1].strip()})"

    return _LINE_OF_MODULE.sub(in_place, message)


def _needed(remaining: dict[str, str], new: dict[str, str], users: tuple[str, ...]) -> set[str]:
    """Keys of the definitions that are used, also by one another, and not defined anew."""
    bound = {name for text in new.values() for name in _bound(text)}
    used = {name for text in (*new.values(), *users) for name in _used(text)} - bound
    needed: set[str] = set()
    while more := {key for key, text in remaining.items() if key not in needed and _bound(text) & used}:
        needed |= more
        used |= {name for key in more for name in _used(remaining[key])} - bound
    return needed


def _bound(text: str) -> set[str]:
    """Names that the statements of a text define at its top level."""
    names: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        else:
            names |= {
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            }
    return names


def _used(text: str) -> set[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _without(text: str, gone: set[str]) -> str:
    """The definition without imports of these names or modules; "" when nothing of it is left."""
    (node, *others) = ast.parse(text).body
    if others or not isinstance(node, ast.Import | ast.ImportFrom):
        return "" if _bound(text) & gone else text
    if ast.unparse(node) in gone or (isinstance(node, ast.ImportFrom) and node.module in gone):
        return ""
    names = [one for one in node.names if not gone & {one.name, one.asname, one.name.partition(".")[0]}]
    if len(names) == len(node.names):
        return text
    node.names = names
    return ast.unparse(node) if names else ""


def _is_import(key: str) -> bool:
    return key.startswith("import ")


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _defined(node: ast.stmt) -> str:
    """A key under which a statement replaces another one."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Import | ast.ImportFrom):
        return f"import {ast.unparse(node)}"
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return f"={ast.unparse(node)}"
