"""What every codec promises, whichever it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from synthesis.bundles.codec import Codec
from synthesis.bundles.registry import CODECS, codec, usable
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory
from synthesis.documents.verdict import Scored
from synthesis.errors import InvalidBundle, InvalidInput, UnknownName


@pytest.fixture(params=usable())
def each(request: pytest.FixtureRequest) -> Codec:
    return CODECS[request.param]


@pytest.fixture
def bundle(clinic: Environment) -> Bundle:
    """The clinic with one judged trajectory."""
    task = clinic.tasks.tasks[0]
    calls = [
        Step(index=n, action=call, status="ok", observation={"n": n})
        for n, call in enumerate(task.reference_solution, start=1)
    ]
    answer = Step(index=len(calls) + 1, action=FinalAnswer(text=task.reference_answer), status="answered")
    trajectory = Trajectory(
        environment=clinic.fingerprint,
        environment_name=clinic.name,
        task_id=task.id,
        agent="reference",
        steps=(*calls, answer),
        stop_reason="answered",
    )
    verdict = Scored(label="completed", reward=1.0, basis="verifier", share=1.0)
    return Bundle(
        environment=clinic, trajectories=(JudgedTrajectory(trajectory=trajectory, verdicts=(verdict,)),)
    )


def test_its_name_is_the_one_it_is_registered_by(each: Codec) -> None:
    assert CODECS[each.name] is each
    assert codec(each.name) is each
    assert each.title


def test_a_format_that_reads_gives_back_the_fingerprint_or_declares_its_loss(
    each: Codec, bundle: Bundle, tmp_path: Path
) -> None:
    written = each.write(bundle, tmp_path / "out")
    assert written.exists()
    if not each.reads:
        assert each.loss, "a format that cannot be read back says what it lacks"
        with pytest.raises(InvalidInput, match=each.name):
            each.read(written)
        return
    again = each.read(written)
    if not each.loss:
        assert again.fingerprint == bundle.fingerprint


def test_a_name_that_ends_as_its_files_do_gives_one_file(each: Codec, bundle: Bundle, tmp_path: Path) -> None:
    assert each.write(bundle, tmp_path / f"out{each.suffix}").is_file()


def test_writing_twice_gives_the_same_bytes(each: Codec, bundle: Bundle, tmp_path: Path) -> None:
    if any("equal bytes" in lost for lost in each.loss):
        pytest.skip("this format says that its bytes differ")
    one, other = each.write(bundle, tmp_path / "one"), each.write(bundle, tmp_path / "other")
    assert contents(one) == contents(other)


def test_nothing_but_the_result_is_left_behind(each: Codec, bundle: Bundle, tmp_path: Path) -> None:
    written = each.write(bundle, tmp_path / "out")
    assert list(tmp_path.iterdir()) == [written]


def test_a_path_that_cannot_be_written_is_named(each: Codec, bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InvalidInput, match="file"):
        each.write(bundle, tmp_path / "file" / "out")


def test_what_is_no_such_bundle_is_refused(each: Codec, tmp_path: Path) -> None:
    (tmp_path / "nonsense").write_bytes(b"\x00nonsense")
    with pytest.raises((InvalidBundle, InvalidInput)):
        each.read(tmp_path / "nonsense")
    with pytest.raises((InvalidBundle, InvalidInput)):
        each.read(tmp_path / "missing")


def test_an_unknown_codec_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"no codec named 'zip99'.*native"):
        codec("zip99")


def contents(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {
        str(each.relative_to(path)): each.read_bytes() for each in sorted(path.rglob("*")) if each.is_file()
    }


def test_the_bundle_of_this_test_has_a_call_and_an_answer(bundle: Bundle) -> None:
    actions = [type(step.action) for step in bundle.trajectories[0].trajectory.steps]
    assert ToolCall in actions
    assert actions[-1] is FinalAnswer
