"""Static files: from where they lie, or as `collectstatic` hashed and compressed them."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def storages(collected: Path | None) -> dict[str, Any]:
    """Django's STORAGES.

    Args:
        collected: Folder with the output of collectstatic; None serves files from where they lie.
    """
    backend = (
        "django.contrib.staticfiles.storage.StaticFilesStorage"
        if collected is None
        else "studio.hashed_files.HashedFiles"
    )
    return {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": backend},
    }
