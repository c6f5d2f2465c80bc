"""Claims about what an environment declares: amounts, references, states, lists, bounds, tasks and facts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from synthesis.documents.schema import Column, Table
from synthesis.documents.tasks import Task
from synthesis.documents.tools import Tool, ToolCall
from synthesis.verification.claims.claim import ClaimOutcome
from synthesis.verification.first_rows import first_rows
from synthesis.verification.list_relations import LIMITS, items_of
from synthesis.verification.namesakes import namesakes
from synthesis.verification.proof_context import ProofContext
from synthesis.verification.write_relations import references_without_key
from synthesis.worlds.arguments import validation_error
from synthesis.worlds.definitions import UNPARSABLE, reached_names, reached_texts
from synthesis.worlds.syntax import nodes_of

_MONEY = re.compile(
    r"(?:^|_)(?:price|amount|cost|fee|balance|salary|wage|rent|deposit|refund|paid|owed|money|eur|usd|cents)(?:_|$)"
)
_FLOATING = re.compile(r"REAL|FLOA|DOUB", re.IGNORECASE)
_STATES = re.compile(
    r"CHECK\s*\(\s*[\"`]?(\w*(?:status|state|stage|phase))[\"`]?\s+IN\s*\(([^()]*)\)", re.IGNORECASE
)
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_LIMITED = re.compile(r"\blimit\b|\[[^\]]*:[^\]]*\]", re.IGNORECASE)
_ORDERED = re.compile(r"\border\s+by\b|\bsorted\(|\.sort\(", re.IGNORECASE)
_SELECT_ROWS = re.compile(r"\bselect\b", re.IGNORECASE)
_SEVERAL_ROWS = re.compile(r"query|getattr|group_", re.IGNORECASE)
"""What reads several rows, or may: `db.query`, by whatever name, and lists made by `group_concat`."""
_STATEMENT = re.compile(r"\s*(?:select|insert|update|delete|with)\b", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:at most|up to|no more than|maximum(?: of)?|\d+\s*(?:to|-|and|\u2013))\s*(\d[\d,]*)", re.IGNORECASE
)
_ASKED = re.compile(
    r"\b(?:tell (?:me|us)|let (?:me|us) know)\s+"
    r"(?:the|what|which|when|how|who|whose|where|its|his|her|their|your)\b",
    re.IGNORECASE,
)


def amounts_are_exact(context: ProofContext, answer: ClaimOutcome) -> None:
    """Amounts of money are kept as whole numbers or as decimal text, never as floating point numbers."""
    amounts = 0
    provenance = context.environment.provenance.get("schema")
    imported = provenance is not None and provenance.origin is not None
    for table, column in _columns(context):
        if _MONEY.search(column.name.lower()):
            amounts += 1
            if _FLOATING.search(column.type):
                answer.finds(
                    "schema",
                    f"{table.name}.{column.name} keeps money as {column.type}, which rounds: keep whole "
                    "cents in an INTEGER column.",
                    where=table.name,
                    severity="warning" if imported else "error",
                )
    answer.counts(amounts=amounts)


def references_are_declared(context: ProofContext, answer: ClaimOutcome) -> None:
    """A column that names a row of another table says so by a foreign key, and the row is there."""
    environment, columns = context.environment, 0
    for table in environment.schema.tables:
        for column, other in references_without_key(table, environment.schema).items():
            columns += 1
            answer.finds(
                "schema",
                f"{table.name}.{column} names rows of {other.name} without a foreign key: declare one.",
                where=table.name,
                severity="warning",
            )
            keys = {row.get(other.primary_key[0]) for row in environment.seed_data.rows.get(other.name, ())}
            rows = environment.seed_data.rows.get(table.name, ())
            lost = [row[column] for row in rows if row.get(column) is not None and row[column] not in keys]
            if lost and None not in keys:
                answer.finds(
                    "seed_data",
                    f"{len(lost)} rows of {table.name} name rows of {other.name} in {column} that are not "
                    f"there, among them {lost[0]!r}: correct them.",
                    where=table.name,
                )
    answer.counts(columns=columns)


def states_can_be_reached(context: ProofContext, answer: ClaimOutcome) -> None:
    """Every state that a column allows occurs in some row, or some tool names it."""
    states, source = 0, context.environment.tools.source
    for table in context.environment.schema.tables:
        rows = context.environment.seed_data.rows.get(table.name, ())
        for column, members in _STATES.findall(table.sql):
            present = {row.get(column) for row in rows}
            for state in (text.replace("''", "'") for text in _QUOTED.findall(members)):
                states += 1
                if state not in present and not re.search(rf"['\"]{re.escape(state)}['\"]", source):
                    answer.finds(
                        "schema",
                        f"No row of {table.name} has {column} {state!r} and no tool sets it: leave the state "
                        "out, or have a tool reach it.",
                        where=table.name,
                        severity="warning",
                    )
    answer.counts(states=states)


def lists_are_bounded_and_ordered(context: ProofContext, answer: ClaimOutcome) -> None:
    """A tool that lists rows sorts them and answers a bounded number; bounds that it promises are kept."""
    sources = reached_texts(context.environment.tools.source)
    lists = bounds = 0
    with context.instance() as instance:
        for tool, call in _list_calls(context):
            lists += 1
            text = sources.get(tool.name, "")
            selects = _SELECT_ROWS.search(text) is not None and not _is_as_long_as_asked(tool, text)
            if selects and not _LIMITED.search(text):
                words = "answers every row there is: take limit and offset, and add LIMIT to its statement."
                answer.finds("tools", f"{tool.name} {words}", where=tool.name)
            if selects and not _ORDERED.search(text):
                words = "lists rows in no certain order: add ORDER BY with a column without equal values."
                answer.finds("tools", f"{tool.name} {words}", where=tool.name)
            for beyond in _beyond_promises(tool, call):
                bounds += 1
                result = instance.call(beyond.name, beyond.arguments)
                changed = {n: v for n, v in beyond.arguments.items() if call.arguments.get(n) != v}
                if result.ok:
                    name, value = next(iter(changed.items()))
                    answer.finds(
                        "tools",
                        f"{tool.name} describes a smaller bound of {name} than it keeps: it takes {value}. "
                        "Declare the bound in the schema, or refuse beyond it.",
                        where=tool.name,
                        evidence={"call": beyond.model_dump(mode="json")},
                    )
                if result.changes:
                    instance.reset()
    answer.counts(lists=lists, bounds=bounds)


def first_rows_are_sorted(context: ProofContext, answer: ClaimOutcome) -> None:
    """A tool that takes the first of several rows says by ORDER BY which that is."""
    environment = context.environment
    sizes = {name: len(rows) for name, rows in environment.seed_data.rows.items()}
    places = first_rows(environment.tools.source, environment.schema, sizes)
    reached = reached_names(environment.tools.source)
    for place in places:
        tools = [tool.name for tool in environment.tools.tools]
        using = [name for name in tools if place.function in reached.get(name, ())]
        where = place.function if place.function in tools else next(iter(using), "")
        if where:
            answer.finds(
                "tools",
                f"{place.function} takes the first of several rows of {place.table} in no certain order "
                f"(line {place.line}): add ORDER BY with a column without equal values, or refuse "
                "where there are several.",
                where=where,
                severity="warning",
            )
    answer.counts(places=len(places))


def nothing_is_there_twice(context: ProofContext, answer: ClaimOutcome) -> None:
    """No two tools do the same, and no two tasks ask for the same."""
    bodies: dict[str, str] = {}
    for name, body in _bodies(context.environment.tools.source, context.environment.tools.tools):
        if (first := bodies.setdefault(body, name)) != name:
            answer.finds("tools", f"{name} does exactly what {first} does: keep one of them.", where=name)
    asked: dict[str, str] = {}
    for task in context.tasks:
        keys = [" ".join(task.instruction.casefold().split())]
        if task.kind == "write" and task.reference_solution:
            keys.append(
                repr([(call.name, sorted(call.arguments.items())) for call in task.reference_solution])
            )
        first = next((asked[key] for key in keys if key in asked), "")
        if first:
            answer.finds(
                "tasks", f"{task.id} asks for the same as {first}: ask for something else.", where=task.id
            )
        for key in keys:
            asked.setdefault(key, task.id)
    answer.counts(tools=len(context.environment.tools.tools), tasks=len(context.tasks))


def names_mean_one_row(context: ProofContext, answer: ClaimOutcome) -> None:
    """Where an instruction names a row that has namesakes, it says which of them is meant."""
    count = 0
    for task in context.tasks:
        for name, table, alike in namesakes(context.environment, task):
            count += 1
            answer.finds(
                "tasks",
                f"{task.id} says {name!r}, and {alike} rows of {table} are called that: say which is "
                "meant, or give them different names.",
                where=task.id,
            )
    answer.counts(tasks=len(context.tasks), namesakes=count)


def asked_facts_are_required(context: ProofContext, answer: ClaimOutcome) -> None:
    """A task that asks to be told something requires at least one fact in the answer."""
    asking = 0
    for task in context.tasks:
        if not _asks(task):
            continue
        asking += 1
        if not task.answer_facts:
            answer.finds(
                "tasks",
                f"{task.id} asks to be told something and requires no fact: list what a right answer "
                "must say in answer_facts.",
                where=task.id,
            )
    answer.counts(tasks=len(context.tasks), asking=asking)


def _asks(task: Task) -> bool:
    if task.kind == "read":
        return True
    return task.kind in ("write", "mixed") and not task.blocking and bool(_ASKED.search(task.instruction))


def _columns(context: ProofContext) -> Iterator[tuple[Table, Column]]:
    for table in context.environment.schema.tables:
        for column in table.columns:
            yield table, column


def _list_calls(context: ProofContext) -> Iterator[tuple[Tool, ToolCall]]:
    """Tools that only read and list rows, each with a call that succeeded."""
    for trial in context.tool_trials:
        if trial.tool.mutates_state:
            continue
        good = (call for call in trial.calls if call.result.ok and not call.preceding)
        listing = (call.probe.call for call in good if items_of(call.result.value))
        if (call := next(listing, None)) is not None:
            yield trial.tool, call


def _is_as_long_as_asked(tool: Tool, text: str) -> bool:
    """Whether a tool looks up one row for each of the bounded number of keys that it is given.

    Args:
        tool: It has to take an array with `maxItems`.
        text: Its source; `db.one` gives a single row, and anything that may give more is no such look-up.
    """
    rules: Any = tool.input_schema.get("properties", {})
    is_bounded = any(rule.get("type") == "array" and "maxItems" in rule for rule in rules.values())
    return is_bounded and not _SEVERAL_ROWS.search(text)


def _beyond_promises(tool: Tool, call: ToolCall) -> Iterator[ToolCall]:
    """Calls with a number one beyond what the description of its parameter promises."""
    rules: Any = tool.input_schema.get("properties", {})
    for name, rule in rules.items():
        promise = _BOUND.search(str(rule.get("description", ""))) if name in LIMITS else None
        if promise is not None:
            beyond = int(promise[1].replace(",", "")) + 1
            if not validation_error(rule, beyond):
                yield call.replace(arguments={**call.arguments, name: beyond})


def _bodies(source: str, tools: tuple[Tool, ...]) -> Iterator[tuple[str, str]]:
    """What each tool takes and does, whatever it, its parameters, variables and descriptions are called."""
    try:
        module = ast.parse(source)
    except UNPARSABLE:
        return
    names = {tool.name for tool in tools}
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            if ast.get_docstring(node) is not None:
                del node.body[0]
            plain = _Plain(node).visit(node)
            yield node.name, ast.dump(plain.args) + "".join(map(ast.dump, plain.body))


class _Plain(ast.NodeTransformer):
    """A function with its own names numbered, without descriptions, its statements in one line."""

    def __init__(self, function: ast.FunctionDef) -> None:
        own = [argument.arg for argument in nodes_of(function.args) if isinstance(argument, ast.arg)]
        own += [
            name.id
            for name in nodes_of(function)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        ]
        self.numbers = {name: f"v{number}" for number, name in enumerate(dict.fromkeys(own))}

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.numbers.get(node.arg, node.arg)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.numbers.get(node.id, node.id)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [each for each in node.keywords if each.arg != "description"]
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        named = isinstance(node.value, ast.Name) and node.value.id == "Annotated"
        if named and isinstance(node.slice, ast.Tuple):
            kind, *rules = node.slice.elts
            if all(isinstance(rule, ast.Call) and not (rule.args or rule.keywords) for rule in rules):
                return kind
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and _STATEMENT.match(node.value):
            node.value = " ".join(node.value.split())
        return node
