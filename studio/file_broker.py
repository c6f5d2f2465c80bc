"""Files as the broker, the embedded default: kombu's transport, where a message appears when it is whole."""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps

_UNFINISHED = ".part"


class _FileChannel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        """Store a message for a queue.

        kombu writes it under the name by which consumers find it. One that takes it before its content is
        there reads an empty message, which ends the worker, and the message is gone.
        """
        folder: Any = self.data_folder_out
        whole = Path(folder) / f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        unfinished = whole.with_name(whole.name + _UNFINISHED)
        try:
            unfinished.write_bytes(dumps(payload).encode())
            unfinished.replace(whole)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise ChannelError(f"A message cannot be written to {folder}: {error}") from error


class FileTransport(filesystem.Transport):
    """Files, as `studio.celery` makes kombu know them."""

    Channel = _FileChannel
