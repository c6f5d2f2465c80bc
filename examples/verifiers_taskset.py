"""A taskset for vf-eval and vf-validate: python verifiers_taskset.py clinic_front_desk.zip FOLDER

vf-eval verifiers_taskset --env.taskset.bundle clinic_front_desk.zip --env.agent.harness.id null -m MODEL
"""

import asyncio
import sys

from verifiers.v1 import SubprocessConfig
from verifiers.v1.cli.validate import run_validate
from verifiers.v1.configs.cli.validate import ValidateConfig

from synthesis.adapters.verifiers import WorldConfig, WorldTaskset

__all__ = ["WorldTaskset"]


def main(bundle: str, folder: str) -> float:
    """The share of tasks whose reference earns everything and whose untouched world does not."""
    taskset = WorldConfig(id="verifiers_taskset", bundle=bundle)
    config = ValidateConfig(taskset=taskset, runtime=SubprocessConfig(), output_dir=folder, rich=False)
    rows = asyncio.run(run_validate(config))
    assert all(row["error"] is None for row in rows), rows
    return sum(bool(row["valid"]) for row in rows) / len(rows)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
