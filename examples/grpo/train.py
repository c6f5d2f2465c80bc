"""GRPO on one world, with a curve: python train.py clinic_front_desk.zip --model tiny --out curve

`--model tiny` makes a model from its configuration and runs in minutes on a CPU; any other name is a
checkpoint that TRL loads. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from tiny_policy import conversations, labelled, model_for, schemas, tokenizer_for, warm_start
from trl import GRPOConfig, GRPOTrainer

from synthesis import open_bundle
from synthesis.adapters.trl import environment_factory, reward, rows

KEPT = ("step", "reward", "reward_std", "grad_norm", "tools/call_frequency", "completions/mean_length")


def main(arguments: Sequence[str] | None = None) -> list[dict[str, float]]:
    """Train, and write the curve; its points."""
    given = _arguments().parse_args(arguments)
    torch.manual_seed(given.seed)
    factory = environment_factory(given.bundle)
    dataset = _dataset(given.bundle, given.split, given.tasks)
    trainer = GRPOTrainer(
        train_dataset=Dataset.from_list(dataset),
        reward_funcs=reward,
        environment_factory=factory,
        args=_settings(given),
        **(_tiny(given, dataset, factory) if given.model == "tiny" else {"model": given.model}),
    )
    trainer.train()
    points = [
        {name: entry[name] for name in KEPT if name in entry}
        for entry in trainer.state.log_history
        if "reward" in entry
    ]
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "curve.jsonl").write_text("".join(f"{json.dumps(point)}\n" for point in points))
    (given.out / "curve.svg").write_text(picture([point["reward"] for point in points]))
    return points


def picture(values: Sequence[float], *, width: int = 640, height: int = 240) -> str:
    """Mean reward per step, from 0 to 1, as SVG."""
    across = width / max(len(values) - 1, 1)
    line = " ".join(
        f"{at * across:.1f},{height * (1 - max(value, 0)):.1f}" for at, value in enumerate(values)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-40 -20 {width + 60} {height + 50}"'
        f' font-family="sans-serif" font-size="12">'
        f'<path d="M0 0V{height}H{width}" fill="none" stroke="gray"/>'
        f'<text x="-20" y="4">1</text><text x="-20" y="{height}">0</text>'
        f'<text x="0" y="{height + 20}">mean reward of a group, {len(values)} steps</text>'
        f'<polyline points="{line}" fill="none" stroke="#1f6feb" stroke-width="2"/></svg>\n'
    )


def _dataset(bundle: Path, split: str | None, most: int | None) -> list[dict[str, Any]]:
    """The rows of a split, those with the shortest reference solutions first."""
    lengths = {task.id: len(task.reference_solution) for task in open_bundle(bundle).environment.tasks.tasks}
    chosen = sorted(rows(bundle, split=split), key=lambda row: lengths[row["task_id"]])
    if not chosen:
        raise SystemExit(f"{bundle} has no task in split {split!r}: leave --split out to take all.")
    return chosen[:most]


def _settings(given: argparse.Namespace) -> GRPOConfig:
    return GRPOConfig(
        output_dir=str(given.out / "checkpoints"),
        max_steps=given.steps,
        num_generations=given.group,
        per_device_train_batch_size=given.group,
        gradient_accumulation_steps=given.accumulate,
        learning_rate=given.rate,
        max_completion_length=given.completion,
        max_tool_calling_iterations=given.turns,
        temperature=1.0,
        beta=0.0,
        loss_type="dapo",
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        seed=given.seed,
        use_cpu=not torch.cuda.is_available(),
        bf16=torch.cuda.is_available(),
    )


def _tiny(given: argparse.Namespace, dataset: list[dict[str, Any]], factory: Any) -> dict[str, Any]:
    tasks = {task.id: task for task in open_bundle(given.bundle).environment.tasks.tasks}
    played, tools = conversations(dataset, tasks, factory), schemas(factory)
    tokenizer = tokenizer_for(played, tools)
    model = model_for(tokenizer)
    examples = [labelled(tokenizer, each, tools) for each in played]
    loss = warm_start(model, examples, steps=given.warm_steps)
    longest = max(len(tokens) for tokens, _ in examples)
    print(f"start: {len(examples)} conversations of at most {longest} tokens, loss {loss:.3f}")
    return {"model": model, "processing_class": tokenizer}


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("bundle", type=Path, help="a bundle, or its folder")
    parser.add_argument("--model", default="tiny", help="tiny, or a checkpoint's name")
    parser.add_argument("--split", help="train, validation or test; all tasks without it")
    parser.add_argument("--tasks", type=int, help="only so many, those with the shortest solutions")
    parser.add_argument("--steps", type=int, default=40, help="steps of GRPO (40)")
    parser.add_argument("--group", type=int, default=8, help="rollouts of one task that are compared (8)")
    parser.add_argument("--accumulate", type=int, default=1, help="groups per step (1)")
    parser.add_argument("--rate", type=float, default=3e-4, help="learning rate (3e-4, for the tiny model)")
    parser.add_argument(
        "--completion", type=int, default=2_048, help="most tokens of a rollout, tool results included"
    )
    parser.add_argument("--turns", type=int, default=8, help="most turns with tool calls")
    parser.add_argument(
        "--warm-steps", type=int, default=300, help="supervised steps before, tiny model alone"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, default=Path("curve"), help="folder for curve.jsonl and curve.svg"
    )
    return parser


if __name__ == "__main__":
    main()
