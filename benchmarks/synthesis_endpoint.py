"""The endpoint of the synthesis benchmark: answers as a model does, with realistic sizes, delays and slips.

A process of its own. It prints its base URL; asked for the model "stats" it tells what was asked since it
was asked last, the requests in flight over time, and every request that came more than once. The model it
names in an answer is the request's own key, so that kept answers can be told apart.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.synthesis_slips import broken_reply
from synthesis.bundles.open import open_bundle
from tests.openai_server import OpenAIServer, Raw, Refused, Reply, Said
from tests.scripted_model import ScriptedModel

CLINIC = Path(__file__).parents[1] / "tests" / "data" / "clinic_front_desk"


class Endpoint:
    """Answers every request the same way however often it comes, and counts.

    Args:
        broken: Share of the replies that are broken, each in one of the ways of `synthesis_slips`.
        delay: Seconds, from and to, before an answer.
    """

    def __init__(self, *, broken: float, delay: tuple[float, float]) -> None:
        self.model = ScriptedModel(open_bundle(CLINIC).environment)
        self.broken, self.delay = broken, delay
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()
        self._recent: set[str] = set()
        self._answered: Counter[str] = Counter()
        self._flying: dict[str, int] = {}
        self._levels: list[tuple[float, int]] = [(time.monotonic(), 0)]
        self._broken = 0

    def __call__(self, body: dict[str, Any]) -> Reply:
        key = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        chance = random.Random(key)
        self._move(key, 1)
        try:
            time.sleep(chance.uniform(*self.delay))
            with self._lock:
                again = self._answered[key] > 0
            reply = self._reply(body, chance, again=again)
            reply = Said(reply) if isinstance(reply, str) else reply
            return replace(reply, model=f"bench-{key}") if isinstance(reply, Said) else reply
        finally:
            with self._lock:
                self._answered[key] += 1
            self._move(key, -1)

    def _reply(self, body: dict[str, Any], chance: random.Random, *, again: bool) -> Reply:
        stage = self.model.stage_of(body)
        good = _made_its_own(stage, self.model.good(stage, body), body["messages"][1]["content"])
        if chance.random() >= self.broken:
            return Said(json.dumps(good, ensure_ascii=False))
        with self._lock:
            self._broken += 1
        slip = broken_reply(good, chance)
        # An endpoint that is busy is not busy for ever; a model that answers badly would do so again.
        return Said(json.dumps(good, ensure_ascii=False)) if again and isinstance(slip, Refused) else slip

    def _move(self, key: str, by: int) -> None:
        with self._lock:
            if by > 0:
                self._asked[key] += 1
                self._recent.add(key)
            self._flying[key] = self._flying.get(key, 0) + by
            if not self._flying[key]:
                del self._flying[key]
            self._levels.append((time.monotonic(), sum(self._flying.values())))

    @property
    def asked(self) -> int:
        """How many requests came."""
        return self._asked.total()

    def stats(self) -> dict[str, Any]:
        with self._lock:
            recent, self._recent = self._recent, set()
            return {
                "asked": sum(self._asked.values()),
                "answered": sum(self._answered.values()),
                "repeated": {key: count for key, count in self._asked.items() if count > 1},
                "recent": list(recent),
                "flying": list(self._flying),
                "levels": self._levels,
                "broken": self._broken,
            }


def _made_its_own(stage: str, good: dict[str, Any], prompt: str) -> dict[str, Any]:
    """The reply with the environment's number in it: no two of a batch have a part in common, so that
    nothing that was compiled or built for one is at hand for the next."""
    if stage == "scenario":
        if number := re.search(r"Clinic number (\d+)", prompt):
            # All later prompts hold the title, so every environment's requests are its own.
            good |= {"name": f"clinic_{number[1]}", "title": f"Clinic front desk {number[1]}"}
    elif number := re.search(r"Clinic front desk (\d+)", prompt):
        if stage == "schema" and good["tables"]:
            first, *others = good["tables"]
            good |= {"tables": [f"-- Of desk {number[1]}.\n{first}", *others]}
        elif stage == "tools":
            good |= {"shared": f"{good['shared']}\n\n_DESK = {number[1]}\n"}
    return good


class _Counting(OpenAIServer):
    """The server, whose answers about itself are not asked of the model."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(self._answer)
        self._endpoint = endpoint

    def _answer(self, body: dict[str, Any]) -> Reply:
        # What was seen is not kept here: a thousand environments would fill the memory of the endpoint.
        self.seen.clear()
        if body.get("model") == "stats":
            return Raw(json.dumps(self._endpoint.stats()).encode())
        if body.get("model") == "count":
            return Raw(json.dumps({"asked": self._endpoint.asked}).encode())
        return self._endpoint(body)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken", type=float, default=0.0)
    parser.add_argument("--delay", type=float, nargs=2, default=(0.2, 2.0))
    arguments = parser.parse_args()
    with _Counting(Endpoint(broken=arguments.broken, delay=tuple(arguments.delay))) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
