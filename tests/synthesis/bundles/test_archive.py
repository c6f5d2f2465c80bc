from __future__ import annotations

import os
import stat
import time
import zipfile
from pathlib import Path

import pytest

from synthesis.bundles import reading
from synthesis.bundles.archive import ArchiveLimits, read_files, write_folder, write_zip
from synthesis.errors import InvalidBundle, InvalidInput

FILES = {"environment.json": b"{}", "seed/a.jsonl": b'{"id":1}\n', "verifiers/t.py": "# ü\n".encode()}


def zip_with(path: Path, *entries: str | zipfile.ZipInfo, content: bytes = b"{}") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            archive.writestr(entry, content)
    return path


def test_a_zip_gives_back_what_was_written(tmp_path: Path) -> None:
    assert read_files(write_zip(FILES, tmp_path / "b.zip", folder="b")) == FILES


def test_a_folder_gives_back_what_was_written(tmp_path: Path) -> None:
    assert read_files(write_folder(FILES, tmp_path / "b")) == FILES


def test_equal_files_give_equal_zip_bytes_whatever_their_order(tmp_path: Path) -> None:
    one = write_zip(FILES, tmp_path / "one.zip", folder="b").read_bytes()
    other = write_zip(dict(reversed(FILES.items())), tmp_path / "other.zip", folder="b").read_bytes()
    assert one == other


def test_a_zip_may_have_its_files_at_the_top_and_be_compressed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("seed/", b"")
        for name, content in FILES.items():
            archive.writestr(name, content)
    assert read_files(tmp_path / "b.zip") == FILES


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("../environment.json", "leads outside"),
        ("b/../../x", "leads outside"),
        ("b/./x", "leads outside"),
        ("b//x", "leads outside"),
        ("/etc/environment.json", "not a relative path"),
        ("C:/environment.json", "not a relative path"),
        ("b\\x", "not a relative path"),
    ],
)
def test_it_refuses_a_path_outside_the_bundle(tmp_path: Path, entry: str, text: str) -> None:
    info = zipfile.ZipInfo("x")
    info.filename = entry
    with pytest.raises(InvalidBundle, match=text):
        read_files(zip_with(tmp_path / "b.zip", "b/environment.json", info))


def test_it_refuses_a_file_beside_the_bundles_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidBundle, match=r"elsewhere/x: lies outside the bundle's folder b/"):
        read_files(zip_with(tmp_path / "b.zip", "b/environment.json", "elsewhere/x"))


def test_it_refuses_two_bundles_in_one_zip(tmp_path: Path) -> None:
    with pytest.raises(InvalidBundle, match="in its only folder"):
        read_files(zip_with(tmp_path / "b.zip", "a/environment.json", "b/environment.json"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_it_refuses_a_file_that_stands_twice(tmp_path: Path) -> None:
    with pytest.raises(InvalidBundle, match=r"environment.json: occurs more than once"):
        read_files(zip_with(tmp_path / "b.zip", "environment.json", "environment.json"))


def test_it_refuses_files_whose_names_differ_by_case_alone(tmp_path: Path) -> None:
    names = ("environment.json", "verifiers/a.py", "verifiers/A.py")
    with pytest.raises(InvalidBundle, match=r"verifiers/A\.py: differs from verifiers/a\.py by case"):
        read_files(zip_with(tmp_path / "b.zip", *names))
    write_folder({**FILES, "verifiers/a.py": b"", "verifiers/A.py": b""}, tmp_path / "b")
    with pytest.raises(InvalidBundle, match="by case alone"):
        read_files(tmp_path / "b")


def test_it_refuses_a_symbolic_link_in_a_zip(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("tools.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(InvalidBundle, match=r"tools.py: is a link"):
        read_files(zip_with(tmp_path / "b.zip", "environment.json", link, content=b"/etc/passwd"))


def test_it_refuses_a_symbolic_link_in_a_folder(tmp_path: Path) -> None:
    write_folder(FILES, tmp_path / "b")
    (tmp_path / "b" / "tools.py").symlink_to("/etc/passwd")
    with pytest.raises(InvalidBundle, match=r"tools.py: is a symbolic link"):
        read_files(tmp_path / "b")


def test_it_refuses_a_pipe_in_a_folder_without_waiting_for_it(tmp_path: Path) -> None:
    write_folder(FILES, tmp_path / "b")
    os.mkfifo(tmp_path / "b" / "tools.py")
    with pytest.raises(InvalidBundle, match="neither a file nor a folder"):
        read_files(tmp_path / "b")


def test_it_leaves_out_what_editors_and_python_put_beside(tmp_path: Path) -> None:
    write_folder(FILES, tmp_path / "b")
    (tmp_path / "b" / ".DS_Store").write_bytes(b"x")
    (tmp_path / "b" / "__pycache__").mkdir()
    (tmp_path / "b" / "__pycache__" / "tools.pyc").write_bytes(b"x")
    assert read_files(tmp_path / "b") == FILES


def test_it_refuses_a_zip_bomb_by_its_ratio(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("environment.json", b"\0" * 5_000_000)
    with pytest.raises(InvalidBundle, match="zip bomb"):
        read_files(tmp_path / "b.zip")


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (ArchiveLimits(file_bytes=5), "a file of a bundle may have at most 5"),
        (ArchiveLimits(total_bytes=12), "exceeds 12 bytes"),
        (ArchiveLimits(files=2), "exceeds 2 files"),
    ],
)
@pytest.mark.parametrize("form", ["zip", "folder"])
def test_it_refuses_a_bundle_beyond_its_limits(
    tmp_path: Path, form: str, limits: ArchiveLimits, text: str
) -> None:
    path = (
        write_zip(FILES, tmp_path / "b.zip", folder="b")
        if form == "zip"
        else write_folder(FILES, tmp_path / "b")
    )
    with pytest.raises(InvalidBundle, match=text):
        read_files(path, limits=limits)


def test_it_refuses_what_is_not_a_zip(tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 and then nothing of a zip")
    with pytest.raises(InvalidBundle, match="not a readable zip"):
        read_files(tmp_path / "b.zip")


def test_it_refuses_a_zip_whose_bytes_were_damaged(tmp_path: Path) -> None:
    path = write_zip(FILES, tmp_path / "b.zip", folder="b")
    path.write_bytes(path.read_bytes().replace(b'{"id":1}', b'{"id":2}'))
    with pytest.raises(InvalidBundle, match="CRC"):
        read_files(path)


def test_it_says_when_nothing_is_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidBundle, match=r"missing.zip: there is no such file"):
        read_files(tmp_path / "missing.zip")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidBundle, match=r"contains no environment\.json"):
        read_files(tmp_path / "empty")


def test_it_never_overwrites_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="already exists"):
        write_folder(FILES, tmp_path / "b")
    assert [path.name for path in tmp_path.rglob("*")] == ["b", "mine.txt"]


def test_a_zip_replaces_the_one_before(tmp_path: Path) -> None:
    write_zip({"environment.json": b"old"}, tmp_path / "b.zip", folder="b")
    write_zip(FILES, tmp_path / "b.zip", folder="b")
    assert read_files(tmp_path / "b.zip") == FILES


def test_nothing_half_written_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", fail)
    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(InvalidInput, match="No space left"):
        write_zip(FILES, tmp_path / "b.zip", folder="b")
    with pytest.raises(InvalidInput, match="No space left"):
        write_folder(FILES, tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_names_that_stand_twice_are_found_in_a_moment(tmp_path: Path) -> None:
    names = [f"seed/{'x' * 200}{number}.jsonl" for number in range(19_000)]
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = zip_with(tmp_path / "b.zip", "environment.json", *names, names[-1])
    began = time.process_time()
    with pytest.raises(InvalidBundle, match="more than once"):
        read_files(path)
    assert time.process_time() - began < 10  # comparing each with each took half a minute


def test_json_that_would_fill_the_memory_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading.orjson, "loads", lambda text: pytest.fail("read"))
    for content, message in (
        (b"[" + b"[]," * 2_500_000 + b"[]]", "lists and objects"),
        (b"[" + b"1," * 7_000_000 + b"1]", "values"),
    ):
        with pytest.raises(InvalidBundle, match=message):
            reading.json_value("tasks.json", content)
        with pytest.raises(InvalidBundle, match=message):
            list(reading.json_lines("tasks.jsonl", content))
