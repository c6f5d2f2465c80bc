"""Feature memory: what endpoints take, kept from one process to the next."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from synthesis.documents.document import canonical_json, digest
from synthesis.llm.features import Features

SECONDS_REMEMBERED = 14 * 24 * 3600
"""After that an endpoint is tried again with all that it refused: servers learn."""


class FeatureMemory:
    """What one model at one endpoint takes, in a folder that the processes of a machine share.

    Args:
        folder: Made when something is kept. The file's name is a hash: addresses may hold secrets.
        base_url: Of the endpoint.
        model: Its name there.
    """

    def __init__(self, folder: Path, base_url: str, model: str) -> None:
        self._path = folder / f"{digest(canonical_json([base_url, model]))[:32]}.json"

    def find(self) -> Features | None:
        """What was kept, or None where there is nothing, it is too old, or it cannot be read."""
        try:
            if time.time() - self._path.stat().st_mtime > SECONDS_REMEMBERED:
                return None
            return Features.model_validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return None

    def keep(self, features: Features) -> None:
        """Keep it, whole or not at all; a folder that cannot be written costs a question, and no run."""
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._path.parent, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(features.model_dump_json().encode())
            Path(temporary).replace(self._path)
