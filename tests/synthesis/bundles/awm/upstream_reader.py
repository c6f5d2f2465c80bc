"""A folder in the Agent World Model's format as upstream and other readers of it take it."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

FILES = {
    "gen_scenario.jsonl": {"name", "description", "clock"},
    "gen_tasks.jsonl": {"scenario", "tasks"},
    "gen_db.jsonl": {"scenario", "db_schema", "db_path"},
    "gen_sample.jsonl": {"scenario", "tables_count", "inserts_count", "sample_data"},
    "gen_spec.jsonl": {"scenario", "api_spec"},
    "gen_envs.jsonl": {"scenario", "db_path", "full_code"},
    "gen_verifier.jsonl": {"scenario", "task_idx", "task", "verification"},
    "gen_verifier.pure_code.jsonl": {"scenario", "task_idx", "task", "verification"},
}
WORDS = re.compile(r"\w+")
ALLOWED_BUILTINS = WORDS.findall(
    "__build_class__ __import__ abs all any bool bytes dict enumerate Exception float frozenset getattr "
    "hasattr int isinstance iter len list map max min next print range repr reversed round set sorted str "
    "sum tuple type ValueError zip"
)
"""Fewer than readers of the format give a verifier."""


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def built_by_their_loader(folder: Path, scenario: str, path: Path) -> Path:
    """As upstream builds a database: statements one by one, then each INSERT alone with foreign keys on."""
    (schema,) = [row for row in rows_of(folder, "gen_db.jsonl") if row["scenario"] == scenario]
    (sample,) = [row for row in rows_of(folder, "gen_sample.jsonl") if row["scenario"] == scenario]
    with closing(sqlite3.connect(path)) as database:
        for table in schema["db_schema"]["tables"]:
            for statement in (table["ddl"], *table["indexes"]):
                database.execute(statement)
        database.commit()
        database.execute("PRAGMA foreign_keys = ON")
        for table in sample["sample_data"]["tables"]:
            for statement in table["insert_statements"]:
                database.execute(statement)
        database.commit()
    return path


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(database.execute(f'SELECT * FROM "{name}"'), key=repr) for name in names}


def verdict(code: str, initial: Path, final: Path, answer: str) -> Any:
    """As readers run a verifier, with less in its namespace than any of them gives."""
    given = vars(__builtins__) if not isinstance(__builtins__, dict) else __builtins__
    builtins = {name: given[name] for name in ALLOWED_BUILTINS}
    space: dict[str, Any] = {"__builtins__": builtins, "__name__": "__main__"}
    exec(code, space)
    return space["verify_task_completion"](
        initial_db_path=str(initial), final_db_path=str(final), final_answer=answer
    )["result"]
