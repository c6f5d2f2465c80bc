"""Runs where verifiers is: validates every task, then evaluates a scripted model; prints the rewards as JSON.

The model plays every reference solution, two calls a turn where there are two, and once it says nothing.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples"


class Endpoint(BaseHTTPRequestHandler):
    tasks, plays = (), True

    def do_POST(self):
        """The next turn as a stream of two pieces."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        delta = self.delta(body)
        reason = "tool_calls" if "tool_calls" in delta else "stop"
        pieces = [(delta, None), ({}, reason)]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece, reason in pieces:
            chunk = {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": body["model"],
                "choices": [{"index": 0, "delta": piece, "finish_reason": reason}],
            }
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def delta(self, body):
        said = json.dumps(body["messages"])
        task = next(task for task in self.tasks if json.dumps(task["instruction"])[1:-1] in said)
        made = sum(message["role"] == "tool" for message in body["messages"])
        calls = task["calls"][made : made + 2] if self.plays else []
        if not calls:
            return {"role": "assistant", "content": task["answer"] if self.plays else "."}
        return {
            "role": "assistant",
            "tool_calls": [
                {
                    "index": at,
                    "id": f"call_{made + at}",
                    "type": "function",
                    "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
                }
                for at, call in enumerate(calls)
            ],
        }

    def log_message(self, *_):
        pass


def rewards(bundle, url, folder):
    command = [Path(sys.executable).with_name("vf-eval"), "verifiers_taskset", "-m", "scripted"]
    options = {
        "--client.base-url": url,
        "--client.api-key-var": "SCRIPTED_KEY",
        "--env.taskset.bundle": bundle,
        "--env.agent.harness.id": "null",
        "--env.agent.runtime.type": "subprocess",
        "--output-dir": folder,
        "--run.dir": "run",
    }
    given = [str(part) for option in options.items() for part in option]
    places = os.pathsep.join([str(EXAMPLES), os.environ["PYTHONPATH"]])
    environment = {**os.environ, "PYTHONPATH": places, "SCRIPTED_KEY": "none"}
    ended = subprocess.run(
        [*command, *given, "--no-push"], env=environment, capture_output=True, text=True, check=False
    )
    path = next(Path(folder).rglob("traces.jsonl"), None)
    assert path, ended.stdout[-2000:] + ended.stderr[-2000:]
    lines = [json.loads(line)["traces"][0] for line in path.read_text().splitlines()]
    assert not any(line["errors"] for line in lines), [line["errors"] for line in lines]
    return {line["task"]["data"]["id"]: line["rewards"]["verdict"]["score"] for line in lines}


def validated(bundle, folder):
    sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module("verifiers_taskset").main(bundle, folder)


def main(bundle, path):
    Endpoint.tasks = json.loads(Path(path).read_text())
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with tempfile.TemporaryDirectory() as folder:
        values = {"gold": rewards(bundle, url, f"{folder}/gold")}
        Endpoint.plays = False
        values |= {"no_op": rewards(bundle, url, f"{folder}/no_op")}
        print(json.dumps({**values, "validated": validated(bundle, folder)}))


main(*sys.argv[1:])
