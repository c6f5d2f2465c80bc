"""Every example runs, and each adapter needs its own library alone."""

from __future__ import annotations

import ast
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synthesis.documents.environment import Environment
from tests.synthesis.serving.conftest import Served

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ADAPTERS = sorted((ROOT / "synthesis" / "adapters").glob("[a-z]*.py"))
SHARED = {"anyio", "orjson", "pydantic", "synthesis", *sys.stdlib_module_names}
OWN = {
    "client": {"httpx"},
    "gymnasium": {"gymnasium"},
    "harbor": set(),
    "inspect_ai": {"inspect_ai"},
    "ray": {"ray"},
    "trl": set(),
    "verifiers": {"verifiers", "mcp"},
}


def example(name: str) -> Callable[..., Any]:
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"]


def imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.stem)
def test_an_adapter_needs_its_own_library_alone(path: Path) -> None:
    modules = imported(path)
    assert not any(module.startswith("synthesis.adapters") for module in modules)
    assert {module.partition(".")[0] for module in modules} - SHARED <= OWN[path.stem]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_takes_at_most_twenty_lines_of_glue(path: Path) -> None:
    tree = ast.parse(path.read_text())
    documented = tree.body[0].end_lineno or 0
    lines = path.read_text().splitlines()[documented:]
    glue = [
        line for line in lines if line.strip() and not line.startswith(("import ", "from ", "if __name__"))
    ]
    assert len(glue) <= 20


def test_the_remote_client_example_runs(clinic_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    served = Served(str(clinic_path))
    try:
        assert example("remote_client")(served.url, "read_total_owed") == 1.0
    finally:
        served.stop()
    assert "/mcp" in capsys.readouterr().out


def test_the_gymnasium_example_runs(clinic_path: Path) -> None:
    rewards = example("gymnasium_vector")(str(clinic_path))
    assert rewards[:3] == [1.0, 1.0, 0.0]


def test_the_harbor_example_runs(clinic_path: Path, clinic: Environment, tmp_path: Path) -> None:
    assert len(example("harbor_tasks")(str(clinic_path), str(tmp_path))) == len(clinic.tasks.tasks)


def test_the_trl_example_runs(
    clinic_path: Path, clinic: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TRL and datasets are heavy: what stands for them here plays each row's reference."""
    rewards: list[float | None] = []

    class Trainer:
        def __init__(self, model: str, **given: Any) -> None:
            self.given = given

        def train(self) -> None:
            for row in self.given["train_dataset"]:
                environment = self.given["environment_factory"]()
                assert environment.reset(**row) is None
                task = clinic.task(row["task_id"])
                assert task is not None
                for call in task.reference_solution:
                    getattr(environment, call.name)(**call.arguments)
                completion = [{"role": "assistant", "content": task.reference_answer}]
                rewards.extend(
                    self.given["reward_funcs"](completions=[completion], environments=[environment])
                )

    dataset = types.SimpleNamespace(from_list=list)
    config = lambda **values: values  # noqa: E731
    for name, values in {
        "datasets": {"Dataset": dataset},
        "trl": {"GRPOTrainer": Trainer, "GRPOConfig": config},
    }.items():
        module = types.ModuleType(name)
        module.__dict__.update(values)
        monkeypatch.setitem(sys.modules, name, module)
    trainer = example("trl_grpo")(str(clinic_path), "a-model")
    trainer.given["environment_factory"]._world.close()
    assert rewards == [1.0] * len(clinic.tasks.tasks)
