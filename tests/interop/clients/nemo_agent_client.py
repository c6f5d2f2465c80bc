"""Runs where NeMo Gym is: its own agent plays exported rows on `worldwright serve --nemo-gym`.

The model behind the agent is scripted: it plays every reference solution, then says nothing. Prints the
rewards by task.
"""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import uvicorn
from nemo_gym.config_types import BaseServerConfig, ModelServerRef, ResourcesServerRef
from nemo_gym.server_utils import GlobalAIOHTTPAsyncClientConfig, ServerClient, set_global_aiohttp_client
from omegaconf import OmegaConf
from responses_api_agents.simple_agent.app import SimpleAgent, SimpleAgentConfig


class Model(BaseHTTPRequestHandler):
    """A model server of the Responses API that knows the reference solutions."""

    tasks, plays = (), True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = json.dumps({**self.reply(body), "id": "r", "object": "response", "created_at": 0}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def reply(self, body):
        text = json.dumps(body["input"])
        task = next(task for task in self.tasks if json.dumps(task["instruction"])[1:-1] in text)
        made = sum(item.get("type") == "function_call_output" for item in body["input"])
        calls = task["calls"][made : made + 1] if self.plays else []
        output = [
            {
                "type": "function_call",
                "id": f"f{made}",
                "call_id": f"call_{made}",
                "name": call["name"],
                "arguments": json.dumps(call["arguments"]),
                "status": "completed",
            }
            for call in calls
        ] or [message(task["answer"] if self.plays else "")]
        return {
            "model": "scripted",
            "output": output,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": body.get("tools", []),
        }

    def log_message(self, *_):
        pass


def message(text):
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}


def agent(url, model_port):
    """NeMo Gym's simple agent between our server and the scripted model."""
    place = urlsplit(url)
    served = OmegaConf.create(
        {
            "world": {"resources_servers": {"world": {"host": place.hostname, "port": place.port}}},
            "policy": {"responses_api_models": {"policy": {"host": "127.0.0.1", "port": model_port}}},
            "agent": {"responses_api_agents": {"agent": {"host": "127.0.0.1", "port": 0}}},
        }
    )
    head = BaseServerConfig(host="127.0.0.1", port=1)
    config = SimpleAgentConfig(
        name="agent",
        host="127.0.0.1",
        port=0,
        entrypoint="app.py",
        resources_server=ResourcesServerRef(type="resources_servers", name="world"),
        model_server=ModelServerRef(type="responses_api_models", name="policy"),
    )
    client = ServerClient(head_server_config=head, global_config_dict=served)
    return SimpleAgent(config=config, server_client=client), served


def started(app):
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return server.servers[0].sockets[0].getsockname()[1]


def main(url, rows, path):
    Model.tasks = json.loads(Path(path).read_text())
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    simple, served = agent(url, model.server_port)
    app = simple.setup_webserver()

    @app.on_event("startup")
    async def own_client():
        set_global_aiohttp_client(GlobalAIOHTTPAsyncClientConfig())

    port = started(app)
    served.agent.responses_api_agents.agent.port = port
    values = {}
    for name, Model.plays in (("gold", True), ("no_op", False)):
        values[name] = {}
        for line in Path(rows).read_text().splitlines():
            row = json.loads(line)
            answer = httpx.post(f"http://127.0.0.1:{port}/run", json=row, timeout=60).raise_for_status()
            values[name][row["verifier_metadata"]["task_id"]] = answer.json()["reward"]
    print(json.dumps(values))


if __name__ == "__main__":
    main(*sys.argv[1:])
