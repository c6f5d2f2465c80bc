"""Locations: where the studio's templates and static files are, where its data goes, how it is called.

In a checkout templates/ and static/ are at the top level and data goes to var/ beside manage.py. A wheel
holds both folders inside the package, and data goes to the user's data folder, never into site-packages.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parent
BASE_DIR = PACKAGE.parent
"""The folder that holds the package."""
IN_CHECKOUT = (BASE_DIR / "manage.py").is_file() and (BASE_DIR / "templates").is_dir()

RESOURCES = BASE_DIR if IN_CHECKOUT else PACKAGE / "resources"
"""Holds templates/, static/ and docs/glossary.md."""
DEFAULT_VAR = BASE_DIR / "var" if IN_CHECKOUT else platformdirs.user_data_path("worldwright")
"""Holds what the studio writes, where WORLDWRIGHT_VAR says nothing else."""
COMMAND = "manage.py" if IN_CHECKOUT else "worldwright studio"
"""What people type before the name of one of the studio's commands."""
