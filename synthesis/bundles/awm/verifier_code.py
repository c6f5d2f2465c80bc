"""VerifierCode: a verifier as one function over two database files, as readers of the format call it.

All of it stands in that one function: readers differ in which names a module has beside it.
"""

from __future__ import annotations

import ast
from typing import Any, Literal

from synthesis.bundles.awm.standalone_source import needed, parsed, shipped
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.errors import InvalidInput
from synthesis.worlds.definitions import used_names

Mode = Literal["code", "sql"]

_SHIPPED = (
    "synthesis.worlds.comparison",
    "synthesis.bundles.awm.standalone.states",
    "synthesis.bundles.awm.standalone.answers",
)
_GIVEN = (
    *("added", "amounts", "changed", "check", "dates", "declines", "holds", "matches", "names", "numbers"),
    *("removed", "says", "times"),
)
"""What verifiers have by name."""
_ALWAYS = ("FileState", "changes_between", "state_moment", "check")
_EVIDENCE = ("calls", "conversation")

_CODE = """
def verify_task_completion(initial_db_path, final_db_path, final_answer=None):
    RUN
    return {"result": "complete" if all(outcomes.values()) else "others", "checks": outcomes}
"""
_SQL = """
def verify_task(initial_db_path, final_db_path):
    final_answer = ""
    RUN
    return {"changes": [[row.table, row.key, row.kind, row.after] for row in changes], "checks": outcomes}
"""
_RUN = """
before, after = FileState(initial_db_path, moment), FileState(final_db_path, moment)
changes = changes_between(before, after, TABLES)
outcomes = {}
for each in verify(before, after, changes, answer):
    outcomes[each.name] = each.passed is True
before.close()
after.close()
"""


def unsaid(task_id: str, source: str) -> str:
    """Why a verifier cannot be said in this format; empty where it can."""
    try:
        tree = parsed(source, f"The verifier of {task_id}")
    except InvalidInput as error:
        return str(error)
    verify = next((each for each in tree.body if getattr(each, "name", "") == "verify"), None)
    if not isinstance(verify, ast.FunctionDef):
        return "Its verifier defines no function verify."
    taken = {each.arg for each in (*verify.args.args, *verify.args.kwonlyargs)}
    if asked := taken.intersection(_EVIDENCE):
        return (
            f"Its verifier asks for the episode's {' and '.join(sorted(asked))}, which readers do not give."
        )
    if any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        return "Its verifier has a global statement, which cannot stand in a function of another module."
    return ""


def verifier_code(environment: Environment, task: Task, mode: Mode) -> str:
    """The verifier of a task as a module with one function; `unsaid` tells whether there can be one.

    Args:
        environment: Whose schema it reads.
        task: Whose verifier it is; its answer is read too where the mode is "code".
        mode: "code" for a verdict, "sql" for what a judge is shown.
    """
    verifier = environment.verifier(task.id)
    tree = parsed(verifier.source if verifier else "", f"The verifier of {task.id}")
    wanted = used_names(tree)
    given = sorted({name for name in _GIVEN if name in wanted} | {*_ALWAYS, *_answer_names(task, mode)})
    module = ast.parse(_CODE if mode == "code" else _SQL)
    (function,) = module.body
    assert isinstance(function, ast.FunctionDef)
    place = next(at for at, each in enumerate(function.body) if _is_run(each))
    function.body[place : place + 1] = [
        *_scope("given", needed(shipped(*_SHIPPED), given), given),
        *_scope("loaded", tree.body, ["verify"]),
        *_statements(f"TABLES = {_shapes(environment)!r}"),
        *_statements(f"moment = state_moment({environment.scenario.clock.isoformat()!r})"),
        *_statements("answer = final_answer or ''"),
        *_statements(_RUN),
        *(_statements(_answer_checks(task)) if mode == "code" else ()),
    ]
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def _is_run(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and getattr(statement.value, "id", "") == "RUN"


def _statements(source: str) -> list[ast.stmt]:
    return ast.parse(source).body


def _scope(name: str, body: list[ast.stmt], results: list[str]) -> list[ast.stmt]:
    """Statements in a function of their own, so that names of one scope do not hide those of another."""
    listed = ", ".join(results)
    inner, call = _statements(f"def {name}():\n    return ({listed},)\n({listed},) = {name}()")
    assert isinstance(inner, ast.FunctionDef)
    inner.body[:0] = body
    return [inner, call]


def _answer_names(task: Task, mode: Mode) -> list[str]:
    if mode == "sql":
        return []
    return ["says"] * bool(task.answer_facts) + ["declines"] * _declines(task)


def _declines(task: Task) -> bool:
    return task.kind == "refuse"


def _answer_checks(task: Task) -> str:
    lines = [
        f"outcomes['the answer says ' + {fact.name!r}] = says(answer, {_fact(fact)!r})"
        for fact in task.answer_facts
    ]
    if _declines(task):
        reasons = "".join(f", {_fact(each)!r}" for each in task.blocking)
        request = task.instruction
        lines.append(
            f"outcomes['the answer declines for the reason'] = declines(answer{reasons}, request={request!r})"
        )
    return "\n".join(lines)


def _fact(fact: Any) -> dict[str, Any]:
    fields: dict[str, Any] = fact.model_dump(mode="json", include={"name", "type", "value", "text"})
    return fields


def _shapes(environment: Environment) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {table.name: (table.stored_columns, table.primary_key) for table in environment.schema.tables}
