"""What the model author's prompts and replies come to: tokens, and the share endpoints can cache.

Counted with the real templates and the parts of a finished environment, without an endpoint: the first
attempt of every stage, as if nothing had to be corrected and the model thought nothing. Replies are counted
in the form in which the author is asked for them.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from synthesis.bundles.open import open_bundle
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import Usage
from synthesis.llm.prices import Price
from synthesis.llm.provider import Completion, CompletionRequest
from synthesis.pipeline.author import Ask
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.prompt import compact
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stages.registry import STAGES, stage
from tests.scripted_model import ScriptedModel, drafted

CHARACTERS_PER_TOKEN = 4
CACHED_FROM = 1_024
"""Tokens of a common beginning from which endpoints cache it."""
BLOCK = 128
"""Tokens in whose multiples they do."""
GPT_5 = Price(input=1.25, output=10.0, cached_input=0.125)
"""Its list price."""

CLINIC = Path(__file__).parents[1] / "tests" / "data" / "clinic_front_desk"


class CountingProvider:
    """Keeps the prompts, and answers with nothing useful."""

    model = "counted"

    def __init__(self) -> None:
        self.requests: list[CompletionRequest] = []
        self._lock = threading.Lock()

    def complete(self, request: CompletionRequest) -> Completion:
        """An empty object."""
        with self._lock:
            self.requests.append(request)
        return Completion(text="{}")


def prompt_figures(environment: Environment) -> dict[str, Any]:
    """Prompt tokens by stage and in all, and how much of it is the beginning of an earlier prompt as well."""
    provider = CountingProvider()
    author = ModelAuthor(provider)
    request = SynthesisRequest(sentence=environment.scenario.description[:2_000], author="model")
    draft = drafted(environment)
    for each in STAGES.values():
        author.write(Ask(stage=each, draft=draft, request=request))
    counted = figures(provider.requests)
    replies = {
        name: _tokens_of(reply, stage(name).wanted(draft))
        for name, reply in ScriptedModel(environment).replies.items()
    }
    usage = Usage(
        input_tokens=counted["prompt_tokens"],
        cached_tokens=counted["prompt_tokens"] - counted["fresh_tokens"],
        output_tokens=sum(replies.values()),
    )
    return {
        **counted,
        "reply_tokens": usage.output_tokens,
        "replies_by_stage": replies,
        "cost_usd": round(GPT_5.of(usage), 3),
    }


def _tokens_of(reply: Reply, wanted: tuple[str, ...]) -> int:
    """Of the pieces that are asked for by name, or of all."""
    return len(compact(reply.only({*wanted} or {*reply.pieces}))) // CHARACTERS_PER_TOKEN


def figures(requests: Iterable[CompletionRequest]) -> dict[str, Any]:
    """The same of any requests, in the order in which they were made."""
    stages: dict[str, int] = {}
    earlier: list[str] = []
    total = cacheable = 0
    for request in requests:
        text = "\0".join(message.text for message in request.messages)
        tokens = len(text) // CHARACTERS_PER_TOKEN
        common = max((_common(text, other) for other in earlier), default=0) // CHARACTERS_PER_TOKEN
        earlier.append(text)
        stages[request.stage] = stages.get(request.stage, 0) + tokens
        total += tokens
        cacheable += common // BLOCK * BLOCK if common >= CACHED_FROM else 0
    return {
        "requests": len(earlier),
        "prompt_tokens": total,
        "cacheable_share": round(cacheable / total, 3) if total else 0.0,
        "fresh_tokens": total - cacheable,
        "by_stage": stages,
    }


def _common(one: str, other: str) -> int:
    """Length of the beginning that two texts share, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The figures of `args.bundle`, or of the clinic."""
    environment = open_bundle(args.bundle or CLINIC).environment
    return {"suite": "prompts", "counts": environment.counts, **prompt_figures(environment)}


main = run
