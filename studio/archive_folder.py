"""The storage of archives as a folder: settings.BUNDLES_DIR."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import FileSystemStorage


class ArchiveFolder(FileSystemStorage):
    """Files under the bundles folder. A file appears when it is complete, and replaces one of its name."""

    failures: tuple[type[Exception], ...] = (OSError,)
    """What is raised when the folder cannot be used."""

    def __init__(self) -> None:
        super().__init__(allow_overwrite=True)

    @property
    def location(self) -> str:
        """The folder."""
        return str(Path(settings.BUNDLES_DIR).absolute())

    base_location = location

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Folders and files in a folder; none where it was not made yet."""
        return super().listdir(path) if self.exists(path) else ([], [])

    def address(self, name: str) -> str:
        """Where a file is, for people."""
        return self.path(name)

    def require_usable(self) -> None:
        """Pass: readiness looks at the folder of all data as a whole."""

    def _save(self, name: str, content: Any) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{uuid.uuid4().hex}")
        try:
            with part.open("xb") as file:
                shutil.copyfileobj(content, file, 2**20)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return name
