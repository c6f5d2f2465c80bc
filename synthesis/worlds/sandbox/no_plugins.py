"""No plugins: pydantic as it is, without what the packages of this host would hang into it.

A plugin would run in the fork server and be in each of its workers. To ask for plugins takes the library that
reads what is installed, and with it those for mail, archives and compression: a tenth of what a worker has
mapped.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from types import ModuleType
from typing import NoReturn

_REGISTRY = "importlib.metadata"


def import_pydantic() -> None:
    """Import pydantic and have it find that there are no plugins; once, before anything else imports it."""
    sys.modules[_REGISTRY] = _EmptyRegistry(_REGISTRY)
    try:
        with suppress(ImportError):  # one that wants more is imported as usual
            importlib.import_module("pydantic.networks")
            importlib.import_module("pydantic").TypeAdapter(int)
    finally:
        del sys.modules[_REGISTRY]


class _EmptyRegistry(ModuleType):
    """What is installed, as far as pydantic asks while it is imported: nothing."""

    @staticmethod
    def entry_points(**_group: str) -> tuple[()]:
        """No entry point of any group."""
        return ()

    @staticmethod
    def version(package: str) -> NoReturn:
        """No version of any package."""
        raise ImportError(f"nothing is known here of the package {package}")
