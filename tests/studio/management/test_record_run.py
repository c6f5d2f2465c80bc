"""`record_run` asks the model of the settings and writes what was said."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pydantic import SecretStr

from studio.management.commands import record_run
from synthesis.llm.provider import CompletionRequest, Message
from synthesis.pipeline.recorded_run import RecordedRun
from tests.openai_server import OpenAIServer


def test_it_writes_the_whole_run(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask_once(request: Any, *, authors: Any, context: Any) -> SimpleNamespace:
        messages = (Message(role="user", text=request.sentence),)
        authors["model"].provider.complete(
            CompletionRequest(messages=messages, stage="scenario", attempt=1, pieces=("a",))
        )
        return SimpleNamespace()

    monkeypatch.setattr(record_run, "synthesize", ask_once)
    settings.VAR_DIR = tmp_path
    with OpenAIServer(lambda _: "a reply") as server:
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={
                "openai_api_key": SecretStr("key-123456"),
                "openai_base_url": server.base_url,
                "model": "a-model",
                "author_models": "",
            }
        )
        out = StringIO()
        for _ in range(2):  # what was answered is not asked again
            call_command("record_run", "A ferry company", "--output", tmp_path / "run.xz", stdout=out)
        assert len(server.seen) == 1
    run = RecordedRun.read(tmp_path / "run.xz")
    assert run.request.sentence == "A ferry company"
    assert [(each.stage, each.completion.text) for each in run.exchanges] == [("scenario", "a reply")]
    assert "Replies recorded: 1 of a-model" in out.getvalue()


def test_without_a_model_it_says_what_to_set(settings: Any) -> None:
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"openai_api_key": None, "model": ""})
    with pytest.raises(CommandError, match="WORLDWRIGHT_MODEL"):
        call_command("record_run", "A ferry company")
