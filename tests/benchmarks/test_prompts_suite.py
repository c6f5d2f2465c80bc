"""The suite `prompts` counts what is really asked, and how much of it an endpoint has read before."""

from __future__ import annotations

import argparse

from benchmarks.prompts import BLOCK, figures, run
from synthesis.llm.provider import CompletionRequest, Message


def request(text: str, stage: str = "tools") -> CompletionRequest:
    return CompletionRequest(messages=(Message(role="user", text=text),), stage=stage)


def test_only_whole_blocks_of_a_long_common_beginning_can_be_cached() -> None:
    short, long = "a" * 4_000, "b" * 40_000
    counted = figures([request(short), request(short), request(long), request(long + "c" * 4_000)])
    assert counted["prompt_tokens"] == 1_000 + 1_000 + 10_000 + 11_000
    assert counted["cacheable_share"] == round(10_000 // BLOCK * BLOCK / 23_000, 3)


def test_an_environment_stays_within_its_budget_of_tokens() -> None:
    counted = run(argparse.Namespace(bundle=None))
    assert sum(counted["by_stage"].values()) == counted["prompt_tokens"] <= 80_000
    assert counted["requests"] == 11
    assert counted["cacheable_share"] >= 0.6
