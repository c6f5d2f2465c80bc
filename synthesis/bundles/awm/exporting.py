"""Export: environments as a folder of the format, which its launchers, agents and verifiers take as it is.

A folder grows by one environment at a time, so that memory holds one; one that cannot be said in the format
is left out whole, with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field

from synthesis.bundles.awm.application_code import application_code, is_lookup, path_of, summary_of
from synthesis.bundles.awm.folder import CODE_VERIFIERS, OPTIONAL, REQUIRED, key_of
from synthesis.bundles.awm.row_statements import row_statements
from synthesis.bundles.awm.runs import run_files
from synthesis.bundles.awm.verifier_code import unsaid, verifier_code
from synthesis.documents.briefing import briefing_of
from synthesis.documents.bundle import Bundle
from synthesis.documents.document import Document
from synthesis.documents.environment import Environment
from synthesis.documents.schema import Table
from synthesis.documents.tasks import Task
from synthesis.documents.tool_schemas import plain_schema
from synthesis.documents.tools import Tool
from synthesis.errors import InvalidInput, WorldwrightError
from synthesis.worlds.ddl import statements, with_autoincrement
from synthesis.worlds.definitions import reached_texts
from synthesis.worlds.world import World

DATABASES, RUNS = "databases", "runs"
_MOST_ROWS = 10_000_000
_JUDGE = {
    "reasoning": "The rows that the episode changed, and the checks of this task with their outcomes.",
    "success_criteria": "Every check is true.",
    "failure_criteria": "A check is false.",
    "function_name": "verify_task",
}


class AwmExportLine(Document):
    """What became of one environment."""

    name: str
    reason: str = ""
    """Why it was left out; empty where it is in the folder."""
    tasks: int = 0
    runs: int = 0
    left_out: dict[str, str] = Field(default_factory=dict)
    """Id of each task that is not in it, with the reason."""


def export_awm(
    bundles: Iterable[Bundle],
    folder: Path,
    *,
    on_line: Callable[[AwmExportLine], None] | None = None,
) -> tuple[AwmExportLine, ...]:
    """Write a new folder with every file of the format, the databases and the recorded runs.

    Args:
        bundles: The environments with their trajectories, taken one at a time.
        folder: Where to write; must not exist, or be empty.
        on_line: Told each line as it is made.

    Raises:
        InvalidInput: The folder has something in it.
        SandboxUnavailable: This host cannot build a world.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder}: already exists; choose another path or remove it first.")
    (folder / DATABASES).mkdir(parents=True)
    for name in (*REQUIRED, *OPTIONAL):
        (folder / name).touch()
    lines: dict[str, AwmExportLine] = {}
    for number, bundle in enumerate(bundles):
        line = _exported(bundle, folder, lines)
        lines[line.name if line.name not in lines else f"{line.name}/{number}"] = line
        if on_line is not None:
            on_line(line)
    return tuple(lines.values())


def _exported(bundle: Bundle, folder: Path, known: dict[str, AwmExportLine]) -> AwmExportLine:
    environment, name = bundle.environment, key_of(bundle.environment.name)
    if name in known:
        return AwmExportLine(name=name, reason="An environment of this name is in the folder already.")
    try:
        files, line = awm_files(bundle)
    except (InvalidInput, WorldwrightError) as error:
        return AwmExportLine(name=environment.name, reason=str(error))
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab" if path.endswith(".jsonl") else "wb") as file:
            file.write(content)
    return line


def awm_files(bundle: Bundle) -> tuple[dict[str, bytes], AwmExportLine]:
    """The rows of one environment by file, its database and its runs.

    Raises:
        InvalidInput: It cannot be said in this format.
        BrokenEnvironment: It does not build.
    """
    environment = bundle.environment
    reasons = {task.id: _reason(environment, task) for task in environment.tasks.tasks}
    tasks = [task for task in environment.tasks.tasks if not reasons[task.id]]
    if not tasks:
        raise InvalidInput(
            f"{environment.name}: none of its tasks can be said: {next(iter(reasons.values()))}"
        )
    code = application_code(environment)
    with World(environment, isolation="shared") as world:
        with world.instance() as instance:
            rows, image = instance.rows(limit=_MOST_ROWS), instance.snapshot().image
        runs = run_files(bundle, world, tasks, prompts=[prompt(environment, task) for task in tasks])
    inserts = row_statements(environment, rows)
    parts = {
        "gen_scenario.jsonl": [_scenario(environment)],
        "gen_tasks.jsonl": [_tasks(environment, tasks)],
        "gen_db.jsonl": [_schema(environment)],
        "gen_sample.jsonl": [_sample(environment, inserts)],
        "gen_spec.jsonl": [_specification(environment)],
        "gen_envs.jsonl": [{**_key(environment), "db_path": _db_path(environment), "full_code": code}],
        "gen_verifier.jsonl": [*_verifiers(environment, tasks, judged=True)],
        CODE_VERIFIERS: [*_verifiers(environment, tasks, judged=False)],
    }
    files = {name: b"".join(orjson.dumps(row) + b"\n" for row in written) for name, written in parts.items()}
    files[f"{DATABASES}/{key_of(environment.name)}.db"] = image
    line = AwmExportLine(
        name=key_of(environment.name),
        tasks=len(tasks),
        runs=sum(path.endswith("trajectory.json") for path in runs),
        left_out={id: reason for id, reason in reasons.items() if reason},
    )
    return {**files, **{f"{RUNS}/{path}": content for path, content in runs.items()}}, line


def prompt(environment: Environment, task: Task) -> str:
    """All that an agent of the format is told of a task: what is asked, then what it must know for it."""
    return f"{task.instruction}\n\n{briefing_of(environment, task, 'text').text()}"


def _reason(environment: Environment, task: Task) -> str:
    verifier = environment.verifier(task.id)
    return unsaid(task.id, verifier.source) if verifier else "It has no verifier."


def _key(environment: Environment) -> dict[str, Any]:
    return {"scenario": key_of(environment.name)}


def _db_path(environment: Environment) -> str:
    return f"./outputs/{DATABASES}/{key_of(environment.name)}.db"


def _scenario(environment: Environment) -> dict[str, Any]:
    scenario = environment.scenario
    return {
        "name": key_of(environment.name),
        "description": f"{scenario.title}. {scenario.description}",
        "clock": scenario.clock.isoformat(),  # not of the format, whose readers pass over it; ours takes it
    }


def _tasks(environment: Environment, tasks: list[Task]) -> dict[str, Any]:
    return {**_key(environment), "tasks": [prompt(environment, task) for task in tasks]}


def _schema(environment: Environment) -> dict[str, Any]:
    every = list(statements(environment.schema.sql))
    tables = [
        {
            "name": table.name,
            "ddl": f"{_as_built(table)};",
            "indexes": [
                f"{each.sql};"
                for each in every
                if not each.makes_table and each.subject.lower() == table.name.lower()
            ],
        }
        for table in environment.schema.tables
    ]
    return {**_key(environment), "db_schema": {"tables": tables}, "db_path": _db_path(environment)}


def _as_built(table: Table) -> str:
    """The statement that a world makes the table with: an id that was deleted is not given again."""
    key = [column for column in table.columns if column.primary_key]
    whole = len(key) == 1 and key[0].type.upper() == "INTEGER"
    return with_autoincrement(statements(table.sql)[0], key[0].name) if whole else table.sql


def _sample(environment: Environment, inserts: list[tuple[str, list[str]]]) -> dict[str, Any]:
    tables = [
        {"table_name": name, "reasoning": "The rows its tasks play with.", "insert_statements": each}
        for name, each in inserts
    ]
    return {
        **_key(environment),
        "tables_count": len(tables),
        "inserts_count": sum(len(each) for _, each in inserts),
        "sample_data": {"tables": tables},
    }


def _specification(environment: Environment) -> dict[str, Any]:
    texts = reached_texts(environment.tools.source)
    groups = [
        {"group_name": title, "endpoints": [_endpoint(environment, tool, texts) for tool in tools]}
        for title, tools in (
            ("Lookups", [tool for tool in environment.tools.tools if not tool.mutates_state]),
            ("Changes", [tool for tool in environment.tools.tools if tool.mutates_state]),
        )
        if tools
    ]
    return {**_key(environment), "api_spec": {"api_groups": groups}}


def _endpoint(environment: Environment, tool: Tool, texts: dict[str, str]) -> dict[str, Any]:
    words = set(re.findall(r"\w+", texts.get(tool.name, "")))
    tables = [table for table in environment.schema.tables if table.name in words]
    return {
        "path": path_of(tool),
        "method": "GET" if is_lookup(tool) else "POST",
        "summary": summary_of(tool)[0],
        "description": tool.description,
        "operation_id": tool.name,
        "tags": ["changes" if tool.mutates_state else "lookups"],
        "request_params": _parameters(tool),
        "response": tool.output_schema,
        "required_tables": [table.name for table in tables],
        "required_fields": {
            table.name: [name for name in table.stored_columns if name in words] for table in tables
        },
    }


def _parameters(tool: Tool) -> dict[str, Any]:
    schema: Any = plain_schema(tool.input_schema)
    return {
        name: {
            "type": rule.get("type", "object"),
            "param_type": "query" if is_lookup(tool) else "body",
            "required": name in schema.get("required", ()),
            "description": rule.get("description", ""),
            "example": rule.get("default", next(iter(rule.get("enum", ())), None)),
        }
        for name, rule in schema["properties"].items()
    }


def _verifiers(environment: Environment, tasks: list[Task], *, judged: bool) -> Iterator[dict[str, Any]]:
    for index, task in enumerate(tasks):
        code = verifier_code(environment, task, "sql" if judged else "code")
        raw = orjson.dumps({**_JUDGE, "python_code": code}).decode() if judged else ""
        yield {
            **_key(environment),
            "task_idx": index,
            "task": prompt(environment, task),
            "verification": {"code": code, "raw_response": raw},
        }
