"""Harbor: the tasks of an environment as task folders, each with its oracle.

    harbor_tasks("clinic_front_desk.zip", "tasks")
    harbor run -p tasks -a oracle

The world runs beside the agent's container, not in it: an agent reaches its tools over MCP and neither the
bundle nor the verifier. What `tests/` holds, Harbor shows to nobody before the agent has ended. Where an
episode could not be measured no reward is written, which Harbor counts as an error and not as a zero.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from synthesis.bundles.native import NativeCodec
from synthesis.bundles.open import open_bundle
from synthesis.documents.answer_form import tool_name
from synthesis.documents.briefing import briefing_of
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.errors import InvalidInput, UnknownName

PORT = 8850
_ANSWER = "/app/answer.txt"
_SECONDS = 120.0
"""How long the server may take for one request."""
_MOST_BYTES = 16 * 2**20
"""Of one request."""
_PASSED_ON = ("Content-Type", "Accept", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")


def harbor_tasks(
    bundle: str | Path, folder: str | Path, *, split: str | None = None, wheel: str | Path | None = None
) -> tuple[Path, ...]:
    """Write a folder for each task.

    Args:
        bundle: A native bundle, folder or archive.
        folder: Where; made if it is missing.
        split: Only the tasks of this split.
        wheel: A wheel of worldwright that the world's image is built with; None installs it from the index.

    Returns:
        The folders in the tasks' order.

    Raises:
        InvalidBundle: The bundle cannot be opened.
        UnknownName: No task has this split.
        InvalidInput: A task's folder is there already.
    """
    opened = open_bundle(Path(bundle))
    tasks = [task for task in opened.environment.tasks.tasks if split is None or task.split == split]
    if not tasks:
        known = sorted({task.split for task in opened.environment.tasks.tasks if task.split})
        raise UnknownName("split", str(split), known)
    return tuple(
        _write(opened, task, Path(folder) / _slug(opened.environment, task), Path(wheel) if wheel else None)
        for task in tasks
    )


def _slug(environment: Environment, task: Task) -> str:
    return re.sub(r"[^a-z0-9]+", "-", f"{environment.name}-{task.id}".lower()).strip("-")


def _write(bundle: Bundle, task: Task, path: Path, wheel: Path | None) -> Path:
    if path.exists():
        raise InvalidInput(f"{path}: is there already; choose another folder or remove it.")
    environment = bundle.environment
    world = path / "environment" / "world"
    for each in (world, path / "solution", path / "tests"):
        each.mkdir(parents=True)
    token = secrets.token_urlsafe(24)
    requirement = "worldwright[serve]"
    if wheel:
        shutil.copy(wheel, world)
        requirement = f"/world/{wheel.name}[serve]"
    NativeCodec().write(bundle, world / "bundle.zip")
    texts = {
        "task.toml": _settings(environment, task),
        "instruction.md": _instruction(environment, task),
        "environment/Dockerfile": "FROM python:3.12-slim\nWORKDIR /app\n",
        "environment/docker-compose.yaml": _COMPOSE,
        "environment/world/Dockerfile": _DOCKERFILE.format(requirement=requirement, task=task.id),
        "environment/world/token": token,
        "solution/solve.sh": '#!/bin/sh\nset -e\npython3 "$(dirname "$0")/solve.py"\n',
        "solution/solve.py": _SOLUTION,
        "solution/reference.json": _reference(task),
        "tests/test.sh": '#!/bin/sh\nset -e\npython3 "$(dirname "$0")/verify.py"\n',
        "tests/verify.py": _VERIFICATION,
        "tests/token": token,
    }
    for name, text in texts.items():
        (path / name).write_text(text)
    for name in ("solution/solve.sh", "tests/test.sh"):
        (path / name).chmod(0o755)
    return path


def _settings(environment: Environment, task: Task) -> str:
    """task.toml; JSON texts are TOML texts."""
    metadata = {
        "environment": environment.name,
        "environment_fingerprint": environment.fingerprint,
        "task": task.id,
        "kind": task.kind,
        "difficulty": task.difficulty,
        "split": task.split or "",
    }
    lines = [
        'schema_version = "1.4"',
        "[task]",
        f"name = {json.dumps(f'worldwright/{_slug(environment, task)}')}",
        "[metadata]",
        *(f"{key} = {json.dumps(value)}" for key, value in metadata.items()),
        "[agent]",
        "timeout_sec = 1800.0",
        "[verifier]",
        "timeout_sec = 300.0",
        "[[environment.mcp_servers]]",
        f"name = {json.dumps(environment.name)}",
        'transport = "streamable-http"',
        f'url = "http://world:{PORT}/mcp"',
    ]
    return "\n".join(lines) + "\n"


def _instruction(environment: Environment, task: Task) -> str:
    briefing = briefing_of(environment, task).text()
    submit = tool_name({tool.name for tool in environment.tools.tools})
    return (
        f"{task.instruction}\n\n---\n\n{briefing}\n\n"
        f"The tools are those of the MCP server {environment.name} (http://world:{PORT}/mcp). Give the final "
        f"answer with its tool {submit}, or write it as text to {_ANSWER}.\n"
    )


def _reference(task: Task) -> str:
    calls = [{"name": call.name, "arguments": call.arguments} for call in task.reference_solution]
    return json.dumps({"calls": calls, "answer": task.reference_answer}, indent=1)


_COMPOSE = f"""services:
  main:
    depends_on:
      world:
        condition: service_healthy
  world:
    build:
      context: ${{CONTEXT_DIR}}/world
    healthcheck:
      test: ["CMD", "python3", "-c", "import urllib.request as r; r.urlopen('http://localhost:{PORT}/health')"]
      interval: 2s
      timeout: 5s
      retries: 60
"""

_DOCKERFILE = """FROM python:3.12-slim
COPY . /world
RUN pip install --no-cache-dir "{requirement}"
CMD ["python3", "-m", "synthesis.adapters.harbor", "/world/bundle.zip", "{task}", "/world/token"]
"""

_SOLUTION = f'''"""Plays the reference solution and writes its answer."""

import json
import os
import urllib.request
from pathlib import Path

URL = os.environ.get("WORLD_URL", "http://world:{PORT}") + "/mcp"
HEADERS = {{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}}
reference = json.loads(Path(__file__).with_name("reference.json").read_text())
for number, call in enumerate(reference["calls"]):
    body = {{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}}
    request = urllib.request.Request(URL, json.dumps(body).encode(), HEADERS)
    with urllib.request.urlopen(request) as response:
        print(call["name"], json.load(response)["result"])
Path(os.environ.get("ANSWER_FILE", "{_ANSWER}")).write_text(reference["answer"])
'''

_VERIFICATION = f'''"""Asks the world for the verdict; without one there is no reward file."""

import json
import os
import urllib.request
from pathlib import Path

URL = os.environ.get("WORLD_URL", "http://world:{PORT}") + "/verify"
token = Path(__file__).with_name("token").read_text()
written = Path(os.environ.get("ANSWER_FILE", "{_ANSWER}"))
body = {{"answer": written.read_text()}} if written.is_file() else {{}}
headers = {{"Content-Type": "application/json", "Authorization": "Bearer " + token}}
request = urllib.request.Request(URL, json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    verdict = json.load(response)
print(json.dumps(verdict))
if verdict["reward"] is None:
    raise SystemExit("The episode could not be measured.")
logs = Path(os.environ.get("VERIFIER_LOGS", "/logs/verifier"))
logs.mkdir(parents=True, exist_ok=True)
(logs / "reward.txt").write_text(str(verdict["reward"]))
'''


class _Front(BaseHTTPRequestHandler):
    """What a task's containers reach: the tools for everyone, the verdict for who has the token."""

    mcp_url = verify_url = token = ""

    def do_GET(self) -> None:
        """Whether it is up."""
        statuses = {"/health": 200, "/mcp": 405}  # MCP: no stream of the server's own
        self._answer(statuses.get(self.path, 404), b"", kind="text/plain")

    def do_POST(self) -> None:
        """A message of MCP, or the question for the verdict."""
        length = self.headers.get("Content-Length") or "0"
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            self.close_connection = True
            self._answer(413 if length.isdecimal() else 400, b"")
            return
        body = self.rfile.read(int(length))
        if self.path == "/mcp":
            given = {name: self.headers[name] for name in _PASSED_ON if name in self.headers}
            self._answer(*_posted(self.mcp_url, body, given))
        elif self.path == "/verify" and self._may_verify():
            self._answer(*_posted(self.verify_url, body, {"Content-Type": "application/json"}))
        else:
            self._answer(403 if self.path == "/verify" else 404, b"")

    def _may_verify(self) -> bool:
        given = self.headers.get("Authorization", "")
        return secrets.compare_digest(given.encode(), f"Bearer {self.token}".encode())

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of each request."""


def _posted(url: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
    request = urllib.request.Request(url, body, headers, method="POST")  # noqa: S310 our own server's
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:  # noqa: S310
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError as error:
        return 502, json.dumps({"error": f"The world does not answer: {error}"}).encode()


def serve_task(bundle: Path, task: str, token: str, *, port: int = PORT) -> None:
    """Serve one instance of a task until the process ends.

    Raises:
        InvalidInput: The world does not start; the text holds what its server printed.
    """
    command = [sys.executable, "-u", "-m", "synthesis.cli", "serve", str(bundle), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        url = _address(server)
        opened = json.dumps({"task": task, "seed": 0}).encode()
        status, answer = _posted(f"{url}/instances", opened, {"Content-Type": "application/json"})
        if status >= 300:
            raise InvalidInput(f"The world has no instance for task {task}: {answer.decode()}")
        details = json.loads(answer)
        urls = {"mcp_url": details["mcp_url"], "verify_url": f"{details['url']}/verify", "token": token}
        front = ThreadingHTTPServer(("0.0.0.0", port), type("Front", (_Front,), urls))  # noqa: S104
        print(f"Listening on port {front.server_port}", flush=True)  # noqa: T201
        front.serve_forever()
    finally:
        server.terminate()
        server.wait()


def _address(server: subprocess.Popen[str]) -> str:
    printed = ""
    assert server.stdout is not None
    for line in server.stdout:
        printed += line
        if match := re.search(r"Listening on (\S+) ", line):
            rest = (server.stdout, sys.stderr)
            threading.Thread(target=shutil.copyfileobj, args=rest, daemon=True).start()
            return match[1]
    raise InvalidInput(f"The world does not start: {printed}")


def _main(bundle: str, task: str, token_file: str, port: str = str(PORT)) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    serve_task(Path(bundle), task, Path(token_file).read_text(), port=int(port))


if __name__ == "__main__":
    _main(*sys.argv[1:])
