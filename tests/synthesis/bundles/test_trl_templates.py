"""Every chat template that TRL ships renders every call, from one of the two chat formats.

Run where TRL is unpacked, its dependencies are not needed: pip download --no-deps trl, unzip it, then
PYTHONPATH=<folder> pytest tests/synthesis/bundles/test_trl_templates.py
"""

from __future__ import annotations

import copy
import json
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import pytest
from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from synthesis.bundles.chat_jsonl import chat_line, two_roles_line
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory

SPEC = find_spec("trl")
if SPEC is None or not SPEC.submodule_search_locations:
    pytest.skip("the library trl is not unpacked", allow_module_level=True)
TEMPLATES = sorted(Path(SPEC.submodule_search_locations[0]).glob("chat_templates/*.jinja"))

STOP = ("cohere", "deepseekv3", "gemma", "gemma3", "idefics3", "llava_next", "smolvlm")
"""Stop at tool messages or, deepseekv3, at arguments that are objects."""
DROP = ("deepseek_r1_distill", "lfm2", "llama3", "phi3", "phi3_5", "qwen2_5_vl")
"""Render tool messages and leave the calls out."""
VISION = ("idefics3", "llava_next", "smolvlm")
"""Take contents as lists of parts, as TRL's `prepare_multimodal_messages` makes them."""


class Generation(Extension):
    """`{% generation %}`, by which transformers finds what an assistant wrote."""

    tags: ClassVar[set[str]] = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def stop(message: str) -> None:
    raise TemplateError(message)


def rendered(path: Path, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
    """The conversation as transformers renders it."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = lambda value, indent=None, **_: json.dumps(
        value, ensure_ascii=False, indent=indent
    )
    environment.globals |= {
        "raise_exception": stop,
        "strftime_now": datetime(2026, 3, 11).strftime,
    }
    return environment.from_string(path.read_text()).render(
        messages=copy.deepcopy(messages), tools=tools or None, bos_token="<s>", eos_token="</s>"
    )


def in_parts(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**each, "content": [{"type": "text", "text": each["content"]}]} for each in messages]


@pytest.fixture(scope="module")
def bundle(clinic: Environment) -> Bundle:
    steps = (
        Step(index=1, action=ToolCall(name="find_patients", arguments={"name": "Aune"}), status="ok",
             observation={"n": 1}),
        Step(index=2, action=ToolCall(name="book", arguments={"slot": {"day": "Friday"}}), status="ok",
             observation={"n": 2}),
        Step(index=3, action=FinalAnswer(text="Done."), status="answered"),
    )  # fmt: skip
    trajectory = Trajectory(
        environment=clinic.fingerprint,
        environment_name=clinic.name,
        task_id=clinic.tasks.tasks[0].id,
        agent="chat",
        steps=steps,
        stop_reason="answered",
    )
    return Bundle(environment=clinic, trajectories=(JudgedTrajectory(trajectory=trajectory, verdicts=()),))


def family(path: Path, names: tuple[str, ...]) -> bool:
    stem = path.stem.removesuffix("_training")
    return any(stem == name or (name == "cohere" and stem == "cohere2") for name in names)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_every_call_is_in_what_a_template_renders(bundle: Bundle, path: Path) -> None:
    two = family(path, STOP) or family(path, DROP)
    line = (two_roles_line if two else chat_line)(bundle, bundle.trajectories[0])
    messages = in_parts(line["messages"]) if family(path, VISION) else line["messages"]
    text = rendered(path, messages, line["tools"])
    for value in ("find_patients", "Aune", "book", "Friday", "Done."):
        assert value in text.partition(bundle.environment.tasks.tasks[0].instruction)[2], value
