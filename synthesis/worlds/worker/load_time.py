"""Load time: what of a module would run when it is loaded, in class bodies, annotations and defaults.

Only definitions and constants are allowed there: code that runs at load would run before any call and leave
something behind for all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from synthesis.worlds.syntax import nodes_of, nodes_of_module

Function = ast.FunctionDef | ast.AsyncFunctionDef
IsConstant = Callable[[ast.expr], bool]

_METHOD_KINDS = frozenset({"classmethod", "property", "staticmethod"})


def code_at_load(tree: ast.Module, is_constant: IsConstant) -> Iterator[tuple[int, str]]:
    """Places with code that would run at load, besides assignments of the module itself."""
    inside = _class_functions(tree)
    for node in nodes_of_module(tree):
        if isinstance(node, ast.ClassDef):
            yield from _class(node, is_constant)
        if isinstance(node, Function):
            yield from _function(node, is_constant, is_method=node in inside)
        elif isinstance(node, ast.AnnAssign):
            yield from _annotation(node.annotation, is_constant)
        elif isinstance(node, ast.Lambda):
            yield from _defaults(node.args, is_constant)


def annotation_texts(tree: ast.Module) -> Iterator[ast.expr]:
    """What annotations that are written as texts say, where it is an expression."""
    stack = list(_annotations(tree))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if (expr := _parsed(node.value)) is not None:
                yield ast.copy_location(expr, node)
        elif isinstance(node, ast.Subscript):
            stack += [node.value, *_types_in(node)]
        elif not isinstance(node, ast.Call):  # texts in Field(...) are values
            stack += [inner for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.expr)]


def _types_in(node: ast.Subscript) -> list[ast.expr]:
    """The parameters of a type that are types: those of Literal are values, and all but one of Annotated."""
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    if name == "Literal":
        return []
    if name == "Annotated" and isinstance(node.slice, ast.Tuple):
        return node.slice.elts[:1]
    return [node.slice]


def _class_functions(tree: ast.Module) -> set[ast.AST]:
    return {inner for node in nodes_of_module(tree) if isinstance(node, ast.ClassDef) for inner in node.body}


def _class(node: ast.ClassDef, is_constant: IsConstant) -> Iterator[tuple[int, str]]:
    if node.decorator_list:
        yield node.lineno, f"class {node.name} has a decorator; it runs at load."
    for keyword in node.keywords:
        if keyword.arg != "total":
            yield node.lineno, f"class {node.name} has {keyword.arg or '**'}=; only total= is allowed."
    if any(isinstance(inner, ast.Call) for base in node.bases for inner in nodes_of(base)):
        yield node.lineno, f"class {node.name} computes a base; name it."
    for statement in node.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            if statement.value is not None and not is_constant(statement.value):
                yield statement.lineno, f"class {node.name} may only contain constants and functions."
        elif not (
            isinstance(statement, Function | ast.ClassDef | ast.Pass)
            or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        ):
            yield statement.lineno, f"class {node.name} may only contain constants and functions."


def _function(node: Function, is_constant: IsConstant, *, is_method: bool) -> Iterator[tuple[int, str]]:
    for decorator in node.decorator_list:
        if not (is_method and isinstance(decorator, ast.Name) and decorator.id in _METHOD_KINDS):
            yield decorator.lineno, f"{node.name} has a decorator; it runs at load."
    arguments = node.args
    every = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    for annotation in [*(argument.annotation for argument in every if argument), node.returns]:
        if annotation is not None:
            yield from _annotation(annotation, is_constant)
    yield from _defaults(arguments, is_constant)


def _annotation(node: ast.expr, is_constant: IsConstant) -> Iterator[tuple[int, str]]:
    if not is_constant(node):
        yield (
            node.lineno,
            "an annotation contains code; it may only contain types, constants and Field(...) alone.",
        )


def _defaults(arguments: ast.arguments, is_constant: IsConstant) -> Iterator[tuple[int, str]]:
    for default in [*arguments.defaults, *arguments.kw_defaults]:
        if default is not None and not isinstance(default, ast.Lambda) and not is_constant(default):
            yield default.lineno, "a default contains code; it may only be a constant."


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in nodes_of_module(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, Function) and node.returns is not None:
            yield node.returns


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
