"""DatasetCard: what Hugging Face `datasets` reads at the head of README.md to load a folder by its path.

It names the files of each split and the type of every column. Types are given, since a guess from the first
rows fails where a later row calls another tool, and fills the arguments of one call with those of others.
`json` columns need datasets 4.7 or newer, as TRL does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Column = str | dict[str, str]
"""A type by name, or {"list": type}."""

_MESSAGES: Column = {"list": "json"}
"""Messages as they are: with a type for each field, one without calls would have calls of None, at which the
chat templates stop that only ask whether the field is there."""
_TOOLS: Column = {"list": "json"}
_TASK: dict[str, Column] = dict.fromkeys(
    ("environment", "environment_fingerprint", "task_id", "kind", "difficulty", "split"), "string"
)
_TRY: dict[str, Column] = {**_TASK, "agent": "string", "model": "string", "seed": "int64", "user": "string"}
_OUTCOME: dict[str, Column] = {
    "reward": "float64",
    "label": "string",
    "basis": "string",
    "trainable": "bool",
    "stop_reason": "string",
}

_CHAT: dict[str, Column] = {"id": "string", **_TRY, **_OUTCOME, "messages": _MESSAGES, "tools": _TOOLS}

COLUMNS: dict[str, dict[str, Column]] = {
    "chat_jsonl": _CHAT,
    "chat_two_roles": _CHAT,
    "training_samples": {
        "id": "string",
        "trajectory": "string",
        **_TRY,
        **_OUTCOME,
        "history": "string",
        "turn": "int64",
        "turns": "int64",
        "messages": _MESSAGES,
        "loss_mask": {"list": "int64"},
        "tools": _TOOLS,
    },
    "preference_pairs": {
        "id": "string",
        **_TASK,
        "user": "string",
        "margin": "float64",
        "prompt": _MESSAGES,
        "chosen": _MESSAGES,
        "rejected": _MESSAGES,
        "tools": _TOOLS,
        **{
            f"{side}_{name}": kind
            for side in ("chosen", "rejected")
            for name, kind in (
                ("reward", "float64"),
                ("label", "string"),
                ("agent", "string"),
                ("seed", "int64"),
            )
        },
    },
    "tasks": {
        **dict.fromkeys(("environment", "environment_fingerprint", "archive", "task_id", "kind"), "string"),
        **dict.fromkeys(("difficulty", "split", "instruction"), "string"),
    },
    "files": {"file": "string", "environment": "string", "split": "string"},
}
"""Columns by format; "tasks" is what a collection of bundles lists, "files" is the list of files of the
formats that are no lines of JSON."""


def dataset_head(format: str, files: Mapping[str, str]) -> str:
    """The YAML at the head of README.md.

    Args:
        format: One of `COLUMNS`.
        files: Split to the path of its lines; without one there is no data to load, and no head.
    """
    if not files:
        return ""
    splits = [{"split": split, "path": path} for split, path in sorted(files.items())]
    head = {
        "configs": [{"config_name": "default", "data_files": splits}],
        "dataset_info": {"features": _fields(COLUMNS[format])},
    }
    return "\n".join(("---", *_yaml(head), "---", "", ""))


def _fields(columns: Mapping[str, Column]) -> list[dict[str, Any]]:
    return [{"name": name, **_typed(column)} for name, column in columns.items()]


def _typed(column: Column) -> dict[str, Any]:
    return {"dtype": column} if isinstance(column, str) else column


def _yaml(value: Any, indent: str = "") -> Iterator[str]:
    """Objects, lists of objects and plain words as lines of YAML."""
    if isinstance(value, list):
        for item in value:
            first, *rest = _yaml(item, indent + "  ")
            yield f"{indent}- {first.strip()}"
            yield from rest
        return
    for key, inner in value.items():
        if isinstance(inner, str):
            yield f"{indent}{key}: {inner}"
        else:
            yield f"{indent}{key}:"
            yield from _yaml(inner, indent + "  ")
