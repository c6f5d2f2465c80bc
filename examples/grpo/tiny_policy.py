"""A policy that fits a CPU: a model made from its configuration, and a start from which GRPO can learn.

Weights at random never write a tool call, so every reward of a group is the same and nothing is learned.
The start is what a real run has from pretraining: for each task the reference solution, and as often an
answer with nothing done. What is left to learn is which of the two is rewarded.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from transformers.utils import get_json_schema

from synthesis.adapters.trl import ToolEnvironment
from synthesis.documents.tasks import Task

Messages = list[dict[str, Any]]
PADDING, END = "<|endoftext|>", "<|im_end|>"
SPECIAL = (PADDING, "<|im_start|>", END, "<tool_call>", "</tool_call>")
IDLE = "It is done."


def conversations(
    rows: Sequence[Mapping[str, Any]], tasks: Mapping[str, Task], factory: type[ToolEnvironment]
) -> list[Messages]:
    """For each row the reference solution as it really goes, and an answer with nothing done."""
    played = []
    for row in rows:
        task, environment = tasks[row["task_id"]], factory()
        environment.reset(row["task_id"])
        messages = list(row["prompt"])
        for call in task.reference_solution:
            function = {"name": call.name, "arguments": call.arguments}
            messages.append(
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"type": "function", "function": function}],
                }
            )
            result = getattr(environment, call.name)(**call.arguments)
            messages.append({"role": "tool", "name": call.name, "content": result})
        messages.append({"role": "assistant", "content": task.reference_answer or "Done."})
        played += [messages, [*row["prompt"], {"role": "assistant", "content": IDLE}]]
    return played


def schemas(factory: type[ToolEnvironment]) -> list[dict[str, Any]]:
    """The tools as TRL shows them to a chat template."""
    names = sorted(name for name in vars(factory) if not name.startswith("_"))
    environment = factory()
    return [get_json_schema(getattr(environment, name)) for name in names]


def tokenizer_for(played: Sequence[Messages], tools: Sequence[dict[str, Any]]) -> PreTrainedTokenizerFast:
    """Byte pairs learned from the world's own texts, with Qwen's chat format as TRL ships it.

    Pairs may join words: a policy that every prompt repeats becomes a few tokens, which a CPU can read.
    """
    model = Tokenizer(models.BPE())
    lines = pre_tokenizers.Split("\n", "isolated")
    model.pre_tokenizer = pre_tokenizers.Sequence(
        [lines, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    model.decoder = decoders.ByteLevel()
    template = (resources.files("trl") / "chat_templates" / "qwen3_instruct_2507.jinja").read_text("utf-8")
    plain = PreTrainedTokenizerFast(tokenizer_object=model, chat_template=template)
    texts = [plain.apply_chat_template(each, tools=tools, tokenize=False) for each in played]
    pieces = [piece for text in texts for piece in re.split("|".join(map(re.escape, SPECIAL)), text)]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    model.train_from_iterator(
        pieces,
        trainers.BpeTrainer(
            vocab_size=8192, special_tokens=[*SPECIAL], initial_alphabet=alphabet, max_token_length=100
        ),
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=model,
        chat_template=template,
        eos_token=END,
        pad_token=PADDING,
        padding_side="left",
    )


def model_for(tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    """Three layers, about a million weights."""
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=128,
            intermediate_size=384,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=4,
            head_dim=32,
            max_position_embeddings=16_384,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def warm_start(
    model: Qwen3ForCausalLM, examples: Sequence[tuple[list[int], list[int]]], *, steps: int, batch: int = 4
) -> float:
    """Supervised steps on (tokens, labels), labels -100 where nothing is to be learned; the last loss."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.0)
    loss = float("nan")
    for at, chosen in enumerate(itertools.islice(_batches(examples, batch), steps)):
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * min(1.0, (at + 1) / 20) * max(0.05, 1 - at / steps)
        width = max(len(tokens) for tokens, _ in chosen)
        ids = torch.tensor([tokens + [0] * (width - len(tokens)) for tokens, _ in chosen])
        labels = torch.tensor([wanted + [-100] * (width - len(wanted)) for _, wanted in chosen])
        measured = model(input_ids=ids, labels=labels).loss
        measured.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss = float(measured.detach())
    return loss


def labelled(
    tokenizer: PreTrainedTokenizerFast, messages: Messages, tools: Sequence[dict[str, Any]]
) -> tuple[list[int], list[int]]:
    """A conversation as tokens, and as labels that leave out what the agent did not write."""

    def tokens(part: Messages, *, prompt: bool) -> list[int]:
        text = tokenizer.apply_chat_template(part, tools=tools, tokenize=False, add_generation_prompt=prompt)
        return list(tokenizer(text)["input_ids"])

    whole = tokens(messages, prompt=False)
    labels = [-100] * len(whole)
    for at, message in enumerate(messages):
        if message["role"] == "assistant":
            first = len(tokens(messages[:at], prompt=True))
            last = len(tokens(messages[: at + 1], prompt=False))
            labels[first:last] = whole[first:last]
    return whole, labels


def _batches(
    examples: Sequence[tuple[list[int], list[int]]], size: int
) -> Iterator[list[tuple[list[int], list[int]]]]:
    draw = random.Random(0)  # noqa: S311 - the order of examples
    while True:
        order = draw.sample(range(len(examples)), len(examples))
        for first in range(0, len(order), size):
            yield [examples[at] for at in order[first : first + size]]
