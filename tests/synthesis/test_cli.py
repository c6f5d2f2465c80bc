from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from synthesis.bundles.native import NativeCodec
from synthesis.bundles.open import open_bundle
from synthesis.cli import console, main
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory
from synthesis.worlds.world import World

ROOT = Path(__file__).parents[2]
ELSEWHERE = b"""
{"environment": "0", "environment_name": "x", "task_id": "t", "agent": "a", "stop_reason": "answered"}
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process: exit status, output, errors."""

    def command(*arguments: str | Path) -> tuple[int, str, str]:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
        texts = capsys.readouterr()
        return status, texts.out, texts.err

    return command


@pytest.fixture(scope="module")
def recorded(clinic: Environment) -> Trajectory:
    """A reference solution as it was really played."""
    task = clinic.tasks.tasks[0]
    steps = []
    with World(clinic) as world, world.instance(seed=5) as instance:
        for index, call in enumerate(task.reference_solution, start=1):
            result = instance.call(call.name, call.arguments)
            steps.append(
                Step(
                    index=index,
                    action=call,
                    status=result.status,
                    observation=result.observation(),
                    changes=result.changes,
                    state_hash=instance.state_hash(),
                )
            )
    steps.append(
        Step(index=len(steps) + 1, action=FinalAnswer(text=task.reference_answer), status="answered")
    )
    return Trajectory(
        environment=clinic.fingerprint,
        environment_name=clinic.name,
        task_id=task.id,
        agent="reference",
        seed=5,
        steps=tuple(steps),
        stop_reason="answered",
    )


def last_json(text: str) -> dict[str, object]:
    return orjson.loads(text.splitlines()[-1])


@pytest.mark.parametrize(
    "command", ["inspect", "verify", "replay", "serve", "export", "inspect-awm", "doctor"]
)
def test_every_command_explains_itself(run: Run, command: str) -> None:
    status, out, _ = run(command, "--help")
    assert status == 0
    assert "usage: worldwright" in out
    assert command in run("--help")[1]


def test_wrong_usage_is_status_2(run: Run) -> None:
    assert run()[0] == 2
    assert run("dance")[0] == 2
    assert run("inspect")[0] == 2


def test_inspect_shows_the_parts(run: Run, clinic_path: Path, clinic: Environment) -> None:
    status, out, _ = run("inspect", clinic_path)
    assert status == 0
    for shown in (
        "Clinic front desk",
        clinic.fingerprint,
        "cancel_appointment",
        "read_total_owed",
        "149 rows",
    ):
        assert shown in out
    assert "It has not been proved" in out


def test_inspect_as_json_is_one_object(run: Run, clinic_path: Path, clinic: Environment) -> None:
    status, out, _ = run("inspect", clinic_path, "--json")
    message = orjson.loads(out)
    assert status == 0
    assert message["fingerprint"] == clinic.fingerprint
    assert message["counts"]["tools"] == 28
    assert message["tables"]["appointments"] == 24


def test_inspect_does_not_read_markup_in_names(run: Run, clinic: Environment, tmp_path: Path) -> None:
    scenario = clinic.scenario.replace(title="[red]Clinic[/red] [link=x]")
    path = NativeCodec().write(Bundle(environment=clinic.replace(scenario=scenario)), tmp_path / "b.zip")
    status, out, _ = run("inspect", path)
    assert status == 0
    assert "[red]Clinic[/red] [link=x]" in out


def test_verify_accepts_every_reference_solution(run: Run, clinic_path: Path) -> None:
    status, out, _ = run("verify", clinic_path, "--json")
    details = last_json(out)
    assert status == 0
    assert details["completed"] is True
    assert {row["label"] for row in details["tasks"]} == {"completed"}
    assert len(details["tasks"]) == 10


def test_verify_fails_where_a_reference_solution_does_not_do_its_task(
    run: Run, clinic: Environment, tmp_path: Path
) -> None:
    tasks = list(clinic.tasks.tasks)
    broken = tasks[0].replace(reference_solution=tasks[0].reference_solution[:-1])
    environment = clinic.replace(tasks=clinic.tasks.replace(tasks=(broken, *tasks[1:])))
    path = NativeCodec().write(Bundle(environment=environment), tmp_path / "b.zip")
    status, out, _ = run("verify", path, "--task", broken.id)
    assert status == 1
    assert broken.id in out
    assert "✗" in out
    assert tasks[1].id not in out
    assert run("verify", path, "--task", tasks[1].id)[0] == 0


def test_verify_names_an_unknown_task(run: Run, clinic_path: Path) -> None:
    status, _, err = run("verify", clinic_path, "--task", "nope")
    assert status == 1
    assert err.startswith("worldwright: There is no task named 'nope'. Known: ")
    assert len(err.splitlines()) == 1


def test_replay_finds_a_recorded_trajectory_unchanged(
    run: Run, clinic: Environment, recorded: Trajectory, tmp_path: Path
) -> None:
    bundle = Bundle(environment=clinic, trajectories=(JudgedTrajectory(trajectory=recorded),))
    path = NativeCodec().write(bundle, tmp_path / "b.zip")
    status, out, _ = run("replay", path, "1")
    assert (status, "✗" in out, "completed" in out) == (0, False, True)
    details = last_json(run("replay", path, "1", "--json")[1])
    assert details["same"] is True
    assert details["verdict"]["reward"] == 1.0
    assert (
        run("replay", path, "2")[2] == "worldwright: Trajectory 2: the bundle contains 1, counted from 1.\n"
    )


def test_replay_says_where_a_trajectory_differs(
    run: Run, clinic_path: Path, recorded: Trajectory, tmp_path: Path
) -> None:
    steps = list(recorded.steps)
    steps[1] = steps[1].replace(observation={"forged": True})
    steps[2] = steps[2].replace(state_hash="0" * 64)
    forged = tmp_path / "t.json"
    forged.write_bytes(orjson.dumps(recorded.replace(steps=tuple(steps)).model_dump(mode="json")))
    status, out, _ = run("replay", clinic_path, forged, "--json")
    details = last_json(out)
    assert status == 1
    assert [row["same"] for row in details["steps"]][:4] == [True, False, False, True]
    assert "forged" in details["steps"][1]["difference"]
    assert details["steps"][2]["difference"].startswith("state: 000000000000 was recorded")


def test_replay_names_the_row_and_the_column_that_differ(
    run: Run, clinic_path: Path, recorded: Trajectory, tmp_path: Path
) -> None:
    index, step = next((i, each) for i, each in enumerate(recorded.steps) if each.changes.changes)
    change = step.changes.changes[0]
    column = next(name for name, value in change.after.items() if isinstance(value, str))
    forged_row = change.replace(after={**change.after, column: "forged"})
    others = step.changes.changes[1:]
    steps = list(recorded.steps)
    steps[index] = step.replace(changes=step.changes.replace(changes=(forged_row, *others)))
    forged = tmp_path / "t.json"
    forged.write_bytes(orjson.dumps(recorded.replace(steps=tuple(steps)).model_dump(mode="json")))
    message = last_json(run("replay", clinic_path, forged, "--json")[1])["steps"][index]
    assert message["rows"] == len(step.changes)
    assert f'row {change.table} {change.key}: {column} "forged" was recorded' in message["difference"]
    (row,) = message["differing_rows"]
    assert (row["table"], row["key"]) == (change.table, change.key)
    assert [each["column"] for each in row["columns"]] == [column]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "cannot be read"),
        (b"{", "is not JSON"),
        (b"{}", "is not a trajectory: environment"),
        (ELSEWHERE, "was recorded in environment 0"),
    ],
)
def test_replay_refuses_what_is_no_trajectory_of_it(
    run: Run, clinic_path: Path, tmp_path: Path, content: bytes | None, text: str
) -> None:
    if content is not None:
        (tmp_path / "t.json").write_bytes(content)
    status, _, err = run("replay", clinic_path, tmp_path / "t.json")
    assert status == 1
    assert text in err


def test_export_writes_a_bundle_that_opens_with_the_same_fingerprint(
    run: Run, clinic_path: Path, clinic: Environment, tmp_path: Path
) -> None:
    status, out, _ = run("export", clinic_path, "--to", "native", "--out", tmp_path / "b.zip")
    assert (status, out) == (0, f"Wrote {tmp_path / 'b.zip'}\n")
    assert open_bundle(tmp_path / "b.zip").environment.fingerprint == clinic.fingerprint


def test_export_lists_its_formats_and_refuses_others(run: Run, clinic_path: Path, tmp_path: Path) -> None:
    status, out, _ = run("export", clinic_path, "--to", "list")
    assert status == 0
    assert "native" in out
    assert (
        "no codec named 'floppy'" in run("export", clinic_path, "--to", "floppy", "--out", tmp_path / "x")[2]
    )
    assert "--out is missing" in run("export", clinic_path, "--to", "native")[2]


def test_inspect_awm_reports_and_says_no_when_something_is_wrong(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("inspect-awm", ROOT / "tests" / "data" / "awm")
    assert status == 0
    assert "e_commerce_storefront" in out
    assert "56 of 127 INSERTs" in out
    folder = shutil.copytree(ROOT / "tests" / "data" / "awm", tmp_path / "awm")
    code = (folder / "gen_envs.jsonl").read_bytes()
    (folder / "gen_envs.jsonl").write_bytes(code.replace(b"uvicorn.run(app,", b"uvicorn.run('m:app',"))
    status, out, _ = run("inspect-awm", folder, "--json")
    assert status == 1
    message = last_json(out)["environments"]
    assert [finding["check"] for finding in message[0]["findings"]].count("the_launcher_can_rewrite_it") == 1


def test_doctor_reports_every_layer(run: Run) -> None:
    status, out, _ = run("doctor", "--json")
    details = last_json(out)
    assert status == (0 if details["usable"] else 1)
    assert {layer["name"] for layer in details["layers"]} >= {"seccomp", "no_new_privs"}
    assert "seccomp" in run("doctor")[1]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--port", "99999"), "--port: "),
        (("--max-instances", "0"), "--max-instances: "),
        (("--token-file", "/nonexistent/token"), "--token-file /nonexistent/token: cannot be read"),
        (("--workers", "0"), "--workers must be from 1 to 256"),
    ],
)
def test_serve_refuses_impossible_options(
    run: Run, clinic_path: Path, options: tuple[str, ...], text: str
) -> None:
    status, _, err = run("serve", clinic_path, *options)
    assert status == 1
    assert text in err
    assert len(err.splitlines()) == 1


def test_a_short_token_is_refused_without_showing_it(run: Run, clinic_path: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("hush")
    _, _, err = run("serve", clinic_path, "--token-file", tmp_path / "token")
    assert "at least 8 characters" in err
    assert "hush" not in err


@pytest.mark.parametrize("command", ["inspect", "verify", "serve"])
def test_what_is_no_bundle_is_one_line_and_status_1(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "b.zip").write_bytes(b"not a zip")
    status, out, err = run(command, tmp_path / "b.zip")
    assert (status, out) == (1, "")
    assert err.startswith(f"worldwright: {tmp_path / 'b.zip'}: is not a readable zip archive")
    assert len(err.splitlines()) == 1


def test_two_bundles_of_one_name_cannot_be_served_together(
    run: Run, clinic_path: Path, tmp_path: Path
) -> None:
    shutil.copytree(clinic_path, tmp_path / "copy")
    status, _, err = run("serve", clinic_path, tmp_path / "copy")
    assert status == 1
    assert "'clinic_front_desk' is already served" in err


def test_a_missing_extra_says_how_to_install_it(clinic_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from synthesis.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", str(clinic_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    text = "worldwright: this command needs uvicorn: pip install 'worldwright[serve]'\n"
    assert (done.returncode, done.stderr) == (1, text)


def test_a_reader_who_leaves_early_is_no_error(clinic_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "synthesis.cli", "inspect", str(clinic_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(60)
    assert errors == b""


def test_texts_of_others_never_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "a\x1b]0;owned\x9b31mz"
    out = console.console()
    out.print(hostile, markup=False)
    out.print(console.table(hostile, ["name", "text"], [[hostile, hostile]]))
    console.complain(hostile)
    console.print_json({"text": hostile})
    texts = capsys.readouterr()
    written = texts.out + texts.err
    assert not any((ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) < 0xA0 for c in written)
    assert written.count("\\x1b]0;owned\\x9b31mz") == 5
    assert orjson.loads(texts.out.splitlines()[-1]) == {"text": hostile}
