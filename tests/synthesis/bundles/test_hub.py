"""What is pushed to a dataset hub, and what never is."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from synthesis.bundles.hub import plan, push
from synthesis.bundles.native import NativeCodec
from synthesis.cli import main
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.errors import HubRefused, InvalidBundle, InvalidInput


class Recorded:
    """Stands for the hub: what it was asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._error = error

    def __getattr__(self, name: str) -> Any:
        def ask(*positional: str, **given: Any) -> str:
            if self._error is not None:
                raise self._error
            self.asked.append((name, {**given, **({"repo_id": positional[0]} if positional else {})}))
            return "https://hub.example/commit/1"

        return ask


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    exported = tmp_path / "exported"
    (exported / "data").mkdir(parents=True)
    (exported / "README.md").write_text("# Samples\n")
    (exported / "data" / "train [1].jsonl").write_text('{"id": 1}\n')
    (exported / ".env").write_text("HF_TOKEN=x\n")
    return exported


def test_a_plan_names_every_file_with_its_digest_and_leaves_hidden_ones(folder: Path) -> None:
    planned = plan(folder, "team/samples")
    assert [file.path for file in planned.files] == ["README.md", "data/train [1].jsonl"]
    assert planned.files[0].sha256 == hashlib.sha256(b"# Samples\n").hexdigest()
    assert planned.size == 20
    assert planned.private
    assert planned.remarks == ()


def test_what_was_planned_is_sent_as_one_commit(folder: Path) -> None:
    hub, planned = Recorded(), plan(folder, "team/samples", branch="draft")
    assert push(folder, planned, hub, message="First") == "https://hub.example/commit/1"
    assert [name for name, _ in hub.asked] == ["create_repo", "create_branch", "upload_folder"]
    assert hub.asked[0][1]["private"] is True
    sent = hub.asked[2][1]
    assert (sent["repo_id"], sent["repo_type"], sent["revision"]) == ("team/samples", "dataset", "draft")
    assert sent["allow_patterns"] == ["README.md", "data/train [[]1].jsonl"]


def test_a_file_that_changed_after_the_look_is_not_sent(folder: Path) -> None:
    hub, planned = Recorded(), plan(folder, "team/samples")
    (folder / "README.md").write_text("# Other\n")
    with pytest.raises(InvalidInput, match="has changed since it was looked at"):
        push(folder, planned, hub, message="First")
    assert hub.asked == []


@pytest.mark.parametrize("secret", ["-----BEGIN PRIVATE KEY-----", f"hf_{'a' * 34}", f"ww_{'b' * 43}"])
def test_a_secret_stops_the_push_also_across_pieces(secret: str, folder: Path) -> None:
    (folder / "data" / "large.txt").write_text("x" * (2**20 - 10) + " " + secret)
    with pytest.raises(InvalidInput, match=r"large\.txt: contains a private key or a token"):
        plan(folder, "team/samples")


@pytest.mark.parametrize("name", ["samples", "team/", "../x/y", "team/a b", ""])
def test_a_name_that_is_none_is_refused(name: str, folder: Path) -> None:
    with pytest.raises(InvalidInput, match="give OWNER/NAME"):
        plan(folder, name)


def test_links_and_empty_folders_are_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "link").symlink_to("/etc/hostname")
    with pytest.raises(InvalidInput, match="link: is a link"):
        plan(folder, "team/samples")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="no files to send"):
        plan(tmp_path / "empty", "team/samples")
    with pytest.raises(InvalidInput, match="no such file"):
        plan(tmp_path / "nothing", "team/samples")


def test_a_bundle_is_opened_and_an_unapproved_one_is_remarked(clinic: Environment, tmp_path: Path) -> None:
    path = tmp_path / "clinic.zip"
    NativeCodec().write(Bundle(environment=clinic), path)
    planned = plan(path, "team/worlds", private=False)
    assert planned.remarks == (
        "No review in this bundle approves the environment.",
        "Everybody will be able to read it.",
    )
    hub = Recorded()
    push(path, planned, hub, message="World")
    assert hub.asked[-1][1]["path_in_repo"] == "clinic.zip"
    path.write_bytes(path.read_bytes().replace(b"clinic_front_desk", b"clinic_front_dusk"))
    with pytest.raises(InvalidBundle):
        plan(path, "team/worlds")


def test_what_the_hub_answers_is_passed_on_with_what_to_do(folder: Path) -> None:
    denied = OSError("401 Client Error: Invalid username or password.")
    denied.response = type("Response", (), {"status_code": 401})()  # type: ignore[attr-defined]
    with pytest.raises(HubRefused, match=r"Invalid username.*Set HF_TOKEN"):
        push(folder, plan(folder, "team/samples"), Recorded(denied), message="First")
    with pytest.raises(HubRefused, match=r"refused\. Nothing is lost"):
        push(folder, plan(folder, "team/samples"), Recorded(ConnectionError("refused.")), message="First")


def test_the_command_sends_nothing_unless_it_is_told_to(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["push", str(folder), "team/samples"]) == 0
    assert "Nothing was sent. --send makes the private repository" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["push", str(folder), "samples"]) == 1
    assert "give OWNER/NAME" in capsys.readouterr().err
