"""Folder: the files of the Agent World Model's JSONL format, joined by scenario name.

Its readers take the first of several rows of one key and skip nothing; where they would stumble, we say so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from synthesis.documents.finding import Finding, PartName
from synthesis.errors import InvalidBundle

REQUIRED = ("gen_tasks.jsonl", "gen_db.jsonl", "gen_sample.jsonl", "gen_envs.jsonl")
OPTIONAL = ("gen_scenario.jsonl", "gen_spec.jsonl", "gen_verifier.jsonl", "gen_verifier.pure_code.jsonl")
CODE_VERIFIERS = "gen_verifier.pure_code.jsonl"

_PART: dict[str, PartName] = {
    "gen_tasks.jsonl": "tasks",
    "gen_db.jsonl": "schema",
    "gen_sample.jsonl": "seed_data",
    "gen_envs.jsonl": "tools",
    "gen_spec.jsonl": "tools",
    "gen_scenario.jsonl": "scenario",
    "gen_verifier.jsonl": "verifiers",
    CODE_VERIFIERS: "verifiers",
}
CLOCK = datetime(2026, 1, 1, 9, 0)
"""The moment at which statements are run where a folder says none: 'now' must not move."""
_MAX_BYTES = 2 * 2**30
_LONGEST_NAME = 120
_DECIDES = re.compile(r"""["']complete["']""")


def key_of(name: str) -> str:
    """The name under which the predecessor joins its files: lower case, anything else one underscore."""
    return re.sub(r"_+", "_", re.sub(r"[^a-z0-9_]", "_", name.lower())).strip("_")


@dataclass
class AwmScenario:
    """Everything a folder says about one environment."""

    key: str
    title: str
    description: str = ""
    clock: datetime = CLOCK
    """The world's time at the start: what a folder of ours says, else one and the same."""
    tasks: tuple[str, ...] = ()
    ddl: tuple[str, ...] = ()
    """CREATE statements, tables and their indexes in order."""
    inserts: tuple[str, ...] = ()
    code: str = ""
    """The FastAPI module."""
    operations: tuple[str, ...] = ()
    """Operation ids that the specification promises."""
    verifiers: dict[int, str] = field(default_factory=dict)
    """Task index to the source of its code-mode verifier."""
    judged: dict[int, str] = field(default_factory=dict)
    """Task index to the source of its sql-mode verifier, whose result a model is to judge."""
    findings: list[Finding] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The key as the name of an environment, which begins with a letter."""
        return (self.key if self.key[:1].isalpha() else f"awm_{self.key}")[:80]

    def finding(
        self, part: PartName, check: str, message: str, *, where: str = "", severity: Any = "error"
    ) -> None:
        """Note that something is wrong."""
        self.findings.append(
            Finding(part=part, check=check, message=message[:2_000], where=where, severity=severity)
        )


OnProblem = Callable[[str], None]
"""Told a line that cannot be read, with file and number."""


def read_awm_folder(folder: Path, *, on_problem: OnProblem | None = None) -> dict[str, AwmScenario]:
    """The scenarios of a folder by their joined names, in the order of gen_envs.jsonl.

    Args:
        folder: Holds gen_envs.jsonl and the files beside it.
        on_problem: Told each line that is no JSON object, which is then left out; else it is an error.

    Raises:
        InvalidBundle: It is no such folder: a required file is missing, or a line is no JSON object.
    """
    for name in REQUIRED:
        if not (folder / name).is_file():
            raise InvalidBundle(
                f"{folder / name}: is missing; an AWM folder contains {', '.join(REQUIRED)} and may hold "
                f"{', '.join(OPTIONAL)}."
            )
    scenarios: dict[str, AwmScenario] = {}
    for row in _rows(folder, "gen_envs.jsonl", scenarios, on_problem):
        title = row.get("scenario", "")
        if not 0 < len(key_of(title)) <= _LONGEST_NAME:
            _report(f"{folder / 'gen_envs.jsonl'}: {title!r:.200} is no name of a scenario.", on_problem)
            continue
        known = scenarios.get(key_of(title))
        if known is not None:
            text = f"{title!r} and {known.title!r} are the same name to readers, which take the first row."
            if title == known.title:
                text = "gen_envs.jsonl has more than one row for it; readers take the first."
            known.finding("scenario", "names_stay_apart", text)
            continue
        scenarios[key_of(title)] = AwmScenario(key_of(title), title, code=_code(row))
    for name, reader in _READERS.items():
        if (folder / name).is_file():
            _join(folder, name, reader, scenarios, on_problem)
    for scenario in scenarios.values():
        _note_missing(scenario)
    return scenarios


def _join(
    folder: Path, name: str, reader: Any, scenarios: dict[str, AwmScenario], on_problem: OnProblem | None
) -> None:
    seen: set[tuple[str, Any]] = set()
    for row in _rows(folder, name, scenarios, on_problem):
        key = key_of(_name(row))
        scenario = scenarios.get(key)
        if scenario is None:
            continue  # files of one set may cover more scenarios than the environments that were finished
        once = (key, repr(row.get("task_idx")))
        if once in seen:
            which = f" (task {row['task_idx']})" if "task_idx" in row else ""
            scenario.finding(
                _PART[name],
                "rows_stand_once",
                f"{name} has more than one row for it{which}; readers take the first.",
                severity="warning",
            )
            continue
        seen.add(once)
        try:
            reader(scenario, row)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            scenario.finding(
                _PART[name], "rows_have_their_fields", f"{name}: {type(error).__name__}: {error}"
            )


def _rows(
    folder: Path, name: str, scenarios: dict[str, AwmScenario], on_problem: OnProblem | None
) -> Iterator[dict[str, Any]]:
    path = folder / name
    if path.stat().st_size > _MAX_BYTES:
        raise InvalidBundle(f"{path}: is larger than {_MAX_BYTES} bytes.")
    blank: list[int] = []
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                blank.append(number)
                continue
            try:
                yield _row(path, number, line)
            except InvalidBundle as error:
                _report(str(error), on_problem)
    if blank:
        _note_blank_lines(name, blank, scenarios)


def _report(problem: str, on_problem: OnProblem | None) -> None:
    if on_problem is None:
        raise InvalidBundle(problem)
    on_problem(problem)


def _row(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InvalidBundle(f"{path}, line {number}: is not JSON: {error}.") from error
    if not isinstance(row, dict):
        raise InvalidBundle(f"{path}, line {number}: expected a JSON object.")
    if not isinstance(_name(row), str):
        raise InvalidBundle(
            f"{path}, line {number}: expected the name of a scenario, not {_name(row)!r:.200}."
        )
    return row


def _name(row: dict[str, Any]) -> Any:
    """The scenario a row is about; "" where it names none."""
    return row.get("scenario", row.get("name", ""))


def _note_blank_lines(name: str, blank: list[int], scenarios: dict[str, AwmScenario]) -> None:
    """Every scenario of a file is lost to its readers by one such line, so each has the finding."""
    more = f" and {len(blank) - 1} more" if len(blank) > 1 else ""
    finding = Finding(
        part=_PART[name],
        check="files_have_no_blank_line",
        message=f"{name}, line {blank[0]}{more}: is blank; the format's own reader crashes on it.",
        severity="warning",
    )
    for scenario in scenarios.values():
        scenario.findings.append(finding)


def _note_missing(scenario: AwmScenario) -> None:
    lacking: tuple[tuple[bool, PartName, str], ...] = (
        (not scenario.ddl, "schema", "gen_db.jsonl has no tables for it."),
        (not scenario.inserts, "seed_data", "gen_sample.jsonl has no rows for it."),
        (not scenario.tasks, "tasks", "gen_tasks.jsonl has no tasks for it."),
        (not scenario.code.strip(), "tools", "gen_envs.jsonl has no code for it."),
    )
    for missing, part, message in lacking:
        if missing:
            scenario.finding(part, "every_file_knows_the_scenario", message)
    _take_code_from_judged(scenario)
    _note_judged(scenario)
    without = [str(index) for index in range(len(scenario.tasks)) if index not in scenario.verifiers]
    if without:
        scenario.finding(
            "verifiers",
            "every_task_has_a_verifier",
            f"No code-mode verifier for task {', '.join(without)}.",
            severity="warning",
        )


def _take_code_from_judged(scenario: AwmScenario) -> None:
    """Some folders have code-mode verifiers in the file of the other mode: code that decides by itself."""
    for index, source in scenario.judged.items():
        if _DECIDES.search(source):
            scenario.verifiers.setdefault(index, source)


def _note_judged(scenario: AwmScenario) -> None:
    """A verifier that only collects evidence cannot decide; the task is left out until one can."""
    judged = [str(index) for index in scenario.judged if index not in scenario.verifiers]
    if judged:
        scenario.finding(
            "verifiers",
            "every_verifier_decides",
            f"The verifier of task {', '.join(judged)} collects evidence for a model to judge; write one "
            'that returns {"result": "complete"} or {"result": "others"}.',
            severity="warning",
        )


def _code(row: dict[str, Any]) -> str:
    code = row.get("full_code")
    return code if isinstance(code, str) else ""


def _text(row: dict[str, Any], name: str) -> str:
    value = row[name]
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, not {value!r:.100}")
    return value


def _texts(row: dict[str, Any], name: str) -> tuple[str, ...]:
    """A list of texts; null is an empty one. A text alone is no list: each of its letters would be one."""
    value = row[name] if row[name] is not None else []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{name} must be a list of texts")
    return tuple(value)


def _index(scenario: AwmScenario, row: dict[str, Any]) -> int:
    """The task a verifier is for, as readers compare it: "3" and 3.0 are not the number 3 of a task."""
    index = row["task_idx"]
    if type(index) is not int:
        raise ValueError(f"task_idx must be a whole number, not {index!r:.100}; its verifier is left out")
    if not 0 <= index < (len(scenario.tasks) or index + 1):
        raise ValueError(f"task_idx {index} is none of its {len(scenario.tasks)} tasks, counted from 0")
    return index


def _read_scenario(scenario: AwmScenario, row: dict[str, Any]) -> None:
    scenario.description = _text(row, "description")
    if "clock" in row:
        scenario.clock = datetime.fromisoformat(_text(row, "clock")).replace(tzinfo=None)


def _read_tasks(scenario: AwmScenario, row: dict[str, Any]) -> None:
    scenario.tasks = _texts(row, "tasks")


def _read_db(scenario: AwmScenario, row: dict[str, Any]) -> None:
    tables = row["db_schema"]["tables"]
    scenario.ddl = tuple(
        statement
        for table in tables
        for statement in (_text(table, "ddl"), *_texts({"indexes": None, **table}, "indexes"))
    )
    examples = tuple(insert for table in tables for insert in _texts({"examples": None, **table}, "examples"))
    scenario.inserts = (*examples, *scenario.inserts)


def _read_sample(scenario: AwmScenario, row: dict[str, Any]) -> None:
    tables = row["sample_data"]["tables"]
    inserts = tuple(insert for table in tables for insert in _texts(table, "insert_statements"))
    scenario.inserts = (*scenario.inserts, *inserts)


def _read_spec(scenario: AwmScenario, row: dict[str, Any]) -> None:
    scenario.operations = tuple(
        str(endpoint["operation_id"])
        for group in row["api_spec"]["api_groups"]
        for endpoint in group["endpoints"]
        if endpoint.get("operation_id")
    )


def _read_verifier(scenario: AwmScenario, row: dict[str, Any]) -> None:
    scenario.verifiers[_index(scenario, row)] = _text(row["verification"], "code")


def _read_judged(scenario: AwmScenario, row: dict[str, Any]) -> None:
    scenario.judged[_index(scenario, row)] = _text(row["verification"], "code")


_READERS = {
    "gen_scenario.jsonl": _read_scenario,
    "gen_tasks.jsonl": _read_tasks,
    "gen_db.jsonl": _read_db,
    "gen_sample.jsonl": _read_sample,
    "gen_spec.jsonl": _read_spec,
    "gen_verifier.jsonl": _read_judged,
    CODE_VERIFIERS: _read_verifier,
}
