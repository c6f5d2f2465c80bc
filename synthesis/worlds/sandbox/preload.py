"""Everything a world's code may load late, loaded before the seal: afterwards no file can be opened."""

from __future__ import annotations

import encodings
import importlib
import locale
import pkgutil
import time
import warnings
import zoneinfo
from collections.abc import Iterable

from synthesis.worlds.sandbox import identity, kernel, landlock, seccomp

_held: list[object] = []
"""What must stay alive: ZoneInfo keeps only weak references to most zones."""

STANDARD_MODULES = (
    *("_strptime", "abc", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "codecs"),
    *(
        "collections.abc",
        "colorsys",
        "contextlib",
        "copy",
        "copyreg",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
    ),
    *("difflib", "enum", "fnmatch", "fractions", "functools", "graphlib", "hashlib", "heapq", "hmac", "html"),
    *(
        "html.entities",
        "html.parser",
        "inspect",
        "io",
        "ipaddress",
        "itertools",
        "json",
        "keyword",
        "linecache",
    ),
    *(
        "locale",
        "math",
        "numbers",
        "operator",
        "pprint",
        "queue",
        "random",
        "re",
        "reprlib",
        "sched",
        "secrets",
    ),
    *(
        "shlex",
        "sqlite3",
        "statistics",
        "string",
        "stringprep",
        "struct",
        "textwrap",
        "time",
        "timeit",
        "token",
    ),
    *(
        "tokenize",
        "traceback",
        "types",
        "typing",
        "unicodedata",
        "urllib.parse",
        "uuid",
        "warnings",
        "weakref",
    ),
    *("xml.etree.ElementTree", "zlib", "zoneinfo", "apsw", "orjson", "pydantic", "synthesis.errors"),
)
"""Modules that are imported for their own sake or because something imports them inside a function."""

_PLATFORM_ENCODINGS = frozenset({"mbcs", "oem"})
"""Only on Windows."""


def preload(modules: Iterable[str] = ()) -> None:
    """Import all of it, once, in the fork server. Takes a quarter of a second.

    Args:
        modules: More modules by name, for example the allow-list of imports and the worker's own.

    Raises:
        ImportError: A module of `modules` or of STANDARD_MODULES cannot be imported.
    """
    for name in (*STANDARD_MODULES, *modules):
        importlib.import_module(name)
    _load_encodings()
    _load_zones()
    _load_lazy_names("pydantic")
    _warm_up()


def _load_encodings() -> None:
    for module in pkgutil.iter_modules(encodings.__path__):
        if module.name not in _PLATFORM_ENCODINGS:
            importlib.import_module(f"encodings.{module.name}")


def _load_zones() -> None:
    """Every zone from the tzdata package alone, so that a world's zones do not depend on the host."""
    zoneinfo.reset_tzpath(())
    _held.append([zoneinfo.ZoneInfo(name) for name in sorted(zoneinfo.available_timezones())])


def _load_lazy_names(package: str) -> None:
    module = importlib.import_module(package)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in module.__all__:
            getattr(module, name, None)


def _warm_up() -> None:
    """Use once what looks things up at its first use."""
    time.strptime("2026-01-01 00:00:00", "%Y-%m-%d %H:%M:%S")
    time.localtime()
    locale.getlocale()
    locale.localeconv()
    "".encode("idna")
    "ä".encode("punycode")
    if machine := kernel.MACHINE:
        for template in (False, True):
            seccomp.prepare(machine, template)
    identity.may_change()
    landlock.prepare()
    kernel.keeping(0)
