"""Which parts of a verifier look at the answer alone, read from its source."""

from __future__ import annotations

import ast

from synthesis.worlds.syntax import nodes_of

_WITH_TARGET = (ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For, ast.comprehension)
_STATE = frozenset({"after", "changes"})
"""What differs between end states; `before` is the same for all of them."""


def reads_answer_alone(tree: ast.Module) -> list[ast.AST]:
    """Checks, assignments and helpers of a verifier that depend on the answer and on no end state."""
    verify = next(
        (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "verify"), None
    )
    if verify is None:
        return []
    from_answer, from_state = _origins(verify)
    results: list[ast.AST] = []
    called_with_state: set[str] = set()
    for node in nodes_of(verify):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        names = {inner.id for inner in nodes_of(node) if isinstance(inner, ast.Name)}
        if node.func.id == "check":
            if names & from_answer and not names & from_state:
                results.append(node)
        elif not names & from_answer or names & from_state:
            called_with_state.add(node.func.id)
    helpers = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    reached = _reached(helpers, called_with_state)
    results += [node for name, node in helpers.items() if name not in reached and name != "verify"]
    return results


def _origins(verify: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """Names in `verify` whose value depends on the answer, and those whose value depends on the state."""
    from_answer, from_state = {"answer"}, set(_STATE)
    for _ in range(3):  # a name may be used before the line that shows where it comes from
        for node in nodes_of(verify):
            targets, value = _assigned(node)
            if value is None:
                continue
            names = {inner.id for inner in nodes_of(value) if isinstance(inner, ast.Name)}
            for target in targets:
                from_answer |= {target} if names & from_answer else set()
                from_state |= {target} if names & from_state else set()
    return from_answer, from_state


def _assigned(node: ast.AST) -> tuple[list[str], ast.expr | None]:
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = list(node.targets)
    elif isinstance(node, _WITH_TARGET):
        targets = [node.target]
    else:
        return [], None
    names = [inner.id for target in targets for inner in nodes_of(target) if isinstance(inner, ast.Name)]
    return names, node.iter if isinstance(node, ast.For | ast.comprehension) else node.value


def _reached(helpers: dict[str, ast.FunctionDef], called: set[str]) -> set[str]:
    """Helpers that are called from where the state is looked at, directly or by another helper."""
    reached, waiting = set[str](), set(called)
    while waiting:
        name = waiting.pop()
        if name in reached or name not in helpers:
            continue
        reached.add(name)
        waiting |= {inner.id for inner in nodes_of(helpers[name]) if isinstance(inner, ast.Name)}
    return reached
