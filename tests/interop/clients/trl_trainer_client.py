"""Runs where TRL is: its GRPOTrainer plays every task with its own tool loop, and prints the rewards as JSON.

What it samples is scripted: of the two rollouts of a group, one writes the reference solution, one nothing.
"""

import json
import sys
import tempfile
from pathlib import Path

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from synthesis.adapters.trl import environment_factory, reward, rows

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "grpo"))
from tiny_policy import END, model_for, schemas, tokenizer_for


class ScriptedTrainer(GRPOTrainer):
    """Samples what is written for a task; all else is the trainer's own."""

    tasks = ()

    def _generate_single_turn(self, prompt_ids, images, fields, num_generations, has_tool_images=False):
        texts = [self.processing_class.decode(ids) for ids in prompt_ids]
        return [self.processing_class(reply)["input_ids"] for reply in self.replies(texts)], None

    def replies(self, texts):
        replies = []
        for at, text in enumerate(texts):
            task = next(task for task in self.tasks if task["instruction"] in text)
            made = text.count("<tool_response>")
            # Only rollouts that play are asked again, so every later turn is one of theirs.
            plays = at % 2 == 0 if not made else True
            replies.append(f"{self.reply(task, made) if plays else 'Done.'}{END}")
        return replies

    def reply(self, task, made):
        if made >= len(task["calls"]):
            return task["answer"]
        return f"<tool_call>\n{json.dumps(task['calls'][made])}\n</tool_call>"


def main(bundle, path):
    torch.set_num_threads(1)  # a model this small gains nothing from more
    factory = environment_factory(bundle)
    dataset = rows(bundle)
    tools = schemas(factory)
    tokenizer = tokenizer_for([row["prompt"] for row in dataset], tools)
    scores = {"gold": {}, "no_op": {}}

    def recorded(completions, environments, task_id, **others):
        given = reward(completions, environments, **others)
        for at, (name, value) in enumerate(zip(task_id, given, strict=True)):
            scores["no_op" if at % 2 else "gold"][name] = value
        return given

    with tempfile.TemporaryDirectory() as folder:
        trainer = ScriptedTrainer(
            model_for(tokenizer),
            processing_class=tokenizer,
            train_dataset=Dataset.from_list(dataset),
            reward_funcs=recorded,
            environment_factory=factory,
            args=GRPOConfig(
                output_dir=folder,
                max_steps=len(dataset),
                num_generations=2,
                per_device_train_batch_size=2,
                max_completion_length=30_000,
                shuffle_dataset=False,
                save_strategy="no",
                report_to="none",
                logging_steps=1,
                learning_rate=0.0,
                use_cpu=not torch.cuda.is_available(),
                bf16=torch.cuda.is_available(),
            ),
        )
        ScriptedTrainer.tasks = json.loads(Path(path).read_text())
        trainer.train()
    failures = [entry.get("tools/failure_frequency", 0) for entry in trainer.state.log_history]
    print(json.dumps({**scores, "tool_failures": max(failures)}))


main(*sys.argv[1:])
