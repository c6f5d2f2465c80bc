"""Release: which version of the program this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("worldwright")
except PackageNotFoundError:  # run from a checkout that nobody installed
    VERSION = "0+checkout"
