"""The endpoint of the rollouts benchmark: a model that plays one script, as slowly as a real one.

A process of its own, so that its memory is not that of the studio. It prints its base URL and ends when its
input does.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

from tests.openai_server import OpenAIServer, Said


class ScriptedPlayer:
    """Answers with the script's next call, by the number of replies in the conversation.

    Args:
        script: `calls` with name and arguments, and the `answer` at the end.
        delay: Seconds, from and to, before an answer.
    """

    def __init__(self, script: dict[str, Any], delay: tuple[float, float]) -> None:
        self.calls, self.answer, self.delay = script["calls"], script["answer"], delay

    def __call__(self, body: dict[str, Any]) -> Said:
        wait = random.uniform(*self.delay)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if turn >= len(self.calls):
            return Said(self.answer, delay=wait)
        call = self.calls[turn]
        return Said(tool_calls=((call["name"], json.dumps(call["arguments"])),), delay=wait)


class _Forgetful(OpenAIServer):
    """The server, that keeps no request: thousands of long conversations would fill its memory."""

    def __init__(self, player: ScriptedPlayer) -> None:
        super().__init__(self._reply)
        self._player = player

    def _reply(self, body: dict[str, Any]) -> Said:
        self.seen.clear()
        return self._player(body)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("script", type=Path)
    parser.add_argument("--delay", type=float, nargs=2, default=(0.5, 3.0))
    arguments = parser.parse_args()
    script = json.loads(arguments.script.read_text(encoding="utf-8"))
    with _Forgetful(ScriptedPlayer(script, tuple(arguments.delay))) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
