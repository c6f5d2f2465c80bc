"""Inside a worker: declared invariants, read from their source and tried on a database."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import CodeType

from synthesis.worlds.syntax import nodes_of
from synthesis.worlds.worker.builder import Problem, problem
from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.namespace import place_of, run_module
from synthesis.worlds.worker.tool_database import ReadOnlyDatabase
from synthesis.worlds.worker.tool_source import source_problems, writing_functions

MODULE = "invariants"
MOST_INVARIANTS = 100
_CLAIM = "every_invariant_is_described"


class InvariantBroken(Exception):
    """A declared invariant does not hold; the text names it and says what it demands.

    Args:
        name: Of the invariant.
        text: What does not hold, or what its function did instead of deciding.
    """

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


def invariant_problems(tree: ast.Module) -> list[Problem]:
    """What is wrong with an invariants module, function by function."""
    functions = _functions(tree)
    writing = writing_functions(tree)
    results = source_problems(tree, part=MODULE)
    if not functions or len(functions) > MOST_INVARIANTS:
        results.append(
            problem(
                MODULE,
                _CLAIM,
                f"The module declares {len(functions)} invariants; declare 1 to {MOST_INVARIANTS}: functions "
                "name(db) -> bool whose names do not begin with an underscore.",
            )
        )
    names = [function.name for function in functions]
    for function in functions:
        faults = [*_faults(function)]
        faults += ["writes; an invariant only looks (db.query, db.one)"] * (function.name in writing)
        faults += ["is defined twice"] * (names.count(function.name) > 1)
        results += [
            problem(
                MODULE,
                _CLAIM,
                f"Invariant {function.name} (line {function.lineno}) {words}.",
                where=function.name,
            )
            for words in faults
        ]
    return results


def described(tree: ast.Module) -> list[dict[str, str]]:
    """Name and sentence of every invariant, in source order."""
    return [
        {"name": each.name, "sentence": _first_line(ast.get_docstring(each) or "")}
        for each in _functions(tree)
    ]


class LoadedInvariants:
    """The invariants of a world, ready to be tried on one database.

    Args:
        code: The module, compiled.
        sentences: What each invariant demands, by name.
        connection: The database.
    """

    def __init__(self, code: CodeType, sentences: Mapping[str, str], connection: GuardedConnection) -> None:
        space = run_module(code, MODULE, {})
        self._functions = {name: space[name] for name in sentences}
        self._sentences, self._connection = sentences, connection
        self._db = ReadOnlyDatabase(connection)

    def require(self) -> None:
        """Try all of them; nothing is written meanwhile.

        Raises:
            InvariantBroken: One does not hold, the first in source order.
        """
        with self._connection.reading():
            for name in self._functions:
                self._require(name)

    def broken(self) -> list[dict[str, str]]:
        """Each invariant that does not hold, as the plain values of a `BrokenInvariant`."""
        results = []
        with self._connection.reading():
            for name in self._functions:
                try:
                    self._require(name)
                except InvariantBroken as error:
                    failed = str(error) if error.__cause__ is not None else ""
                    results.append({"name": name, "sentence": self._sentences[name], "error": failed})
        return results

    def _require(self, name: str) -> None:
        try:
            holds = self._functions[name](self._db)
            if not isinstance(holds, bool):
                raise TypeError(f"it returned {type(holds).__name__}, not True or False")
        except Exception as error:
            text = f"the invariant {name} failed: {type(error).__name__}: {error}{place_of(error, MODULE)}"
            raise InvariantBroken(name, text[:1_000]) from error
        if not holds:
            demanded = self._sentences[name].rstrip(".")
            raise InvariantBroken(name, f"the invariant {name} would be broken ({demanded})")


def _functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]


def _faults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    taken = function.args
    names = [argument.arg for argument in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)]
    plain = names == ["db"] and not (taken.vararg or taken.kwarg)
    faults = [] if plain else ["must take db as its only parameter"]
    if isinstance(function, ast.AsyncFunctionDef) or _yields(function):
        faults.append("must be a plain function that returns True or False")
    if function.decorator_list:
        faults.append("has a decorator; an invariant has none")
    if not _first_line(ast.get_docstring(function) or ""):
        faults.append("has no docstring; its first line says what must hold")
    return faults


def _yields(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes_of(function))


def _first_line(docstring: str) -> str:
    return docstring.strip().partition("\n")[0].strip()[:500]
