"""A local OpenAI-compatible server over real HTTP: scripted replies, faults on demand, requests kept.

with OpenAIServer([Said("hello"), Refused(429, headers={"Retry-After": "1"})]) as server:
    OpenAICompatible("model", "key-123456", base_url=server.base_url)
"""

from __future__ import annotations

import json
import math
import re
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Said:
    """An ordinary answer."""

    text: str = ""
    tool_calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments (as text) of each call."""
    finish_reason: str = "stop"
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    delay: float = 0.0
    """Seconds before the answer."""
    model: str | None = None
    reasoning: str | None = None
    """What the model thought, as `reasoning_content`, or as an item of a response."""
    reasoning_tokens: int = 0


@dataclass(frozen=True)
class Refused:
    """An error status with the message OpenAI's servers give."""

    status: int
    message: str = "something is wrong"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """These bytes with status 200."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """No answer for so many seconds, then the connection closes."""

    seconds: float = 30.0


@dataclass(frozen=True)
class Cut:
    """The connection breaks in the middle of an answer of that text."""

    text: str = "a long answer " * 200


Reply = str | Said | Refused | Raw | Hang | Cut
Answer = Callable[[dict[str, Any]], Reply]


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


class OpenAIServer:
    """The server, running on a free port while the context is open.

    Args:
        replies: Answers in order (the last one is repeated), or a function of the request's body.
        key: When given, requests with another bearer token get 401.
        paths: Where it answers; "/responses" in the form of the Responses API.
    """

    def __init__(
        self,
        replies: Iterable[Reply] | Answer = ("",),
        *,
        key: str | None = None,
        paths: tuple[str, ...] = ("/chat/completions",),
    ) -> None:
        self.paths = paths
        self._answer = replies if callable(replies) else None
        self._script = [] if callable(replies) else list(replies)
        self._next = 0
        self._lock = threading.Lock()
        self.key = key
        self.seen: list[Seen] = []
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The messages of every request as one text each."""
        return ["\n".join(m["content"] or "" for m in seen.body.get("messages", ())) for seen in self.seen]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, seen: Seen) -> Reply:
        with self._lock:
            self.seen.append(seen)
            if self._answer is None:
                reply = self._script[min(self._next, len(self._script) - 1)]
                self._next += 1
                return reply
        return self._answer(seen.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    owner: OpenAIServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is part of what is tested; a failing script is not."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    wbufsize = 65_536

    def log_message(self, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.path, headers, body, time.monotonic())
        if owner.key is not None and headers.get("authorization") != f"Bearer {owner.key}":
            sent = headers.get("authorization", "").removeprefix("Bearer ")
            self._send(401, _error(f"Incorrect API key provided: {sent}.", "invalid_api_key"))
        elif self.path.endswith("/embeddings"):
            self._send(200, json.dumps(_embeddings(body)).encode())
        elif not self.path.endswith(owner.paths):
            self._send(404, _error(f"There is nothing at {self.path}.", "not_found"))
        else:
            self._give(owner.reply_to(seen), body)

    def _give(self, reply: Reply, body: dict[str, Any]) -> None:
        if isinstance(reply, str):
            reply = Said(reply)
        if isinstance(reply, Said):
            if reply.delay:
                time.sleep(reply.delay)
            form = response if self.path.endswith("/responses") else completion
            self._send(200, json.dumps(form(reply, body)).encode())
        elif isinstance(reply, Refused):
            self._send(reply.status, _error(reply.message, "error"), headers=reply.headers)
        elif isinstance(reply, Raw):
            self._send(200, reply.body, content_type=reply.content_type)
        elif isinstance(reply, Hang):
            self.server.owner.closing.wait(reply.seconds)
            self.close_connection = True
        else:
            whole = json.dumps(completion(Said(reply.text), body)).encode()
            self._send(200, whole[: len(whole) // 2], length=len(whole))
            self.close_connection = True

    def _send(
        self,
        status: int,
        body: bytes,
        *,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def completion(text: Said, body: dict[str, Any]) -> dict[str, Any]:
    """A chat completion as OpenAI's servers write it."""
    asked = sum(len(str(message.get("content") or "")) for message in body.get("messages", ()))
    message: dict[str, Any] = {"role": "assistant", "content": text.text or None, "refusal": text.refusal}
    if text.reasoning is not None:
        message["reasoning_content"] = text.reasoning
    if text.tool_calls:
        message["tool_calls"] = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for n, (name, arguments) in enumerate(text.tool_calls, start=1)
        ]
    prompt = asked // 4 if text.prompt_tokens is None else text.prompt_tokens
    answered = len(text.text) // 4 + 1 if text.completion_tokens is None else text.completion_tokens
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": text.model or body.get("model", "local"),
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if text.tool_calls else text.finish_reason,
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": answered,
            "total_tokens": prompt + answered,
            "prompt_tokens_details": {"cached_tokens": text.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": text.reasoning_tokens},
        },
    }


def response(text: Said, body: dict[str, Any]) -> dict[str, Any]:
    """A response as OpenAI's Responses API writes it."""
    items: list[dict[str, Any]] = []
    if text.reasoning is not None:
        summary = [{"type": "summary_text", "text": text.reasoning}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "sealed"})
    if text.text:
        content = [{"type": "output_text", "text": text.text, "annotations": []}]
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "content": content})
    items += [
        {
            "type": "function_call",
            "id": f"fc_{n}",
            "call_id": f"call_{n}",
            "name": name,
            "arguments": arguments,
        }
        for n, (name, arguments) in enumerate(text.tool_calls, start=1)
    ]
    cut = text.finish_reason == "length"
    return {
        "id": "resp_local",
        "object": "response",
        "model": text.model or body.get("model", "local"),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": items,
        "usage": {
            "input_tokens": text.prompt_tokens or 1,
            "output_tokens": text.completion_tokens or 1,
            "input_tokens_details": {"cached_tokens": text.cached_tokens},
            "output_tokens_details": {"reasoning_tokens": text.reasoning_tokens},
        },
    }


def _error(message: str, code: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "error", "code": code, "param": None}}).encode()


def _embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """Bags of words, hashed into 64 dimensions: equal texts are equal, similar ones are near."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    data = [
        {"object": "embedding", "index": number, "embedding": _vector(text)}
        for number, text in enumerate(texts)
    ]
    return {
        "object": "list",
        "data": data,
        "model": body.get("model", "local"),
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


def _vector(text: str) -> list[float]:
    counts = [0.0] * 64
    for word in re.findall(r"\w+", text.lower()):
        counts[zlib.crc32(word.encode()) % 64] += 1.0
    length = math.sqrt(sum(count * count for count in counts)) or 1.0
    return [count / length for count in counts]
