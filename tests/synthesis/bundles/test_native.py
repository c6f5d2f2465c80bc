from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from synthesis.bundles.archive import read_files, write_zip
from synthesis.bundles.native import MANIFEST, NativeCodec, bundle_files, bundle_of
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.finding import Finding
from synthesis.documents.review import ReviewDocument, ReviewedFlag
from synthesis.documents.seed_data import SeedData
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Malformed, Step, Trajectory, Usage
from synthesis.documents.verdict import CheckOutcome, Scored, Unscored
from synthesis.errors import InvalidBundle, InvalidInput

CLINIC = Path(__file__).parents[2] / "data" / "clinic_front_desk"
CODEC = NativeCodec()


@pytest.fixture(scope="module")
def clinic_bundle() -> Bundle:
    return CODEC.read(CLINIC)


@pytest.fixture(scope="module")
def rich_bundle(clinic_bundle: Bundle) -> Bundle:
    """A bundle with every optional thing in it, awkward values included."""
    environment = clinic_bundle.environment
    finding = Finding(
        part="tools", check="reads_change_nothing", message="ü — “x”", where="t", evidence=[1, None]
    )
    change = RowChange(
        table="staff", key=("a", 1), kind="updated", before={"x": None}, after={"x": 1.5}, columns=("x",)
    )
    steps = (
        Step(
            index=1,
            action=ToolCall(name="find_patients", arguments={"name": "ü", "deep": [{"a": None}]}),
            status="ok",
            observation={"total": 0, "items": []},
            changes=StateDiff(changes=(change,)),
            state_hash="ab",
            usage=Usage(input_tokens=3, cost=0.1),
        ),
        Step(index=2, action=Malformed(text="<", error="not a call"), status="malformed"),
        Step(index=3, action=FinalAnswer(text=""), status="answered"),
    )
    trajectory = Trajectory(
        environment=environment.fingerprint,
        environment_name=environment.name,
        task_id=environment.tasks.tasks[0].id,
        agent="random",
        steps=steps,
        stop_reason="answered",
    )
    outcome = CheckOutcome(name="done", passed=False, guard=True, detail={"rows": [1]})
    scored = Scored(label="agent_error", reward=0.0, basis="verifier", share=0.5, outcomes=(outcome,))
    return Bundle(
        environment=environment,
        report=CheckReport(
            environment=environment.fingerprint,
            results=(
                CheckResult(claim="it_builds", passed=False, findings=(finding,), figures={"rows": 149}),
            ),
        ),
        reviews=(
            ReviewDocument(
                decision="approve",
                covers={"tools": "x"},
                scores={"a": 5},
                flags=(ReviewedFlag(reason="typo"),),
            ),
        ),
        trajectories=(JudgedTrajectory(trajectory=trajectory, verdicts=(scored, Unscored(error="it died"))),),
    )


def test_the_hand_made_clinic_opens(clinic_bundle: Bundle) -> None:
    environment = clinic_bundle.environment
    assert environment.counts == {"tables": 16, "rows": 149, "tools": 28, "tasks": 10, "verifiers": 10}
    assert environment.seed_data.actor is not None
    assert environment.seed_data.actor.table == "staff"
    assert clinic_bundle.manifest is None


@pytest.mark.parametrize("name", ["b", "b.zip"])
def test_reading_gives_back_all_that_was_written(tmp_path: Path, rich_bundle: Bundle, name: str) -> None:
    again = CODEC.read(CODEC.write(rich_bundle, tmp_path / name))
    assert again.fingerprint == rich_bundle.fingerprint
    assert again.environment.fingerprint == rich_bundle.environment.fingerprint
    assert again.replace(manifest=None) == rich_bundle
    assert again.manifest is not None
    assert again.manifest.environment == rich_bundle.environment.fingerprint


def test_the_clinic_keeps_every_file_it_was_written_by_hand_in(tmp_path: Path, clinic_bundle: Bundle) -> None:
    written = read_files(CODEC.write(clinic_bundle, tmp_path / "b"))
    by_hand = read_files(CLINIC)
    for name in ("policy.md", "schema.sql", "tools.py", *(n for n in by_hand if n.startswith("verifiers/"))):
        assert written[name] == by_hand[name], name
    for name in (n for n in by_hand if n.startswith("seed/")):
        assert lines(written[name]) == lines(by_hand[name]), name
    for details, wrote in zip(lines(by_hand["tasks.jsonl"]), lines(written["tasks.jsonl"]), strict=True):
        assert details.items() <= wrote.items()


def lines(content: bytes) -> list[dict[str, object]]:
    return [orjson.loads(line) for line in content.splitlines()]


def test_two_zips_of_one_bundle_have_the_same_bytes(tmp_path: Path, rich_bundle: Bundle) -> None:
    one = CODEC.write(rich_bundle, tmp_path / "one.zip").read_bytes()
    other = CODEC.write(CODEC.read(tmp_path / "one.zip"), tmp_path / "other.zip").read_bytes()
    assert one == other


def test_verifiers_in_another_order_are_the_same_environment(tmp_path: Path, clinic_bundle: Bundle) -> None:
    environment = clinic_bundle.environment
    verifiers = environment.verifiers.replace(verifiers=tuple(reversed(environment.verifiers.verifiers)))
    turned = Bundle(environment=environment.replace(verifiers=verifiers))
    again = CODEC.read(CODEC.write(turned, tmp_path / "b.zip"))
    assert again.environment.fingerprint == turned.environment.fingerprint == environment.fingerprint


def test_a_table_without_rows_stays_one(tmp_path: Path, clinic_bundle: Bundle) -> None:
    environment = clinic_bundle.environment
    rows = {**environment.seed_data.rows, "messages": ()}
    emptied = environment.replace(seed_data=SeedData(rows=rows, actor=environment.seed_data.actor))
    again = CODEC.read(CODEC.write(Bundle(environment=emptied), tmp_path / "b"))
    assert again.environment.seed_data.rows["messages"] == ()
    assert again.environment.fingerprint == emptied.fingerprint


def test_values_that_json_cannot_say_are_refused_by_name(tmp_path: Path, clinic_bundle: Bundle) -> None:
    environment = clinic_bundle.environment
    rows = {**environment.seed_data.rows, "staff": ({"id": float("inf")},)}
    broken = environment.replace(seed_data=SeedData(rows=rows))
    with pytest.raises(InvalidInput, match=r"seed/staff.jsonl, line 1: id is inf"):
        CODEC.write(Bundle(environment=broken), tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("schema.sql", None, r"schema\.sql: is missing"),
        ("tasks.jsonl", None, r"tasks\.jsonl: is missing"),
        ("environment.json", b"[]", r"environment\.json: format_version must be"),
        ("environment.json", b"{", r"environment\.json, line 1: is not JSON"),
        ("seed/staff.jsonl", b'{"id": 1}\n{"id": \n', r"seed/staff\.jsonl, line 2: is not a JSON value"),
        ("seed/staff.jsonl", b'{"id": true}\n', r"seed/staff\.jsonl, line 1: id"),
        ("seed/staff.jsonl", b"[1]\n", r"seed/staff\.jsonl, line 1"),
        ("seed/ghosts.jsonl", b'{"id": 1}\n', r"seed/ghosts\.jsonl: schema\.sql has no table 'ghosts'"),
        ("policy.md", b"\xff\xfe", r"policy\.md, line 1: is not UTF-8"),
        ("policy.md", b"", r"policy\.md: text"),
        ("tasks.jsonl", b'{"id": "x", "colour": "red"}\n', r"tasks\.jsonl, line 1: .*colour: unknown field"),
        ("tools.json", b"[]", r"tools\.json: expected the tools find_patients"),
        ("tools.py", b"def broken(:\n", r"tools\.py"),
        ("schema.sql", b"CREATE TABLE (", r"schema\.sql"),
        ("reviews.json", b"{}", r"reviews\.json: expected a list"),
        ("trajectories.jsonl", b'{"trajectory": {}}\n', r"trajectories\.jsonl, line 1"),
        ("readme.txt", b"hello", r"readme\.txt: does not belong in a bundle"),
        ("verifiers/sub/x.py", b"pass", r"verifiers/sub/x\.py: does not belong in a bundle"),
        ("verifiers/read_total_owed.py", None, r"task read_total_owed has none"),
        ("verifiers/no_such_task.py", b"def verify(): pass", r"'no_such_task' is not a task"),
    ],
)
def test_a_broken_file_is_named(clinic_bundle: Bundle, name: str, content: bytes | None, text: str) -> None:
    files = bundle_files(clinic_bundle)
    del files[MANIFEST]  # as in a folder somebody edits
    files.pop(name, None)
    if content is not None:
        files[name] = content
    with pytest.raises(InvalidBundle, match=text):
        bundle_of(files)


def test_tasks_of_one_id_are_named(clinic_bundle: Bundle) -> None:
    files = bundle_files(clinic_bundle)
    del files[MANIFEST]
    files["tasks.jsonl"] = files["tasks.jsonl"] * 2
    with pytest.raises(InvalidBundle, match=r"tasks\.jsonl: task ids are used more than once: [a-z]"):
        bundle_of(files)


def test_a_newer_format_is_refused_before_anything_else_is_read(clinic_bundle: Bundle) -> None:
    files = bundle_files(clinic_bundle)
    header = orjson.loads(files["environment.json"]) | {"format_version": 99, "new_field": 1}
    with pytest.raises(InvalidBundle, match=r"format version 99 is newer than 1.*upgrade"):
        bundle_of({"environment.json": orjson.dumps(header)})


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"licence": 3}, "licence"),
        ({"colour": "red"}, r"colour: unknown field \(it has format_version, name"),
        ({"clock": "2026-03-11T08:30:00Z"}, "clock"),
        ({"counts": {"tables": 3}}, r"counts says .* expected .*'tables': 16"),
        ({"name": "Front Desk"}, "name"),
    ],
)
def test_a_wrong_header_is_explained(clinic_bundle: Bundle, change: dict[str, object], text: str) -> None:
    files = bundle_files(clinic_bundle)
    files["environment.json"] = orjson.dumps(orjson.loads(files["environment.json"]) | change)
    del files[MANIFEST]
    with pytest.raises(InvalidBundle, match=f"environment.json: .*{text}"):
        bundle_of(files)


def test_a_tool_that_says_something_else_than_its_source_is_named(clinic_bundle: Bundle) -> None:
    files = bundle_files(clinic_bundle)
    tools = orjson.loads(files["tools.json"])
    tools[1]["description"] = "Delete everything."
    del files[MANIFEST]
    with pytest.raises(
        InvalidBundle, match=r"get_patient\.description: expected \"Show a patient.*not \"Delete every"
    ):
        bundle_of({**files, "tools.json": orjson.dumps(tools)})


def damaged_digest(files: dict[str, bytes]) -> None:
    files["policy.md"] += b"\nSometimes not.\n"


def missing_file(files: dict[str, bytes]) -> None:
    del files["seed/staff.jsonl"]


def extra_file(files: dict[str, bytes]) -> None:
    files["seed/more.jsonl"] = b""


def other_environment(files: dict[str, bytes]) -> None:
    files[MANIFEST] = orjson.dumps(orjson.loads(files[MANIFEST]) | {"environment": "0" * 64})


def unreadable_manifest(files: dict[str, bytes]) -> None:
    files[MANIFEST] = b"{}"


def no_manifest(files: dict[str, bytes]) -> None:
    del files[MANIFEST]


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (damaged_digest, r"policy\.md: was changed after the bundle was written"),
        (missing_file, r"seed/staff\.jsonl: is missing, though manifest\.json lists it"),
        (extra_file, r"seed/more\.jsonl: is not listed in manifest\.json"),
        (other_environment, r"manifest\.json: it names the environment 0000"),
        (unreadable_manifest, r"manifest\.json: environment"),
        (no_manifest, r"contains no manifest\.json"),
    ],
)
def test_a_zip_that_is_not_whole_is_refused(
    tmp_path: Path, clinic_bundle: Bundle, damage: Callable[[dict[str, bytes]], None], text: str
) -> None:
    files = bundle_files(clinic_bundle)
    damage(files)
    with pytest.raises(InvalidBundle, match=text):
        CODEC.read(write_zip(files, tmp_path / "b.zip", folder="b"))


def test_an_edited_folder_opens_once_its_manifest_is_removed(tmp_path: Path, clinic_bundle: Bundle) -> None:
    folder = CODEC.write(clinic_bundle, tmp_path / "b")
    (folder / "policy.md").write_text("Be kind.\n")
    with pytest.raises(InvalidBundle, match=r"remove manifest\.json"):
        CODEC.read(folder)
    (folder / MANIFEST).unlink()
    (folder / "tools.json").unlink()  # derived, so an edited folder may go without it
    assert CODEC.read(folder).environment.policy is not None
    shutil.rmtree(folder)


def test_a_table_name_cannot_lead_out_of_the_folder(clinic_bundle: Bundle) -> None:
    environment = clinic_bundle.environment
    schema = environment.schema.replace(
        tables=(*environment.schema.tables, environment.schema.tables[0].replace(name="../../x"))
    )
    rows = {**environment.seed_data.rows, "../../x": ()}
    strange = environment.replace(schema=schema, seed_data=SeedData(rows=rows))
    assert "seed/..%2F..%2Fx.jsonl" in bundle_files(Bundle(environment=strange))
