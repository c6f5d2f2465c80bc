"""Application: a FastAPI module loaded once in a sealed process, whose routes are called without a server.

Nothing listens and no thread or event loop is started: a route's coroutine is driven by hand, and what
FastAPI would hand to a thread runs at once. Instances that share the process share the application; the
database is that of the instance whose call is running.
"""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from types import CodeType, ModuleType
from typing import Any
from urllib.parse import unquote

import anyio.to_thread
import orjson
import sqlalchemy
from fastapi import FastAPI
from fastapi.dependencies import utils
from fastapi.openapi.utils import get_openapi
from sqlalchemy.orm import configure_mappers
from sqlalchemy.pool import StaticPool

from synthesis.worlds.worker.connection import GuardedConnection
from synthesis.worlds.worker.namespace import ToolError
from synthesis.worlds.worker.web import clock, dbapi
from synthesis.worlds.worker.web.operations import HttpOperation, operations

MODULE = "tools"
"""The name under which an application's module is loaded; the launcher's block for `__main__` never runs."""

_real_create_engine = sqlalchemy.create_engine


class Application:
    """The routes of one module as functions.

    Args:
        code: The module, compiled.
        known: Its routes as `operations` once gave them, as plain values; None to find them, for which the
            module may create its tables, in a database of its own that is thrown away. A world's has them.

    Raises:
        TypeError: The module has no FastAPI object.
        Exception: Whatever its code raises at load.
    """

    def __init__(self, code: CodeType, known: Iterable[Mapping[str, Any]] | None = None) -> None:
        self._moment, self._connection = clock.Moment(), dbapi.Connection()
        self._scratch = GuardedConnection(self._moment.context, access="build")
        self._connection.turn_to(self._scratch)
        self._load(code, creates_tables=known is None)
        self.app = self._application()
        self._tools: list[dict[str, Any]] = []
        if known is None:
            described = list(operations(_document(self.app)))
            self._tools = [tool for _, tool in described]
            routes = [operation for operation, _ in described]
        else:
            routes = [HttpOperation(**each) for each in known]
            self._finish()
        self.operations = {operation.name: operation for operation in routes}

    def described(self, committing: Collection[str]) -> list[dict[str, Any]]:
        """The routes as plain `Tool` values.

        Args:
            committing: Names of the module's functions that commit; a GET route of another one only reads.
        """
        endpoints = {
            getattr(route, "operation_id", None) or getattr(route, "unique_id", None): route.endpoint.__name__
            for route in self.app.routes
            if hasattr(route, "endpoint")
        }
        return [
            {
                **tool,
                "mutates_state": self.operations[tool["name"]].method != "get"
                or endpoints.get(tool["name"]) in committing,
            }
            for tool in self._tools
        ]

    def functions(self) -> dict[str, Callable[..., Any]]:
        """A function per route, called like a tool: the instance's database first, then the arguments."""
        return {name: self._function(operation) for name, operation in self.operations.items()}

    def tables(self) -> list[str]:
        """The statements of the tables that the module has created at load."""
        rows = self._scratch.own("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        return [str(sql) for (sql,) in rows]

    def request(
        self, database: GuardedConnection, operation: HttpOperation, arguments: dict[str, Any]
    ) -> tuple[int, bytes]:
        """The status and body that the route answers with.

        Raises:
            Exception: What the route let out, where a server would answer 500.
        """
        self._moment.context = database.context
        self._connection.turn_to(database)
        try:
            return _exchange(self.app, *operation.request(arguments))
        finally:
            self._connection.rollback()

    def _function(self, operation: HttpOperation) -> Callable[..., Any]:
        def call(db: Any, /, **arguments: Any) -> Any:
            status, body = self.request(db, operation, arguments)
            if status < 400:
                return _value(body)
            text = f"Error calling {operation.name}. Status code: {status}. Response: {body.decode()}"
            if status < 500:
                raise ToolError(text)
            raise RuntimeError(text)

        return call

    def _load(self, code: CodeType, *, creates_tables: bool) -> None:
        module = ModuleType(MODULE)
        known = clock.modules(self._moment)
        real_import = builtins.__import__

        def importing(name: str, *arguments: Any) -> Any:
            return known[name] if name in known else real_import(name, *arguments)

        vars(module)["__builtins__"] = {**vars(builtins), "__import__": importing}
        sys.modules[MODULE] = module  # pydantic and dataclasses look annotations up there
        sqlalchemy.create_engine = self._create_engine
        create_all = sqlalchemy.MetaData.create_all
        if not creates_tables:
            sqlalchemy.MetaData.create_all = _do_nothing  # type: ignore[method-assign]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(code, vars(module))  # noqa: S102 - the sealed process that generated code runs in
        finally:
            sqlalchemy.MetaData.create_all = create_all  # type: ignore[method-assign]
            self._connection.commit()
        self._module = module

    def _finish(self) -> None:
        """Do at load what the first request would wait for: put mappers and middleware together."""
        with suppress(Exception):  # a mapping that is wrong is told by the route that uses it
            configure_mappers()
        with suppress(Exception):  # so is middleware that cannot be made
            if self.app.middleware_stack is None:
                self.app.middleware_stack = self.app.build_middleware_stack()

    def _application(self) -> FastAPI:
        app = vars(self._module).get("app")
        if not isinstance(app, FastAPI):
            raise TypeError("the module has no FastAPI object named app")
        return app

    def _create_engine(self, *_: Any, **__: Any) -> Any:
        """Whatever database an application asks for, it gets the world's."""
        engine = _real_create_engine(
            "sqlite://", module=dbapi, creator=lambda: self._connection, poolclass=StaticPool
        )
        vars(engine.dialect)["get_default_isolation_level"] = lambda _: "SERIALIZABLE"
        return engine


def prepare() -> None:
    """Once per fork server: run at once what FastAPI would hand to a thread, and load what it loads late."""
    vars(anyio.to_thread)["run_sync"] = _run_at_once
    vars(utils)["contextmanager_in_threadpool"] = _enter_at_once
    toy = Application(compile(_TOY, MODULE, "exec"))
    database = GuardedConnection(clock.Moment().context, access="build")
    for statement in toy.tables():
        database.execute(statement)
    for arguments in ({"name": "a"}, {}, {"name": "b"}):
        toy.request(database, toy.operations["toy"], arguments)
    database.close(True)
    sys.modules.pop(MODULE)


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the routes that can be reached: of two with one path and method, the first."""
    reached: dict[tuple[Any, ...], Any] = {}
    for route in app.routes:
        key = (getattr(route, "path", ""), *sorted(getattr(route, "methods", None) or ()))
        reached.setdefault(key, route)
    document: dict[str, Any] = get_openapi(
        title=app.title, version=app.version, routes=list(reached.values())
    )
    return document


async def _run_at_once(function: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
    return function(*arguments)


@asynccontextmanager
async def _enter_at_once(manager: AbstractContextManager[Any]) -> AsyncIterator[Any]:
    with manager as value:
        yield value


def _do_nothing(*_: Any, **__: Any) -> None:
    return None


def _exchange(app: FastAPI, method: str, path: str, query: bytes, body: bytes) -> tuple[int, bytes]:
    """One HTTP request and its response, through the application's ASGI interface."""
    messages: list[Mapping[str, Any]] = []
    headers = [(b"host", b"world"), (b"accept", b"application/json")]
    if body:
        headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query,
        "headers": headers,
        "server": ("world", 80),
        "client": ("agent", 1),
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    _drive(app(scope, receive, send))
    content = b"".join(each.get("body", b"") for each in messages if each["type"] == "http.response.body")
    return int(messages[0]["status"]), content


def _drive(coroutine: Any) -> None:
    """Run a coroutine that has nothing to wait for."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
    raise RuntimeError("the route waits for something outside of it (a sleep, a task group, a network)")


def _value(body: bytes) -> Any:
    """A body as the value of a tool; a text where it is no JSON."""
    try:
        return orjson.loads(body) if body else None
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "replace")


_TOY = """
from datetime import datetime
from typing import Optional
from fastapi import Body, Depends, FastAPI, HTTPException, Path, Query
from pydantic import BaseModel, Field
from sqlalchemy import Column, DateTime, Float, ForeignKey, Integer, Text, create_engine, func
from sqlalchemy.orm import declarative_base, relationship, sessionmaker

engine = create_engine("sqlite:///toy.db", connect_args={"check_same_thread": False})
SessionLocal = sessionmaker(bind=engine)
Base = declarative_base()
app = FastAPI()


class Toy(Base):
    __tablename__ = "toys"
    id = Column(Integer, primary_key=True)
    name = Column(Text)
    at = Column(DateTime, default=datetime.utcnow)


class Shown(BaseModel):
    id: int
    name: Optional[str] = Field(None, description="N")
    at: datetime


def get_db():
    db = SessionLocal()
    try:
        yield db
    finally:
        db.close()


@app.post("/toys", operation_id="toy", response_model=Shown)
def toy(name: str = Body(..., embed=True), limit: int = Query(1, ge=0), db=Depends(get_db)) -> Shown:
    row = Toy(name=name)
    db.add(row)
    db.commit()
    db.refresh(row)
    db.query(Toy).filter(Toy.name == name).order_by(Toy.id).offset(0).limit(limit).all()
    return Shown(id=row.id, name=row.name, at=row.at)


Base.metadata.create_all(engine)
"""
