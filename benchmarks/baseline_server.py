"""One instance in one web server process, in the predecessor's manner: a database file, tools as they stand.

    python -m benchmarks.baseline_server FOLDER PORT

FOLDER holds baseline.json (schema, rows, tools' source, clock, actor). It answers GET /health, POST /call and
MCP with sessions and server-sent events on /mcp. Nothing is sealed, validated or undone.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import tempfile
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic import Field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route


class BaselineToolError(Exception):
    pass


class BaselineDatabase:
    """The `db` of tools on a file, reopened for every call as the predecessor's sessions are."""

    def __init__(self, path: Path, given: dict[str, Any]) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._given = given
        self.actor = given["actor"]
        self.random = random.Random(0)

    def query(self, sql: str, *params: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in self._connection.execute(sql, params)]

    def one(self, sql: str, *params: Any) -> dict[str, Any] | None:
        row = self._connection.execute(sql, params).fetchone()
        return None if row is None else dict(row)

    def execute(self, sql: str, *params: Any) -> int:
        return self._connection.execute(sql, params).rowcount

    def insert(self, table: str, /, **values: Any) -> Any:
        marks = ", ".join("?" * len(values))
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})"
        return self._connection.execute(sql, tuple(values.values())).lastrowid

    def now(self) -> datetime:
        return datetime.fromisoformat(self._given["clock"])

    def close(self) -> None:
        self._connection.commit()
        self._connection.close()


def build(path: Path, given: dict[str, Any]) -> None:
    """The database file with its rows."""
    connection = sqlite3.connect(path)
    connection.executescript(given["schema"])
    for table, rows in given["rows"].items():
        for row in rows:
            columns = ", ".join(f'"{column}"' for column in row)
            marks = ", ".join("?" * len(row))
            connection.execute(f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', tuple(row.values()))
    connection.commit()
    connection.close()


def application(path: Path, given: dict[str, Any]) -> Starlette:
    """The web application around one database."""
    space: dict[str, Any] = {"__name__": "tools", "ToolError": BaselineToolError, "Field": Field}
    exec(compile(given["tools"], "tools", "exec"), space)

    def run(name: str, arguments: dict[str, Any]) -> Any:
        db = BaselineDatabase(path, given)
        try:
            return space[name](db, **arguments)
        except BaselineToolError as error:
            return {"error": str(error)}
        finally:
            db.close()

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in given["specs"]])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        text = json.dumps(run(params.name, params.arguments or {}))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def call(request: Request) -> JSONResponse:
        asked = await request.json()
        return JSONResponse(run(asked["name"], asked["arguments"]))

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    manager = StreamableHTTPSessionManager(
        Server("baseline", on_list_tools=list_tools, on_call_tool=call_tool),
        json_response=False,
        stateless=False,
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> Any:
        async with manager.run():
            yield

    routes = [Route("/health", health), Route("/call", call, methods=["POST"])]
    return Starlette(routes=[*routes, Mount("/mcp", manager.handle_request)], lifespan=lifespan)


def main() -> None:
    given = json.loads((Path(sys.argv[1]) / "baseline.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world.db"
        build(path, given)
        uvicorn.run(application(path, given), host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")


if __name__ == "__main__":
    main()
