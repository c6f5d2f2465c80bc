"""Calls in exported conversations render in chat templates: as JSON, or field by field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment

from synthesis.bundles.chat_jsonl import ChatJsonlCodec, ChatTwoRolesCodec, chat_line
from synthesis.bundles.conversation import read_arguments, system_prompt
from synthesis.bundles.dataset_card import COLUMNS, dataset_head
from synthesis.bundles.splits import Assignment
from synthesis.bundles.training_data import PreferencePairsCodec, TrainingSamplesCodec
from synthesis.bundles.trajectory_archive import TrajectoryArchive
from synthesis.bundles.two_roles import in_two_roles
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory
from synthesis.documents.verdict import Scored

FIND = ToolCall(name="find_patients", arguments={"name": "Ünal", "age": 7, "tags": ["a", None]})
BOOK = ToolCall(name="book", arguments={"slot": {"day": "2026-03-11"}})

AS_JSON = (
    "{% for m in messages %}{% for c in m.tool_calls or [] %}"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n'
    "{% endfor %}{% endfor %}"
)
"""As Qwen 2.5 and Llama 3.1 write calls: text would be quoted once more."""

BY_FIELD = (
    "{% for m in messages %}{% if 'tool_calls' in m %}{% for c in m['tool_calls'] %}"
    "<function={{ c['function']['name'] }}>"
    "{% for name, value in c['function']['arguments'].items() %}"
    "<{{ name }}>{{ value if value is string else value | tojson }}</{{ name }}>"
    "{% endfor %}{{ '\\n' }}{% endfor %}{% endif %}{% endfor %}"
)
"""As Qwen 3 Coder and GLM write them; they ask whether there are calls by the field alone."""


def judged(clinic: Environment, *, answer: str, reward: float) -> JudgedTrajectory:
    steps = (
        Step(index=1, action=FIND, status="ok", observation={"n": 1}),
        Step(index=2, action=BOOK, status="ok", observation={"n": 2}),
        Step(index=3, action=FinalAnswer(text=answer), status="answered"),
    )
    trajectory = Trajectory(
        environment=clinic.fingerprint,
        environment_name=clinic.name,
        task_id=clinic.tasks.tasks[0].id,
        agent="chat",
        steps=steps,
        stop_reason="answered",
    )
    label = "completed" if reward else "agent_error"
    verdict = Scored(label=label, reward=reward, basis="verifier", share=reward)
    return JudgedTrajectory(trajectory=trajectory, verdicts=(verdict,))


@pytest.fixture
def bundle(clinic: Environment) -> Bundle:
    episodes = (judged(clinic, answer="Done.", reward=1.0), judged(clinic, answer="No.", reward=0.0))
    return Bundle(environment=clinic, trajectories=episodes)


def conversations(bundle: Bundle, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The last conversation of every training format, as a trainer reads it from the files."""
    chat = orjson.loads(ChatJsonlCodec().write(bundle, folder / "c.jsonl").read_bytes().splitlines()[0])
    samples = _lines(TrainingSamplesCodec().write(bundle, folder / "s"))
    (pair,) = _lines(PreferencePairsCodec().write(bundle, folder / "p"))
    return {
        "chat_jsonl": chat["messages"],
        "training_samples": samples[2]["messages"],
        "chosen": pair["prompt"] + pair["chosen"],
        "rejected": pair["prompt"] + pair["rejected"],
    }


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for file in folder.glob("data/*") for line in file.read_bytes().splitlines()]


def rendered(template: str, messages: list[dict[str, Any]]) -> list[str]:
    """The template's lines, rendered as transformers renders them."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = pytest.fail
    return environment.from_string(template).render(messages=messages).splitlines()


@pytest.mark.parametrize("format", ["chat_jsonl", "training_samples", "chosen", "rejected"])
def test_calls_render_in_both_kinds_of_chat_templates(bundle: Bundle, tmp_path: Path, format: str) -> None:
    messages = conversations(bundle, tmp_path)[format]
    assert [json.loads(line) for line in rendered(AS_JSON, messages)] == [
        {"name": "find_patients", "arguments": {"name": "Ünal", "age": 7, "tags": ["a", None]}},
        {"name": "book", "arguments": {"slot": {"day": "2026-03-11"}}},
    ]
    assert rendered(BY_FIELD, messages) == [
        '<function=find_patients><name>Ünal</name><age>7</age><tags>["a", null]</tags>',
        '<function=book><slot>{"day": "2026-03-11"}</slot>',
    ]


TWO_ROLES = (
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) "
    "or m['role'] not in ('user', 'assistant') %}{{ raise_exception('Roles must alternate') }}{% endif %}"
    "<{{ m['role'] }}>{{ m['content'] }}</{{ m['role'] }}>{{ '\\n' }}{% endfor %}"
)
"""As Gemma, Cohere and llava write conversations: they stop at system and tool messages."""


def test_a_conversation_in_two_roles_renders_where_there_are_no_others(
    bundle: Bundle, tmp_path: Path
) -> None:
    written = ChatTwoRolesCodec().write(bundle, tmp_path / "two.jsonl").read_bytes().splitlines()[0]
    line = orjson.loads(written)
    text = "\n".join(rendered(TWO_ROLES, line["messages"]))
    assert line["tools"] == []
    assert text.count("<user>") == text.count("<assistant>") == 3
    for tool in bundle.environment.tools.tools:
        assert f'"name":"{tool.name}"' in text.partition("<assistant>")[0]
    assert text.index(system_prompt(bundle.environment)) < text.index("# Tools")
    assert text.index("# Tools") < text.index(bundle.environment.tasks.tasks[0].instruction)
    calls = [json.loads(each.partition("</tool_call>")[0]) for each in text.split("<tool_call>")[2:]]
    assert calls == [
        {"name": "find_patients", "arguments": {"name": "Ünal", "age": 7, "tags": ["a", None]}},
        {"name": "book", "arguments": {"slot": {"day": "2026-03-11"}}},
    ]
    assert '<user><tool_response>\n{"n":1}\n</tool_response></user>' in text
    assert text.endswith("<assistant>Done.</assistant>")


def test_what_one_role_says_in_a_row_is_one_message() -> None:
    def call(name: str) -> dict[str, Any]:
        return {"function": {"name": name, "arguments": {}}}

    messages = [
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": "At once.", "tool_calls": [call("a"), call("b")]},
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": "2"},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": None, "tool_calls": []},
    ]
    assert in_two_roles(messages, []) == [
        {"role": "user", "content": "Do it."},
        {
            "role": "assistant",
            "content": 'At once.\n<tool_call>\n{"name":"a","arguments":{}}\n</tool_call>\n'
            '<tool_call>\n{"name":"b","arguments":{}}\n</tool_call>',
        },
        {
            "role": "user",
            "content": "<tool_response>\n1\n</tool_response>\n\n<tool_response>\n2\n</tool_response>\n\nAnd?",
        },
        {"role": "assistant", "content": ""},
    ]


@pytest.mark.parametrize(
    "written", ["[" * 2_000 + "]" * 2_000, '{"a":' * 400 + "1" + "}" * 400, '{"a": NaN}']
)
def test_arguments_that_cannot_be_written_again_stay_text(written: str) -> None:
    assert read_arguments(written) == {"malformed_arguments": written}
    orjson.dumps(read_arguments(written))


# The head of README.md, by which `datasets` loads a folder; test_trainers_load.py loads it for real.


def head(folder: Path) -> dict[str, Any]:
    _, text, _ = (folder / "README.md").read_text().split("---\n", 2)
    read: dict[str, Any] = yaml.safe_load(text)
    return read


@pytest.mark.parametrize(
    ("format", "codec"),
    [("training_samples", TrainingSamplesCodec()), ("preference_pairs", PreferencePairsCodec())],
)
def test_the_card_names_every_file_and_every_column(
    bundle: Bundle, tmp_path: Path, format: str, codec: TrainingSamplesCodec | PreferencePairsCodec
) -> None:
    folder = codec.write(bundle, tmp_path / "out")
    read = head(folder)
    (config,) = read["configs"]
    paths = [each["path"] for each in config["data_files"]]
    assert [folder / path for path in paths] == sorted(folder.glob("data/*.jsonl"))
    columns = [each["name"] for each in read["dataset_info"]["features"]]
    for line in _lines(folder):
        assert sorted(columns) == sorted(line)
    assert columns == list(COLUMNS[format])


@pytest.mark.parametrize(
    "format", ["chat_jsonl", "chat_two_roles", "training_samples", "preference_pairs", "atif"]
)
def test_an_archive_of_many_environments_has_such_a_card_too(
    bundle: Bundle, tmp_path: Path, format: str
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    archive = TrajectoryArchive(folder, format)
    environment = bundle.environment
    archive.place(environment.name, environment.fingerprint, Assignment(split="train", by="share", moved={}))
    archive.add(environment, bundle.trajectories)
    archive.finish(tmp_path / "out.zip", details={})
    (file,) = head(folder)["configs"][0]["data_files"]
    assert file["split"] == "train"
    lines = [orjson.loads(line) for line in (folder / file["path"]).read_bytes().splitlines()]
    columns = [each["name"] for each in head(folder)["dataset_info"]["features"]]
    assert lines
    for line in lines:
        assert sorted(columns) == sorted(line)
        if format == "atif":
            assert (folder / line["file"]).is_file()


def test_a_chat_line_has_the_columns_of_its_card(bundle: Bundle) -> None:
    assert sorted(chat_line(bundle, bundle.trajectories[0])) == sorted(COLUMNS["chat_jsonl"])


def test_without_lines_there_is_nothing_to_load() -> None:
    assert dataset_head("chat_jsonl", {}) == ""
