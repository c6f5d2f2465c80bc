"""Exports in the hands of those who train with them; run where their libraries are installed.

pip install datasets trl torch, then: pytest tests/synthesis/bundles/test_trainers_load.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from synthesis.bundles.registry import codec
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.rollouts.registry import make_agent
from synthesis.rollouts.rollout import roll_out
from synthesis.worlds.world import World

os.environ.setdefault("HF_HUB_OFFLINE", "1")
datasets = pytest.importorskip("datasets", reason="the library datasets is not installed")
pytestmark = pytest.mark.filterwarnings("default")

TEMPLATE = (
    "{% if tools %}{% for tool in tools %}{{ tool | tojson }}{% endfor %}{% endif %}"
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] or '' }}"
    "{% for call in message.get('tool_calls') or [] %}<call>{{ call['function']['name'] }}"
    "{{ call['function']['arguments'] | tojson }}</call>{% endfor %}<eos>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
"""Roles, tools and calls as chat templates put them into words."""


@pytest.fixture(scope="module")
def bundle(clinic: Environment) -> Bundle:
    """Two tasks, each done once rightly and once wrongly."""
    tasks = ("hand_freed_slot_to_waiting_list", "read_total_owed")
    with World(clinic) as world:
        tried = [
            roll_out(world, task, make_agent(agent)) for task in tasks for agent in ("reference", "no-op")
        ]
    return Bundle(environment=clinic, trajectories=tuple(tried))


@pytest.mark.parametrize("format", ["training_samples", "preference_pairs"])
def test_datasets_loads_a_folder_by_its_path(bundle: Bundle, tmp_path: Path, format: str) -> None:
    folder = codec(format).write(bundle, tmp_path / "out")
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {split: len(lines) for split, lines in loaded.items()} == {"unsplit": len(_lines(folder))}
    key = "messages" if format == "training_samples" else "chosen"
    assert [line[key] for line in loaded["unsplit"]] == [line[key] for line in _lines(folder)]


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in folder.glob("data/*") for line in file.read_text().splitlines()]


def rows(bundle: Bundle, format: str, folder: Path) -> Any:
    """An export as `datasets` loads it."""
    written = codec(format).write(bundle, folder / format)
    files = [written] if written.is_file() else sorted(written.rglob("*.jsonl"))
    return datasets.load_dataset(
        "json", data_files=[str(file) for file in files], split="train", cache_dir=str(folder / "cache")
    )


@pytest.mark.parametrize("format", ["chat_jsonl", "training_samples", "preference_pairs"])
def test_datasets_loads_every_line_of_an_export(bundle: Bundle, tmp_path: Path, format: str) -> None:
    turns = sum(len(judged.trajectory.steps) for judged in bundle.trajectories)
    count = {"chat_jsonl": 4, "training_samples": turns, "preference_pairs": 2}[format]
    assert len(rows(bundle, format, tmp_path)) == count


def test_trl_trains_on_conversations_and_on_pairs(bundle: Bundle, tmp_path: Path) -> None:
    trl = pytest.importorskip("trl", reason="the library trl is not installed")
    tokenizer = _tokenizer()
    more: dict[str, Any] = {
        "output_dir": str(tmp_path / "out"),
        "report_to": [],
        "max_steps": 1,
        "per_device_train_batch_size": 1,
        "use_cpu": True,
        "bf16": False,
        "max_length": 8_192,
    }
    chats = rows(bundle, "chat_jsonl", tmp_path).select_columns(["messages", "tools"])
    supervised = trl.SFTTrainer(
        model=_model(), args=trl.SFTConfig(**more), train_dataset=chats, processing_class=tokenizer
    )
    assert len(supervised.train_dataset) == 4
    assert supervised.train().global_step == 1
    pairs = rows(bundle, "preference_pairs", tmp_path)
    preferring = trl.DPOTrainer(
        model=_model(),
        ref_model=_model(),
        args=trl.DPOConfig(**more),
        train_dataset=pairs.select_columns(["prompt", "chosen", "rejected", "tools"]),
        processing_class=tokenizer,
    )
    assert preferring.train().global_step == 1


def _tokenizer() -> Any:
    """Words as tokens; nothing is loaded from anywhere."""
    tokenizers, transformers = pytest.importorskip("tokenizers"), pytest.importorskip("transformers")
    words = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"<unk>": 0, "<eos>": 1, "<pad>": 2}, unk_token="<unk>")
    )
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    result = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, eos_token="<eos>", pad_token="<pad>", unk_token="<unk>"
    )
    result.chat_template = TEMPLATE
    return result


def _model() -> Any:
    """The smallest there can be."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=8,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=8_192,
    )
    return transformers.LlamaForCausalLM(config)
