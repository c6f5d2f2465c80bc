"""What scripts for verifiers share: an endpoint that plays reference solutions, and `vf-eval`."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


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


def started(path):
    """The address of an endpoint that plays the tasks of a file."""
    Endpoint.tasks = json.loads(Path(path).read_text())
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def evaluated(url, folder, *arguments, path=""):
    """The traces of `vf-eval`, none of which may have an error."""
    command = [Path(sys.executable).with_name("vf-eval"), *arguments, "-m", "scripted", "--no-push"]
    options = ["--client.base-url", url, "--client.api-key-var", "SCRIPTED_KEY"]
    options += ["--output-dir", folder, "--run.dir", "run"]
    environment = {**os.environ, "PYTHONPATH": path, "SCRIPTED_KEY": "none"}
    ended = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, check=False)
    written = next(Path(folder).rglob("traces.jsonl"), None)
    assert written, ended.stdout[-2000:] + ended.stderr[-2000:]
    traces = [json.loads(line)["traces"][0] for line in written.read_text().splitlines()]
    assert not any(trace["errors"] for trace in traces), [trace["errors"] for trace in traces]
    return traces
