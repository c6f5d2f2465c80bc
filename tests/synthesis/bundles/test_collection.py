"""Collections: what is in one, how it is checked, and that nothing in it can be changed unseen."""

from __future__ import annotations

import json
import subprocess
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synthesis.bundles.archive import ArchiveLimits, pack
from synthesis.bundles.collection import FORMAT, collection_files, is_collection, open_collection
from synthesis.bundles.native import NativeCodec
from synthesis.bundles.signature import check_signer, sign_bundle
from synthesis.cli.command_line import main
from synthesis.documents.bundle import Bundle
from synthesis.documents.document import digest
from synthesis.documents.environment import Environment
from synthesis.errors import InvalidBundle, InvalidInput

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def files(clinic: Environment, tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Two environments in two splits; the second is the clinic under another name."""
    folder = tmp_path_factory.mktemp("bundles")
    scenario = clinic.scenario
    other = clinic.replace(scenario=scenario.model_copy(update={"name": "second_desk", "title": "Second"}))
    entries, bundles = [], {}
    for split, environment in (("train", clinic), ("test", other)):
        name = f"bundles/{environment.name}.zip"
        content = NativeCodec().write(Bundle(environment=environment), folder / f"{split}.zip").read_bytes()
        bundles[name] = content
        entries.append(entry(environment, split, name, content))
    index = {"format": FORMAT, "title": "Two desks", "environments": entries}
    tasks = {each.name: each.tasks.tasks for each in (clinic, other)}
    return {**collection_files(index, tasks), **bundles}


def entry(environment: Environment, split: str, archive: str, content: bytes) -> dict[str, Any]:
    return {
        "name": environment.name,
        "title": environment.scenario.title,
        "category": "health",
        "split": split,
        "licence": "CC0-1.0",
        "provenance": {"schema": {"author": "hand"}, "tools": {"author": "model"}},
        "waivers": [],
        "fingerprint": environment.fingerprint,
        "archive": archive,
        "sha256": digest(content),
    }


@pytest.fixture
def written(files: Files, tmp_path: Path) -> Callable[..., Path]:
    """Writes the collection as an archive, with some files changed, added or (None) left out."""

    def write(**changed: bytes | None) -> Path:
        every = {**files, **changed}
        entries = {f"two/{name}": content for name, content in every.items() if content is not None}
        return pack(dict(entries), tmp_path / "two.zip")

    return write


def verified(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    ended = main(["verify", str(path), "--json"])
    return ended, json.loads(capsys.readouterr().out)


def test_a_whole_collection_is_sound(
    written: Callable[..., Path], capsys: pytest.CaptureFixture[str], clinic: Environment
) -> None:
    path = written()
    assert is_collection(path)
    ended, found = verified(path, capsys)
    assert (ended, found["sound"], found["problems"], found["signed_by"]) == (0, True, [], None)
    assert [(each["name"], each["split"], each["tasks"]) for each in found["bundles"]] == [
        (clinic.name, "train", 10),
        ("second_desk", "test", 10),
    ]


def test_a_folder_is_read_like_an_archive(
    written: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(written()) as archive:
        archive.extractall(tmp_path / "open")
    assert main(["verify", str(tmp_path / "open" / "two")]) == 0
    assert "Two desks: 2 environments" in capsys.readouterr().out


def test_every_task_is_a_line_of_its_environments_split(files: Files, clinic: Environment) -> None:
    lines = [json.loads(line) for line in files["data/train.jsonl"].splitlines()]
    assert [line["task_id"] for line in lines] == [task.id for task in clinic.tasks.tasks]
    assert {(line["environment"], line["split"]) for line in lines} == {(clinic.name, "train")}
    assert lines[0]["instruction"] == clinic.tasks.tasks[0].instruction


def test_the_card_shows_counts_as_bars_and_tells_datasets_what_to_load(files: Files) -> None:
    card = files["README.md"].decode()
    assert card.startswith("---\nconfigs:")
    assert "path: data/test.jsonl" in card
    assert "# Two desks\n\nEnvironments: 2, with 20 tasks in all." in card
    assert f"| train | 10 | {'█' * 20} |" in card
    assert f"| CC0-1.0 | 2 | {'█' * 20} |" in card
    assert f"| model | 2 | {'█' * 20} |" in card


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("README.md", b"# Other\n", "README.md: was changed"),
        ("data/train.jsonl", None, "data/train.jsonl: is missing"),
        ("evil.py", b"", "evil.py: is not listed"),
    ],
)
def test_a_file_that_was_changed_is_named(
    written: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes | None,
    words: str,
) -> None:
    ended, found = verified(written(**{name: content}), capsys)
    assert (ended, found["sound"]) == (1, False)
    assert words in found["problems"][0]


@pytest.mark.parametrize(
    ("content", "words"), [(None, "is missing"), (b"PK", "its SHA-256 is not the one in collection.json")]
)
def test_a_bundle_that_was_changed_is_named_and_the_other_one_is_checked(
    written: Callable[..., Path], capsys: pytest.CaptureFixture[str], content: bytes | None, words: str
) -> None:
    ended, found = verified(written(**{"bundles/second_desk.zip": content}), capsys)
    assert ended == 1
    assert words in found["bundles"][1]["problem"]
    assert found["bundles"][0]["problem"] == ""


def test_a_bundle_of_another_environment_is_no_bundle_of_the_collection(
    files: Files, written: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    index = json.loads(files["collection.json"])
    first, second = index["environments"]
    second["archive"], second["sha256"] = first["archive"], first["sha256"]
    _, found = verified(written(**{"collection.json": json.dumps(index).encode()}), capsys)
    assert "holds another environment" in found["bundles"][1]["problem"]
    assert any("listed more than once" in problem for problem in found["problems"])


def test_a_newer_collection_says_so(files: Files, written: Callable[..., Path]) -> None:
    index = {**json.loads(files["collection.json"]), "format": "worldwright-collection/2", "more": 1}
    with (
        pytest.raises(InvalidBundle, match=r"worldwright-collection/2.*Upgrade"),
        open_collection(written(**{"collection.json": json.dumps(index).encode()})),
    ):
        pass


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, Path]:
    """Two key pairs, as the documentation makes them."""
    for name in ("ours", "other"):
        private, public = tmp_path / f"{name}.pem", tmp_path / f"{name}.pub.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
    return {name: tmp_path / f"{name}.pem" for name in ("ours", "ours.pub", "other.pub")}


def test_a_signed_collection_is_known_by_its_key_alone(
    files: Files, written: Callable[..., Path], keys: dict[str, Path], tmp_path: Path
) -> None:
    signed = tmp_path / "signed.zip"
    signature = sign_bundle(written(), keys["ours"], signed)
    assert main(["verify", str(signed), "--signed-by", str(keys["ours.pub"])]) == 0
    with pytest.raises(InvalidBundle, match="is signed with the key"):
        check_signer(signed, keys["other.pub"])
    with pytest.raises(InvalidBundle, match="is not signed"):
        check_signer(written(), keys["ours.pub"])
    index = files["collection.json"].replace(b"Two desks", b"Our desks")
    forged = {"collection.json": index, "signature.json": signature.model_dump_json().encode()}
    with pytest.raises(InvalidBundle, match=r"is not a signature of its key over collection\.json"):
        check_signer(written(**forged), keys["ours.pub"])


def test_a_signed_collection_is_an_archive(
    written: Callable[..., Path], keys: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=r"ends in \.zip"):
        sign_bundle(written(), keys["ours"], tmp_path / "signed")


def test_an_index_in_a_folder_below_is_not_the_collections(files: Files, tmp_path: Path) -> None:
    """A bundle of rows may hold a file of that name; it says nothing about the archive."""
    nested = pack({f"two/deep/{name}": content for name, content in files.items()}, tmp_path / "nested.zip")
    assert not is_collection(nested)
    with pytest.raises(InvalidBundle, match=r"holds no collection\.json"), open_collection(nested):
        pass
    stray = pack({**files, "notes/deep/collection.json": b"[]"}, tmp_path / "stray.zip")
    with open_collection(stray) as collection:
        assert [each.partition(":")[0] for each in collection.problems()] == ["notes/deep/collection.json"]


def test_an_entry_that_unpacks_to_far_more_than_its_size_is_refused_unread(
    files: Files, tmp_path: Path
) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr("README.txt", bytes(32 << 20))
    with pytest.raises(InvalidBundle, match=r"README\.txt: would be 33,554,432 bytes"), open_collection(path):
        pass


def zipped(path: Path, entries: list[tuple[str, bytes]], how: int = zipfile.ZIP_STORED) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", how) as archive:
        warnings.simplefilter("ignore")  # names that occur twice
        for name, content in entries:
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("two/README.md", r"two/README\.md: occurs more than once"),
        ("two/readme.MD", r"two/README\.md: differs from two/readme\.MD by case alone"),
        ("evil.py", r"evil\.py: lies outside the bundle's folder two/"),
        ("two/../../evil.py", r"leads outside"),
    ],
)
def test_an_archive_that_unpacks_to_something_else_is_refused(
    files: Files, tmp_path: Path, first: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = [(first, b"EVIL"), *((f"two/{name}", content) for name, content in files.items())]
    path = zipped(tmp_path / "two.zip", entries)
    with pytest.raises(InvalidBundle, match=words), open_collection(path):
        pass
    assert main(["verify", str(path)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_damaged_entry_is_a_problem_of_its_own(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = zipped(tmp_path / "two.zip", list(files.items()), zipfile.ZIP_DEFLATED)
    content = bytearray(path.read_bytes())
    for name in ("README.md", "bundles/second_desk.zip"):
        start = content.index(name.encode()) + len(name)
        content[start : start + 20] = b"\xff" * 20
    path.write_bytes(content)
    ended, found = verified(path, capsys)
    assert ended == 1
    assert ["README.md: cannot be read" in each for each in found["problems"]] == [True]
    assert "second_desk.zip: cannot be read" in found["bundles"][1]["problem"]
    assert found["bundles"][0]["problem"] == ""


def test_an_encrypted_entry_is_refused(files: Files, tmp_path: Path) -> None:
    path = zipped(tmp_path / "two.zip", list(files.items()))
    content = bytearray(path.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] |= 1  # the last of the directory; a bundle is a zip as well
    path.write_bytes(content)
    with pytest.raises(InvalidBundle, match="is encrypted"), open_collection(path):
        pass


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (ArchiveLimits(files=3), "the collection exceeds 3 files"),
        (ArchiveLimits(total_bytes=1_000), "the collection exceeds 1000 bytes"),
    ],
)
def test_a_collection_that_is_too_large_is_refused(
    written: Callable[..., Path], tmp_path: Path, limits: ArchiveLimits, words: str
) -> None:
    path = written()
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "open")
    for place in (path, tmp_path / "open" / "two"):
        with pytest.raises(InvalidBundle, match=words), open_collection(place, limits):
            pass


def test_a_bundle_with_a_file_called_like_an_index_is_a_bundle(clinic: Environment, tmp_path: Path) -> None:
    with zipfile.ZipFile(NativeCodec().write(Bundle(environment=clinic), tmp_path / "b.zip")) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    top = entries[0][0].partition("/")[0]
    assert not is_collection(zipped(tmp_path / "c.zip", [*entries, (f"{top}/collection.json", b"{}")]))
    flat = [(name.removeprefix(f"{top}/"), content) for name, content in entries]
    assert not is_collection(zipped(tmp_path / "d.zip", [*flat, ("seed/collection.json", b"{}")]))


def test_a_signed_collection_is_checked_in_the_archive_that_was_signed(
    written: Callable[..., Path], keys: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two openings, another file can be put in its place."""
    signed = tmp_path / "signed.zip"
    sign_bundle(written(), keys["ours"], signed)
    opened = []
    monkeypatch.setattr(
        "synthesis.cli.verify_collection.open_collection",
        lambda path: opened.append(path) or open_collection(path),
    )
    monkeypatch.setattr("synthesis.bundles.signature.open_collection", None)
    assert main(["verify", str(signed), "--signed-by", str(keys["ours.pub"])]) == 0
    assert opened == [signed]
