"""The stages by name, in the order in which an environment is made."""

from __future__ import annotations

from synthesis.documents.finding import PartName
from synthesis.errors import UnknownName
from synthesis.pipeline.stage import AnyStage
from synthesis.pipeline.stages.outlines import OutlinesStage
from synthesis.pipeline.stages.policy import PolicyStage
from synthesis.pipeline.stages.scenario import ScenarioStage
from synthesis.pipeline.stages.schema import SchemaStage
from synthesis.pipeline.stages.seed_data import SeedDataStage
from synthesis.pipeline.stages.tasks import TasksStage
from synthesis.pipeline.stages.tool_specs import ToolSpecsStage
from synthesis.pipeline.stages.tools import ToolsStage
from synthesis.pipeline.stages.verifiers import VerifiersStage

STAGES: dict[PartName, AnyStage] = {
    "scenario": ScenarioStage(),
    "outlines": OutlinesStage(),
    "policy": PolicyStage(),
    "schema": SchemaStage(),
    "seed_data": SeedDataStage(),
    "tool_specs": ToolSpecsStage(),
    "tools": ToolsStage(),
    "tasks": TasksStage(),
    "verifiers": VerifiersStage(),
}
"""All of them, in order; a stage reads only parts that stand before it."""


def stage(name: str) -> AnyStage:
    """The stage of that name.

    Raises:
        UnknownName: There is none.
    """
    for known, result in STAGES.items():
        if known == name:
            return result
    raise UnknownName("stage", name, list(STAGES))
