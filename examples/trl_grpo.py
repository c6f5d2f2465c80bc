"""GRPO over an environment's train split: python trl_grpo.py clinic_front_desk.zip Qwen/Qwen3-0.6B"""

import sys

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from synthesis.adapters.trl import environment_factory, reward, rows


def main(bundle: str, model: str) -> GRPOTrainer:
    trainer = GRPOTrainer(
        model,
        train_dataset=Dataset.from_list(rows(bundle, split="train") or rows(bundle)),
        reward_funcs=reward,
        environment_factory=environment_factory(bundle),
        args=GRPOConfig(max_completion_length=4096, num_generations=8, log_completions=True),
    )
    trainer.train()
    return trainer


if __name__ == "__main__":
    main(*sys.argv[1:])
