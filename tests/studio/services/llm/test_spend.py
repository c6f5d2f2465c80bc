"""Prompt, cached and reply tokens are told apart, by stage, for a month and for a batch."""

from __future__ import annotations

import pytest

from studio.models import LlmCall, Run, RunKind
from studio.services.llm.spend import spend
from studio.services.runs.batch_summary import summarise


@pytest.mark.django_db
def test_tokens_are_told_apart_by_stage() -> None:
    batch = Run.objects.create(kind=RunKind.BATCH, title="Two", request={})
    child = Run.objects.create(kind=RunKind.SYNTHESIS, title="One", request={}, parent=batch)
    counted = {"input_tokens": 1_000, "cached_tokens": 600, "output_tokens": 300, "reasoning_tokens": 200}
    for stage in ("tools", "tools", "schema"):
        LlmCall.objects.create(run=child, stage=stage, provider="p", model="m", outcome="answered", **counted)
    by_stage = {share.name: share for share in spend().stages}
    tools = by_stage["tools"]
    assert (tools.prompt, tools.cached, tools.reply, tools.reasoning) == (2_000, 1_200, 600, 400)
    assert tools.tokens == tools.prompt + tools.reply
    (summary,) = (stage for stage in summarise(batch).stages if stage.stage == "tools")
    assert (summary.prompt_tokens, summary.cached_tokens, summary.reply_tokens) == (2_000, 1_200, 600)
    assert summary.published_per_hundred == 12.81
