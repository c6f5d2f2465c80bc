"""Reading generated Python without running it: what it may import and do, and which tools write.

This gives early, clear errors and keeps replays deterministic. It is no boundary: that is the sealed process.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from synthesis.worlds.definitions import UNPARSABLE, definitions, reached_from, uses_of
from synthesis.worlds.syntax import nodes_of, nodes_of_module
from synthesis.worlds.worker.builder import Problem, problem
from synthesis.worlds.worker.forbidden import forbidden
from synthesis.worlds.worker.load_time import code_at_load

_WRITING_SQL = re.compile(
    r"\b(?:insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update\s+(?:or\s+\w+\s+)?[\w\"`\[]+\s+set|delete\s+from)\b",
    re.IGNORECASE,
)
_CONSTANT_MAKERS = frozenset(
    [
        "Decimal",
        "date",
        "datetime",
        "dict",
        "frozenset",
        "int",
        "len",
        "list",
        "max",
        "min",
        "range",
        "re",
        "set",
        "sorted",
        "str",
        "sum",
        "time",
        "timedelta",
        "tuple",
        "zip",
        "compile",
        "namedtuple",
        "Field",
        "split",
        "splitlines",
        "strip",
        "lower",
        "upper",
        "join",
        "float",
        "round",
        "abs",
        "enumerate",
        "reversed",
        "format",
        "fromisoformat",
    ]
)

_CHANCE = re.compile(r"\brandom(?:blob)?\s{0,9}\(", re.IGNORECASE)
_COMMITTING = frozenset({"begin", "commit"})
_ITERATORS = frozenset({"enumerate", "reversed", "zip"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def parse(source: str, *, part: str) -> tuple[ast.Module | None, list[Problem]]:
    """The module's tree, or None and the reason why there is none."""
    try:
        return ast.parse(source), []
    except UNPARSABLE as error:
        line = getattr(error, "lineno", None)
        words = getattr(error, "msg", None) or str(error) or type(error).__name__
        where = f"line {line}" if line else ""
        text = (getattr(error, "text", None) or "").strip()
        message = f"{where or 'The source'}: {words}{f': {text}' if text else ''}"
        return None, [problem(part, "it_is_python", message[:1000], where=where)]


def source_problems(tree: ast.Module, *, part: str, check: str = "only_pure_python") -> list[Problem]:
    """What generated code must not do: imports, reflection, module state, the wall clock."""
    results = [
        problem(part, check, f"Line {line}: {words}", where=f"line {line}")
        for line, words in sorted({*forbidden(tree), *_module_level(tree)})
    ]
    return results[:50]


def function_names(tree: ast.Module) -> list[str]:
    """Names of the module's functions in source order."""
    return [node.name for node in tree.body if isinstance(node, Function)]


def tool_problems(tree: ast.Module) -> list[Problem]:
    """What is wrong with the shape of a tools module, tool by tool."""
    results: list[Problem] = []
    functions = [node for node in tree.body if isinstance(node, Function)]
    seen: set[str] = set()
    for function in functions:
        if function.name in seen:
            results.append(_tool_problem(function, "is defined twice; every function needs its own name"))
        seen.add(function.name)
    for function in functions:
        if not function.name.startswith("_"):
            results += [_tool_problem(function, words) for words in _tool_faults(function)]
    if not any(not function.name.startswith("_") for function in functions):
        message = (
            "The module declares no tool: a tool is a function whose name does not begin with an underscore."
        )
        results.append(problem("tools", "every_tool_is_described", message))
    return results


def verifier_problems(tree: ast.Module) -> list[Problem]:
    """What a verifier's source does that it must not, and whether it defines `verify` as it must."""
    results = source_problems(tree, part="verifiers")
    verify = next((n for n in tree.body if isinstance(n, Function) and n.name == "verify"), None)
    if verify is None or not _takes_what_is_given(verify.args):
        message = (
            "The verifier must define verify(before, after, changes, answer), and may add calls and "
            "conversation by name."
        )
        results.append(problem("verifiers", "every_verifier_can_run", message))
    return [*results, *_chances(tree)]


def _chances(tree: ast.Module) -> Iterator[Problem]:
    """Where a verifier asks SQL for random numbers."""
    for node in nodes_of_module(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CHANCE.search(node.value):
            message = (
                f"Line {node.lineno}: SQL's random() makes the verdict a matter of chance. "
                "Compare with what the rows and the answer hold."
            )
            yield problem("verifiers", "only_pure_python", message, where=f"line {node.lineno}")


def _takes_what_is_given(taken: ast.arguments) -> bool:
    names = [argument.arg for argument in (*taken.args, *taken.kwonlyargs)]
    more = names[4:]
    plain = not (taken.posonlyargs or taken.vararg or taken.kwarg) and len(taken.args) >= 4
    return (
        plain
        and names[:4] == ["before", "after", "changes", "answer"]
        and len(set(more)) == len(more)
        and set(more) <= {"calls", "conversation"}
    )


def writing_functions(tree: ast.Module) -> set[str]:
    """Definitions that may write: by db.execute, db.insert or writing SQL, or by another definition."""
    defined = definitions(tree)
    uses = uses_of(defined)
    writing = {name for name, statement in defined.items() if _writes(statement)}
    return {name for name in defined if not writing.isdisjoint(reached_from([name], uses))}


def committing_functions(tree: ast.Module) -> set[str]:
    """Definitions of a FastAPI module that commit to its database, by themselves or by another definition."""
    defined = definitions(tree)
    uses = uses_of(defined)
    committing = {name for name, statement in defined.items() if _COMMITTING & _attributes(statement)}
    return {name for name in defined if not committing.isdisjoint(reached_from([name], uses))}


def _attributes(statement: ast.stmt) -> set[str]:
    return {node.attr for node in nodes_of(statement) if isinstance(node, ast.Attribute)}


def _tool_problem(function: Function, words: str) -> Problem:
    message = f"Tool {function.name} (line {function.lineno}) {words}."
    return problem("tools", "every_tool_is_described", message, where=function.name)


def _tool_faults(function: Function) -> Iterator[str]:
    if isinstance(function, ast.AsyncFunctionDef):
        yield "is async; a tool is a plain function"
    elif any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(function)):
        yield "is a generator; a tool returns its result"
    if function.decorator_list:
        yield "has a decorator; a tool has none"
    signature = function.args
    positional = [*signature.posonlyargs, *signature.args]
    if not positional or positional[0].arg != "db":
        yield "must take db as its first parameter"
    if signature.vararg or signature.kwarg:
        yield "takes *args or **kwargs; name every parameter"
    if len(signature.posonlyargs) > 1:
        yield "has positional-only parameters besides db; arguments are given by name"
    parameters = [argument for argument in [*positional, *signature.kwonlyargs] if argument.arg != "db"]
    yield from (f"gives no type for parameter {p.arg}" for p in parameters if p.annotation is None)
    if function.returns is None:
        yield "gives no return type (write -> dict)"
    if not (ast.get_docstring(function) or "").strip():
        yield "has no docstring; its first line tells agents what it does"


def _module_level(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Module level is for imports, definitions and constants; a value that can change would be state."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom | Function | ast.ClassDef | ast.Pass):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign):
            own = {n.name for n in tree.body if isinstance(n, Function | ast.ClassDef)}
            if node.value is not None and (not _is_constant(node.value) or _calls(node.value) & own):
                yield (
                    node.lineno,
                    "the module level may only contain constants; compute this inside a function.",
                )
            continue
        yield (
            node.lineno,
            f"{type(node).__name__} at module level; only imports, functions and constants may be there.",
        )
    yield from _mutations(tree)
    own = {node.name for node in tree.body if isinstance(node, Function | ast.ClassDef)}
    yield from code_at_load(tree, lambda node: _is_constant(node) and not _calls(node) & own)


def _calls(node: ast.expr) -> set[str]:
    """Names of functions that are called in an expression."""
    calls = [inner.func for inner in nodes_of(node) if isinstance(inner, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.GeneratorExp) or _called(node) in _ITERATORS:
        return False
    for inner in nodes_of(node):
        if isinstance(inner, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda):
            return False
        if isinstance(inner, ast.Call) and _called(inner) not in _CONSTANT_MAKERS:
            return False
    return True


def _called(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


_CHANGING = frozenset(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "clear",
        "update",
        "setdefault",
        "add",
        "discard",
        "sort",
        "reverse",
        "appendleft",
    ]
)


def _mutations(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Places in functions that change a value of the module, and defaults that a call could change."""
    shared = _module_names(tree)
    for function in (node for node in nodes_of_module(tree) if isinstance(node, Function | ast.Lambda)):
        defaults = [*function.args.defaults, *(d for d in function.args.kw_defaults if d is not None)]
        if any(isinstance(d, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.Call) for d in defaults):
            yield function.lineno, "a mutable default would outlive the call; use None."
    for function in (node for node in tree.body if isinstance(node, Function)):
        own = _assigned(function)
        for node in nodes_of(function):
            name = _changed_name(node)
            if name in shared and name not in own:
                yield (
                    getattr(node, "lineno", 0),
                    f"{name} is changed: a module's values must stay as they are.",
                )


def _module_names(tree: ast.Module) -> set[str]:
    names = set()
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        else:
            names |= {
                n.id for n in nodes_of(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
    return names


def _changed_name(node: ast.AST) -> str | None:
    """The name at the root of what a node changes: a for a.b[0] = 1 and for a.b.append(1)."""
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        return _root(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        return _root(node.func.value)
    return None


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _assigned(function: Function) -> set[str]:
    arguments = function.args
    names = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    names |= {n.id for n in nodes_of(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            stack += ast.iter_child_nodes(node)


def _writes(defined: ast.stmt) -> bool:
    """Whether a definition writes by itself, not by another one that it uses."""
    databases = {
        name for node in nodes_of(defined) if isinstance(node, Function) for name in _database_names(node)
    }
    docstrings = {id(node) for node in _docstrings(defined)}
    for node in nodes_of(defined):
        if isinstance(node, ast.Attribute) and node.attr in ("execute", "insert"):
            owner = (
                node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            )
            if owner in databases or (
                isinstance(node.value, ast.Attribute) and owner.strip("_") in databases
            ):
                return True
        elif id(node) not in docstrings and _holds_writing_sql(node):
            return True
    return False


def _database_names(function: Function) -> set[str]:
    """Names that stand for the database: db, the first parameter, and names either is given to."""
    positional = [*function.args.posonlyargs, *function.args.args]
    names = {"db", *(argument.arg for argument in positional[:1])}
    for node in nodes_of(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _docstrings(defined: ast.stmt) -> Iterator[ast.expr]:
    for node in nodes_of(defined):
        if isinstance(node, Function | ast.ClassDef) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            assert isinstance(first, ast.Expr)
            yield first.value


def _holds_writing_sql(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(_WRITING_SQL.search(node.value))
    if isinstance(node, ast.JoinedStr):
        parts: list[Any] = [part.value if isinstance(part, ast.Constant) else "x" for part in node.values]
        return bool(_WRITING_SQL.search("".join(parts)))
    return False
