"""Mutants of a module: the changes that cosmic-ray's operators make, without those that change nothing."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

Position = tuple[int, int]

_LEFT_OUT = ("RemoveDecorator", "VariableReplacer", "VariableInserter", "_Is_Eq", "_IsNot_NotEq")
"""Without `@dataclass` or `@property` a module fails at import, which says nothing about its tests; the
variables need a name that nobody gives; and what is compared with `is` (None, a type, a member of an
enumeration) equals only itself."""


@dataclass(frozen=True)
class Mutant:
    """One change of one module.

    Attributes:
        module: Path of the module, relative to the repository.
        operator: Name of cosmic-ray's operator.
        occurrence: At which place of the module, counted from 0.
        line: Where that is.
    """

    module: str
    operator: str
    occurrence: int
    line: int

    def code(self, source: str) -> str:
        """The module with the change."""
        changed = MutationVisitor.mutate_code(source, get_operator(self.operator)(), self.occurrence)
        assert isinstance(changed, str)
        return changed


def mutants_of(root: Path, module: str) -> list[Mutant]:
    """Every mutant of a module that its tests could notice."""
    source = (root / module).read_text()
    silent, nodes = _silent(source), list(ast_nodes(get_ast(source)))
    return [
        Mutant(module, name, occurrence, start[0])
        for name in operator_names()
        if not any(part in name for part in _LEFT_OUT)
        for occurrence, start in enumerate(_places(nodes, get_operator(name)()))
        if not any(begin <= start < end for begin, end in silent)
    ]


def sample(root: Path, mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many mutants that are Python, one of a line: a line has dozens of the same kind."""
    shuffled = sorted(mutants, key=lambda each: (each.module, each.line, each.operator, each.occurrence))
    random.Random(seed).shuffle(shuffled)
    chosen: dict[tuple[str, int], Mutant] = {}
    for each in shuffled:
        if len(chosen) == count:
            break
        if (each.module, each.line) not in chosen and _compiles(each.code((root / each.module).read_text())):
            chosen[each.module, each.line] = each
    return list(chosen.values())


def _compiles(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def _places(nodes: list[Any], operator: Operator) -> Iterator[Position]:
    """Where an operator can change a module, in the order in which it counts the places."""
    for node in nodes:
        for start, _ in operator.mutation_positions(node):
            yield start


def _silent(source: str) -> list[tuple[Position, Position]]:
    """Places whose changes say nothing about tests: annotations, which are never evaluated, the module's
    constants, bounds whose neighbours would do as well, options of decorated classes, the `*` of a signature,
    and models' columns and constraints, which migrations must equal."""
    tree = ast.parse(source)
    nodes: list[ast.AST | None] = [each for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign)]
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            nodes.append(node.annotation)
        elif isinstance(node, ast.ClassDef):
            nodes += [*node.decorator_list, *([node] if node.name == "Meta" else _columns(node))]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes.append(node.returns)
    return [*map(_extent, filter(None, nodes)), *_stars(tree)]


def _columns(model: ast.ClassDef) -> list[ast.AST]:
    """The columns of a class, if it is a model."""
    assigned = [
        each for each in model.body if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
    ]
    return [each for each in assigned if _called(each.value).endswith(("Field", "Key"))]


def _called(call: Any) -> str:
    """The name that is called, without what it is of: `ForeignKey` of `ForeignKey["Comment"](...)`."""
    return ast.unparse(call.func.value if isinstance(call.func, ast.Subscript) else call.func)


def _stars(tree: ast.Module) -> list[tuple[Position, Position]]:
    """Where a signature has a `*` by itself, before what is given by keyword."""
    stars = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.args.kwonlyargs:
            before = [*node.args.posonlyargs, *node.args.args, *node.args.defaults]
            begin = max((_extent(each)[1] for each in before), default=(node.lineno, node.col_offset))
            if node.args.vararg is None:
                stars.append((begin, _extent(node.args.kwonlyargs[0])[0]))
    return stars


def _extent(node: Any) -> tuple[Position, Position]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
