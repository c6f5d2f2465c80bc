"""Files as the broker: a consumer never meets a message that is only half there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError

from studio import file_broker


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Any]:
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    options = {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
    }
    with Connection("filesystem://localhost", transport_options=options) as broker:
        yield broker.channel()


def test_the_studios_messages_go_through_it(channel: Any) -> None:
    assert isinstance(channel, file_broker._FileChannel)


def test_a_message_has_its_name_when_it_is_whole(channel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a consumer sees it that looks while the message is being written."""
    folder, sizes = Path(channel.data_folder_in), []
    write = Path.write_bytes

    def looked_at(path: Path, content: bytes) -> int:
        write(path, b"")
        sizes.append(channel._size("work"))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", looked_at)
    channel._put("work", {"body": "ü" * 100})
    assert sizes == [0]
    assert channel._get("work") == {"body": "ü" * 100}
    assert list(folder.iterdir()) == []


def test_messages_come_in_the_order_in_which_they_were_put(channel: Any, monkeypatch: Any) -> None:
    moments = iter((1.0, 1.5, 2.0))
    monkeypatch.setattr(file_broker, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    for number in range(3):
        channel._put("work", {"number": number})
    assert [channel._get("work")["number"] for _ in range(3)] == [0, 1, 2]


def test_a_folder_that_is_full_leaves_nothing_half_written(channel: Any, monkeypatch: Any) -> None:
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        write(path, content[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ChannelError, match="No space left"):
        channel._put("work", {"body": "x"})
    assert list(Path(channel.data_folder_in).iterdir()) == []
