"""The suite `prompts` counts what is really asked, and how much of it an endpoint has read before."""

from __future__ import annotations

import argparse

import pytest

from benchmarks.prompts import BLOCK, figures, prompt_figures, run
from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Environment
from synthesis.llm.provider import CompletionRequest, Message
from synthesis.pipeline import assembly
from synthesis.pipeline.authors.procedural import ProceduralAuthor
from synthesis.pipeline.driver import synthesize
from synthesis.pipeline.request import SynthesisRequest, Targets


def request(text: str, stage: str = "tools") -> CompletionRequest:
    return CompletionRequest(messages=(Message(role="user", text=text),), stage=stage)


def test_only_whole_blocks_of_a_long_common_beginning_can_be_cached() -> None:
    short, long = "a" * 4_000, "b" * 40_000
    counted = figures([request(short), request(short), request(long), request(long + "c" * 4_000)])
    assert counted["prompt_tokens"] == 1_000 + 1_000 + 10_000 + 11_000
    assert counted["cacheable_share"] == round(10_000 // BLOCK * BLOCK / 23_000, 3)


def test_an_environment_stays_within_its_budget_of_tokens() -> None:
    counted = run(argparse.Namespace(bundle=None))
    assert sum(counted["by_stage"].values()) == counted["prompt_tokens"] <= 65_000
    assert counted["requests"] == 10
    assert counted["fresh_tokens"] <= 26_500
    assert sum(counted["replies_by_stage"].values()) == counted["reply_tokens"]
    by_hand = 1.25 * counted["fresh_tokens"] + 10 * counted["reply_tokens"]
    cached = 0.125 * (counted["prompt_tokens"] - counted["fresh_tokens"])
    assert counted["cost_usd"] == round((by_hand + cached) / 1e6, 3) <= 0.30


def test_one_of_forty_tools_stays_within_its_budget_and_is_cached_for_the_most_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unproved(environment: Environment, on_result: object = None) -> CheckReport:
        return CheckReport(environment=environment.fingerprint, results=())

    monkeypatch.setattr(assembly, "check_environment", unproved)
    request = SynthesisRequest(
        sentence="A library lends books, repairs bindings and sells prints",
        author="procedural",
        seed=1,
        targets=Targets(tasks=10),
    )
    environment = synthesize(request, authors={"procedural": ProceduralAuthor()}).environment
    assert len(environment.tools.tools) >= 40
    counted = prompt_figures(environment)
    assert counted["prompt_tokens"] <= 110_000
    assert counted["cacheable_share"] >= 0.6
