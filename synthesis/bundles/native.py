"""Native: the project's own format, a folder or a reproducible zip that loses nothing.

    environment.json   header: format version, names, clock, actor, provenance, counts
    policy.md          the rules, where there are any
    schema.sql         ordered DDL
    seed/<table>.jsonl the rows the world starts with, in CREATE order
    tools.py           the tools; tools.json is derived from it and must agree
    invariants.py      what must hold before and after every call, where any of it is declared
    tasks.jsonl        one task a line
    verifiers/<task>.py
    checks.json, reviews.json, trajectories.jsonl    what was proved, decided and tried, where it was
    dictionary.json    what people call things, where they corrected the names of the design
    manifest.json      SHA-256 of every other file and the environment's fingerprint
    signature.json     whose it is, where somebody signed it: see `synthesis.bundles.signature`

A folder somebody edits by hand may go without manifest.json and tools.json; a zip may not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import orjson
from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from synthesis.bundles import reading
from synthesis.bundles.archive import ANCHOR, read_files, write_folder, write_zip
from synthesis.documents.bundle import Bundle, JudgedTrajectory, Manifest
from synthesis.documents.check_report import CheckReport
from synthesis.documents.dictionary import Dictionary
from synthesis.documents.document import Document, digest
from synthesis.documents.environment import FORMAT_VERSION, Environment, Provenance
from synthesis.documents.invariants import Invariants
from synthesis.documents.policy import Policy, RowRule
from synthesis.documents.reading import ScenarioReading
from synthesis.documents.review import ReviewDocument
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import Actor, Row, SeedData
from synthesis.documents.tasks import Task, Tasks
from synthesis.documents.tools import Toolset
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import BrokenEnvironment, InvalidBundle, InvalidInput
from synthesis.worlds.database import read_schema
from synthesis.worlds.invariants import read_invariants
from synthesis.worlds.toolset import read_toolset

MANIFEST = "manifest.json"
SIGNATURE = "signature.json"
_TOOLS_JSON = "tools.json"
_INVARIANTS = "invariants.py"
_DICTIONARY = "dictionary.json"
_SINGLE = (
    ANCHOR,
    "policy.md",
    "schema.sql",
    "tools.py",
    _TOOLS_JSON,
    _INVARIANTS,
    "tasks.jsonl",
    "checks.json",
    "reviews.json",
    "trajectories.jsonl",
    _DICTIONARY,
    MANIFEST,
    SIGNATURE,
)
_LAYOUT = f"{', '.join(_SINGLE)}, seed/<table>.jsonl and verifiers/<task>.py"
_ROW: TypeAdapter[Row] = TypeAdapter(Row)
_INDENT = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class Header(Document):
    """The content of environment.json."""

    format_version: int
    name: str
    title: str
    category: str
    description: str
    licence: str = "CC0-1.0"
    clock: str
    actor: Actor | None = None
    provenance: dict[str, Provenance] = Field(default_factory=dict)
    counts: dict[str, int] | None = None
    reading: ScenarioReading | None = None
    row_rules: tuple[RowRule, ...] = ()


class NativeCodec:
    """The folder format of the project; a path that ends in .zip is written as an archive."""

    name = "native"
    title = "Worldwright bundle (folder or .zip)"
    loss: tuple[str, ...] = ()
    reads = True
    suffix = ".zip"

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write a folder, or a zip when the path ends in .zip; equal bundles give equal bytes.

        Raises:
            InvalidInput: The path is taken or cannot be written, or a value has no place in JSON.
        """
        files = bundle_files(bundle)
        if path.suffix.lower() == ".zip":
            return write_zip(files, path, folder=bundle.environment.name)
        return write_folder(files, path)

    def read(self, path: Path) -> Bundle:
        """Read a folder or a zip.

        Raises:
            InvalidBundle: It is not a whole, unaltered bundle of this format version.
        """
        return self.of_files(read_files(path), path)

    def of_files(self, files: Mapping[str, bytes], path: Path) -> Bundle:
        """As `read`, of the files that were read at the path."""
        if MANIFEST not in files and not path.is_dir():
            raise InvalidBundle(f"{path}: contains no {MANIFEST}; write the bundle again with this program.")
        return bundle_of(files)


# Writing


def bundle_files(bundle: Bundle) -> dict[str, bytes]:
    """Every file of a bundle by its relative path, manifest included.

    Raises:
        InvalidInput: A value cannot be said in JSON (an integer beyond 64 bits, a lone surrogate).
    """
    try:
        files = {**environment_files(bundle.environment), **_evidence_files(bundle)}
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{bundle.environment.name}: cannot be written as JSON: {error}.") from error
    manifest = Manifest(
        environment=bundle.environment.fingerprint,
        files={name: digest(content) for name, content in sorted(files.items())},
    )
    files[MANIFEST] = orjson.dumps(manifest.model_dump(mode="json"), option=_INDENT)
    return files


def environment_files(environment: Environment) -> dict[str, bytes]:
    """The files of the design alone: no checks, no reviews, no trajectories, no manifest."""
    files = {
        ANCHOR: orjson.dumps(_header(environment), option=_INDENT),
        "schema.sql": environment.schema.sql.encode(),
        "tools.py": environment.tools.source.encode(),
        _TOOLS_JSON: orjson.dumps(_described(environment.tools), option=_INDENT),
        "tasks.jsonl": _lines(task.model_dump(mode="json") for task in environment.tasks.tasks),
    }
    if environment.policy:
        files["policy.md"] = environment.policy.text.encode()
    if environment.invariants:
        files[_INVARIANTS] = environment.invariants.source.encode()
    for table, rows in environment.seed_data.rows.items():
        _refuse_infinities(table, rows)
        files[f"seed/{quote(table, safe=' ')}.jsonl"] = _lines(rows)
    for verifier in environment.verifiers.verifiers:
        files[f"verifiers/{verifier.task_id}.py"] = verifier.source.encode()
    return files


def _evidence_files(bundle: Bundle) -> dict[str, bytes]:
    files = {}
    if bundle.report is not None:
        files["checks.json"] = orjson.dumps(bundle.report.model_dump(mode="json"), option=_INDENT)
    if bundle.reviews:
        reviews = [review.model_dump(mode="json") for review in bundle.reviews]
        files["reviews.json"] = orjson.dumps(reviews, option=_INDENT)
    if bundle.dictionary is not None:
        words = bundle.dictionary.model_dump(mode="json", exclude_defaults=True)
        files[_DICTIONARY] = orjson.dumps(words, option=_INDENT)
    if bundle.trajectories:
        files["trajectories.jsonl"] = _lines(
            judged.model_dump(mode="json", by_alias=True) for judged in bundle.trajectories
        )
    return files


def _header(environment: Environment) -> dict[str, Any]:
    actor, policy = environment.seed_data.actor, environment.policy
    rules = [rule.model_dump(mode="json") for rule in policy.row_rules] if policy else []
    return {
        "format_version": FORMAT_VERSION,
        **environment.scenario.model_dump(mode="json"),
        "actor": actor.model_dump(mode="json") if actor else None,
        "provenance": {
            part: provenance.model_dump(mode="json") for part, provenance in environment.provenance.items()
        },
        "counts": environment.counts,
        **({"row_rules": rules} if rules else {}),
    }


def _refuse_infinities(table: str, rows: tuple[Row, ...]) -> None:
    for number, row in enumerate(rows, start=1):
        for column, value in row.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise InvalidInput(
                    f"seed/{table}.jsonl, line {number}: {column} is {value}, which JSON cannot express."
                )


def _described(toolset: Toolset) -> list[JsonValue]:
    return [tool.model_dump(mode="json", by_alias=True) for tool in toolset.tools]


def _lines(values: Any) -> bytes:
    return b"".join(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE) for value in values)


# Reading


def bundle_of(files: Mapping[str, bytes]) -> Bundle:
    """The bundle that some files are.

    Raises:
        InvalidBundle: They are not a whole, unaltered bundle of this format version.
    """
    header = _read_header(files)
    manifest = _read_manifest(files)
    _refuse_strangers(files)
    # What needs no sandbox is read first: most mistakes are found at once.
    report, reviews, trajectories = _read_report(files), _read_reviews(files), _read_trajectories(files)
    environment = _read_environment(header, files)
    if manifest is not None and manifest.environment != environment.fingerprint:
        raise InvalidBundle(
            f"{MANIFEST}: it names the environment {manifest.environment}, but these files are "
            f"{environment.fingerprint}; write the bundle again."
        )
    return Bundle(
        environment=environment,
        report=report,
        reviews=reviews,
        trajectories=trajectories,
        dictionary=_read_dictionary(files),
        manifest=manifest,
    )


def _read_header(files: Mapping[str, bytes]) -> Header:
    value = reading.json_value(ANCHOR, _file(files, ANCHOR))
    version = value.get("format_version") if isinstance(value, dict) else None
    if type(version) is not int or version < 1:
        raise InvalidBundle(
            f"{ANCHOR}: format_version must be an integer from 1 to {FORMAT_VERSION}, not {version!r}."
        )
    if version > FORMAT_VERSION:
        raise InvalidBundle(
            f"{ANCHOR}: format version {version} is newer than {FORMAT_VERSION}, the newest this program "
            "reads; upgrade worldwright."
        )
    return reading.as_type(ANCHOR, Header, value)


def _read_manifest(files: Mapping[str, bytes]) -> Manifest | None:
    if MANIFEST not in files:
        return None
    manifest = reading.as_type(MANIFEST, Manifest, reading.json_value(MANIFEST, files[MANIFEST]))
    present = set(files) - {MANIFEST, SIGNATURE}
    for name in sorted(set(manifest.files) - present):
        raise InvalidBundle(
            f"{name}: is missing, though {MANIFEST} lists it; copy or write the bundle again."
        )
    for name in sorted(present - set(manifest.files)):
        raise InvalidBundle(f"{name}: is not listed in {MANIFEST}; remove it, or write the bundle again.")
    for name, expected in sorted(manifest.files.items()):
        if digest(files[name]) != expected:
            raise InvalidBundle(
                f"{name}: was changed after the bundle was written (its SHA-256 is not the one in "
                f"{MANIFEST}); copy the bundle again, or remove {MANIFEST} where the edit is your own."
            )
    return manifest


def _refuse_strangers(files: Mapping[str, bytes]) -> None:
    for name in sorted(files):
        folder, _, rest = name.rpartition("/")
        known = (
            name in _SINGLE
            or (folder == "seed" and rest.endswith(".jsonl"))
            or (folder == "verifiers" and rest.endswith(".py"))
        )
        if not known:
            raise InvalidBundle(
                f"{name}: does not belong in a bundle; remove it. A bundle contains {_LAYOUT}."
            )


def _read_environment(header: Header, files: Mapping[str, bytes]) -> Environment:
    try:
        schema = read_schema(reading.text("schema.sql", _file(files, "schema.sql")))
        tasks = _read_tasks(files)
        environment = Environment(
            scenario=_read_scenario(header),
            policy=_read_policy(files, header),
            schema=schema,
            seed_data=_read_seed_data(files, schema, header.actor),
            tools=_read_toolset(files),
            invariants=_read_invariants(files),
            tasks=tasks,
            verifiers=_read_verifiers(files, tasks),
            provenance=header.provenance,
        )
    except BrokenEnvironment as error:
        name = {"schema": "schema.sql", "tools": "tools.py", "invariants": _INVARIANTS}.get(
            error.part, error.part
        )
        where = f"{name}, {error.where}" if error.where else name
        raise InvalidBundle(f"{where}: {error}") from error
    except ValidationError as error:
        raise InvalidBundle(f"The parts do not fit each other: {reading.invalid_fields(error)}") from error
    if header.counts is not None and header.counts != environment.counts:
        raise InvalidBundle(
            f"{ANCHOR}: counts says {header.counts}, expected {environment.counts}; correct it."
        )
    return environment


def _read_scenario(header: Header) -> Scenario:
    fields = header.model_dump(include=set(Scenario.model_fields))
    return reading.as_type(ANCHOR, Scenario, fields)


def _read_policy(files: Mapping[str, bytes], header: Header) -> Policy | None:
    if "policy.md" not in files:
        return None
    text = reading.text("policy.md", files["policy.md"])
    return reading.as_type("policy.md", Policy, {"text": text, "row_rules": header.row_rules})


def _read_toolset(files: Mapping[str, bytes]) -> Toolset:
    toolset = read_toolset(reading.text("tools.py", _file(files, "tools.py")))
    if _TOOLS_JSON not in files and MANIFEST not in files:
        return toolset
    message = reading.json_value(_TOOLS_JSON, _file(files, _TOOLS_JSON))
    derived = _described(toolset)
    if message != derived:
        raise InvalidBundle(
            f"{_TOOLS_JSON}: {_first_difference(message, derived)}; it is derived from tools.py: "
            "remove it or correct it."
        )
    return toolset


def _read_invariants(files: Mapping[str, bytes]) -> Invariants | None:
    return read_invariants(reading.text(_INVARIANTS, files[_INVARIANTS])) if _INVARIANTS in files else None


def _first_difference(messages: Any, derived: list[Any]) -> str:
    """Where tools.json first says something else than tools.py."""
    if not isinstance(messages, list):
        return "expected a list of tools"
    names = [tool.get("name") if isinstance(tool, dict) else None for tool in messages]
    expected = [tool["name"] for tool in derived]
    if names != expected:
        return f"expected the tools {', '.join(expected)} in this order, not {', '.join(map(str, names))}"
    for text, right in zip(messages, derived, strict=True):
        for field in (*right, *text):
            wrong, wanted = text.get(field), right.get(field)
            if wrong != wanted:
                return f"{right['name']}.{field}: expected {_shown(wanted)}, not {_shown(wrong)}"
    return "expected other tools"  # pragma: no cover - unequal lists differ somewhere above


def _shown(value: Any) -> str:
    shown = orjson.dumps(value).decode()
    return shown if len(shown) <= 300 else shown[:300] + "…"


def _read_seed_data(files: Mapping[str, bytes], schema: Schema, actor: Actor | None) -> SeedData:
    results = {unquote(name[5:-6]): name for name in sorted(files) if name.startswith("seed/")}
    order = {table.name: place for place, table in enumerate(schema.tables)}
    for table, name in results.items():
        if table not in order:
            raise InvalidBundle(f"{name}: schema.sql has no table {table!r}; it has {', '.join(order)}.")
    return SeedData(
        rows={
            table: tuple(
                reading.as_type(where, _ROW, value) for where, value in reading.json_lines(name, files[name])
            )
            for table, name in sorted(results.items(), key=lambda item: order[item[0]])
        },
        actor=actor,
    )


def _read_tasks(files: Mapping[str, bytes]) -> Tasks:
    lines = reading.json_lines("tasks.jsonl", _file(files, "tasks.jsonl"))
    tasks = [reading.as_type(where, Task, value) for where, value in lines]
    return reading.as_type("tasks.jsonl", Tasks, {"tasks": tasks})


def _read_verifiers(files: Mapping[str, bytes], tasks: Tasks) -> Verifiers:
    """The verifiers in the order of their tasks; those of no task last."""
    order = {task.id: place for place, task in enumerate(tasks.tasks)}
    names = sorted(name for name in files if name.startswith("verifiers/"))
    verifiers = [
        reading.as_type(name, Verifier, {"task_id": name[10:-3], "source": reading.text(name, files[name])})
        for name in names
    ]
    return Verifiers(verifiers=tuple(sorted(verifiers, key=lambda v: order.get(v.task_id, len(order)))))


def _read_report(files: Mapping[str, bytes]) -> CheckReport | None:
    if "checks.json" not in files:
        return None
    return reading.as_type(
        "checks.json", CheckReport, reading.json_value("checks.json", files["checks.json"])
    )


def _read_dictionary(files: Mapping[str, bytes]) -> Dictionary | None:
    if _DICTIONARY not in files:
        return None
    return reading.as_type(_DICTIONARY, Dictionary, reading.json_value(_DICTIONARY, files[_DICTIONARY]))


def _read_reviews(files: Mapping[str, bytes]) -> tuple[ReviewDocument, ...]:
    if "reviews.json" not in files:
        return ()
    reviews = reading.json_value("reviews.json", files["reviews.json"])
    if not isinstance(reviews, list):
        raise InvalidBundle("reviews.json: expected a list of reviews.")
    return tuple(
        reading.as_type(f"reviews.json, review {number}", ReviewDocument, review)
        for number, review in enumerate(reviews, start=1)
    )


def _read_trajectories(files: Mapping[str, bytes]) -> tuple[JudgedTrajectory, ...]:
    lines = reading.json_lines("trajectories.jsonl", files.get("trajectories.jsonl", b""))
    return tuple(reading.as_type(where, JudgedTrajectory, value) for where, value in lines)


def _file(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise InvalidBundle(
            f"{name}: is missing; a bundle needs {ANCHOR}, schema.sql, tools.py and tasks.jsonl."
        )
    return files[name]
