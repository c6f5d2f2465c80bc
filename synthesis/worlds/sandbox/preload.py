"""Everything a world's code may load late, loaded before the seal: afterwards no file can be opened."""

from __future__ import annotations

import encodings
import importlib
import locale
import pkgutil
import time
import warnings
import zoneinfo
from collections.abc import Collection, Iterable

from synthesis.worlds.sandbox import identity, kernel, landlock, seccomp

_held: list[object] = []
"""What must stay alive: ZoneInfo keeps only weak references to most zones."""

LATE_MODULES = (
    *("_strptime", "calendar", "codecs", "copy", "copyreg", "decimal", "fractions", "functools", "heapq"),
    *("inspect", "itertools", "keyword", "linecache", "locale", "math", "numbers", "operator", "random"),
    *("re", "reprlib", "statistics", "stringprep", "struct", "time", "token", "tokenize", "traceback"),
    *("types", "typing", "unicodedata", "warnings", "weakref", "apsw", "orjson", "pydantic"),
    "synthesis.errors",
)
"""What the interpreter, and the modules that tools may import, import inside a function."""

APPLICATION_MODULES = (
    *("abc", "array", "ast", "base64", "binascii", "bisect", "cmath", "collections.abc", "colorsys"),
    *("contextlib", "csv", "dataclasses", "datetime", "difflib", "enum", "fnmatch", "graphlib", "hashlib"),
    *("hmac", "html", "html.entities", "html.parser", "io", "ipaddress", "json", "pprint", "queue", "sched"),
    *("secrets", "shlex", "sqlite3", "string", "textwrap", "timeit", "urllib.parse", "uuid", "zlib"),
    *("xml.etree.ElementTree", "zoneinfo"),
)
"""What an application may import besides, which is a program like any other: tools may import little, and
each page that a fork server has is copied into, and dropped from, the page table of every worker."""

_ONLY_ON_WINDOWS = frozenset({"mbcs", "oem"})
_COMPRESSING = frozenset({"bz2_codec", "zlib_codec"})
"""Encodings of bytes as bytes, which the methods of texts and of bytes refuse; each brings in a library."""


def preload(modules: Iterable[str] = (), *, for_applications: bool = True) -> None:
    """Import all of it, once, in the fork server. Takes a quarter of a second.

    Args:
        modules: More modules by name, for example the allow-list of imports and the worker's own.
        for_applications: Whether workers may hold applications, not only tools that import little.

    Raises:
        ImportError: One of the modules cannot be imported.
    """
    late = (*LATE_MODULES, *APPLICATION_MODULES) if for_applications else LATE_MODULES
    for name in (*late, *modules):
        importlib.import_module(name)
    _load_encodings(_ONLY_ON_WINDOWS if for_applications else _ONLY_ON_WINDOWS | _COMPRESSING)
    if for_applications:
        _load_zones()
    _load_lazy_names("pydantic")
    _warm_up()


def _load_encodings(but: Collection[str]) -> None:
    for module in pkgutil.iter_modules(encodings.__path__):
        if module.name not in but:
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
