"""Upstream's own code on an exported folder: its loader, its launcher, its MCP client, its verifier.

Arguments: the folder and a file with the reference solutions. Prints what each task came to.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from awm.core.agent import MCP_SERVER_NAME, MCPToolExecutor
from awm.core.db import create_sqlite_database
from awm.core.sample import execute_sample_data
from awm.core.verifier import VerificationMode, execute_verification_code
from awm.tools import tools_jsonl_load, wait_for_server
from loguru import logger

logger.remove()
PREFIX = f"{MCP_SERVER_NAME}_"


def loaded(folder: Path, name: str) -> dict:
    return {row.get("scenario", row.get("name")): row for row in tools_jsonl_load(str(folder / name))}


def build(folder: Path, scenario: str, work: Path) -> tuple[Path, int]:
    schema = loaded(folder, "gen_db.jsonl")[scenario]["db_schema"]
    path, _, failed, _ = create_sqlite_database(scenario, schema, str(work))
    sample = loaded(folder, "gen_sample.jsonl")[scenario]["sample_data"]
    _, missing, _ = execute_sample_data(path, sample, scenario)
    return Path(path), failed + missing


def same_rows(one: Path, other: Path) -> bool:
    databases = [sqlite3.connect(path) for path in (one, other)]
    tables = [row[0] for row in databases[0].execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    selects = [f'SELECT * FROM "{table}" ORDER BY 1, 2' for table in tables]
    return all(
        databases[0].execute(sql).fetchall() == databases[1].execute(sql).fetchall() for sql in selects
    )


def verdict(code: str, initial: Path, final: Path, answer: str) -> str:
    name = re.search(r"def (verify_\w+)\(", code)[1]
    space = {"sqlite3": sqlite3, "json": json, "os": os, "re": re}
    exec(code, space)
    return space[name](initial_db_path=str(initial), final_db_path=str(final), final_answer=answer)["result"]


def untouched(code: str, initial: Path) -> str:
    ended = execute_verification_code(code, "verify_task_completion", str(initial), VerificationMode.code)
    return ended["result"]["result"] if ended["execution_status"] == "success" else str(ended)


def put_back(initial: Path, live: Path) -> None:
    with (
        contextlib.closing(sqlite3.connect(initial)) as source,
        contextlib.closing(sqlite3.connect(live)) as to,
    ):
        source.backup(to)


async def episodes(
    server: MCPToolExecutor, environment: dict, codes: dict, initial: Path, live: Path
) -> tuple:
    """Every reference solution through one session of upstream's client, from a fresh database each."""
    results, errors = [], []
    async with server._app.run(), server._agent:
        tools = (await server._agent.list_tools()).tools
        for index, task in enumerate(environment["tasks"]):
            put_back(initial, live)
            for call in task["calls"]:
                result = await server._agent.call_tool(call["name"], call["arguments"])
                errors += [part.text for part in result.content if result.isError]
            results.append(verdict(codes[index], initial, live, task["answer"]))
    return tools, results, errors


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def launch(folder: Path, scenario: str, live: Path, port: int) -> subprocess.Popen:
    command = [sys.executable, "-m", "awm.cli", "env", "start", "--scenario", scenario, "--port", str(port)]
    paths = ["--envs_load_path", folder / "gen_envs.jsonl", "--db_path", live]
    written = ["--temp_server_path", live.parent / "server.py"]
    return subprocess.Popen(
        [*command, *paths, *written],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def tried(folder: Path, environment: dict, port: int, work: Path) -> dict:
    scenario = environment["name"]
    codes = {
        row["task_idx"]: row["verification"]["code"]
        for row in tools_jsonl_load(str(folder / "gen_verifier.pure_code.jsonl"))
        if row["scenario"] == scenario
    }
    initial, failed = build(folder, scenario, work)
    live = work / "live.db"
    shutil.copy(initial, live)
    process = launch(folder, scenario, live, port)
    try:
        if not wait_for_server(port, timeout=90):
            raise SystemExit(f"{scenario}: upstream's launcher did not start it")
        server = MCPToolExecutor(f"http://localhost:{port}/mcp")
        tools, results, errors = asyncio.run(episodes(server, environment, codes, initial, live))
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=10)
    return {
        "scenario": scenario,
        "failed_statements": failed,
        "same_database": same_rows(initial, folder / "databases" / f"{scenario}.db"),
        "tools": sorted(tool.name.removeprefix(PREFIX) for tool in tools),
        "unknown_types": sum(
            "type" not in rule for tool in tools for rule in tool.inputSchema.get("properties", {}).values()
        ),
        "references": results,
        "untouched": [untouched(code, initial) for code in codes.values()],
        "errors": errors[:5],
    }


if __name__ == "__main__":
    folder, golds = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    with tempfile.TemporaryDirectory() as scratch:
        every = []
        for number, environment in enumerate(golds):
            work = Path(scratch) / str(number)
            work.mkdir()
            every.append(tried(folder, environment, free_port(), work))
    print(json.dumps(every))
