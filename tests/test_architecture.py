"""The house: imports point one way, files stay readable, no drawers."""

from __future__ import annotations

import ast
import configparser
import functools
import graphlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    path
    for package in ("synthesis", "studio")
    for path in (ROOT / package).rglob("*.py")
    if "migrations" not in path.parts
)
DRAWERS = {"utils", "util", "helpers", "helper", "common", "core", "base", "misc", "shared", "lib"}
NAMED_BY_DJANGO = {ROOT / "studio/postgresql/base.py"}
"""Django loads a database backend by this name."""
LONGEST = 450
"""Lines; a file beyond it holds more than one noun."""
NAMED_BY_FRAMEWORKS = {"Command", "Meta", "Migration"}
"""Django looks for classes of these names."""
BLOCKS = (
    ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.AsyncFor, ast.AsyncWith,
)  # fmt: skip
TRAINERS_PACKAGES = ("documents", "worlds", "verification", "bundles")
# fmt: off
RENAMED = {
    "made", "told", "said", "kept", "found", "Made", "Told", "Said", "Found", "Hold", "HoldLost",
    "Proving", "proving", "Carrier", "carrier", "carried", "CarriedTable", "CarriedColumn", "Wishes",
    "wishes", "ladder", "rung", "rungs", "looks", "Seat", "HostSeat", "Complaint", "complaint", "complaints",
    "Rehearsal", "rehearsal", "Laboratory", "laboratory", "Workbench", "workbench", "Bench", "bench",
    "rivals", "rival", "Portrait", "portrait", "portraits", "Turns", "KeptPart", "kept_parts",
    "own_schema", "JsonFace", "McpFace", "NemoGymFace", "Doors", "Fleet", "Workshop", "workshop", "pulse",
    "read_apart", "Zygote", "zygote", "Refused", "tries", "Tries", "TRIES", "wrong_ends", "other_ways",
}
# fmt: on
"""Coined words that were given up, with what is said instead in the glossary of the architecture."""
NEVER_PART_OF_A_NAME = {"told", "said", "dearest", "anew", "lonely", "rung", "doublet", "opinionses"}


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_folder_or_file_is_a_drawer() -> None:
    drawers = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if DRAWERS & {path.stem, *path.parts} and path not in NAMED_BY_DJANGO
    ]
    assert drawers == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_short_enough_to_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@dataclass(frozen=True)
class Census:
    """What the house's own code defines, read in one pass: to hold every syntax tree at once takes longer."""

    functions: tuple[tuple[int, int], ...]
    """Lines and nesting of each."""
    classes: tuple[tuple[str, str], ...]
    """File and name of each."""
    names: tuple[tuple[str, str], ...]
    """Place and name of everything that is given one."""
    private: tuple[tuple[str, str], ...]
    """File and name of each private name of a module that nothing uses, or that is set twice."""


@functools.cache
def census() -> Census:
    functions, classes, names, private = [], [], [], []
    for path in SOURCES:
        file = str(path.relative_to(ROOT))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        private += [(file, name) for name in idle_names(tree)]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions.append(((node.end_lineno or node.lineno) - node.lineno + 1, nesting(node)))
            elif isinstance(node, ast.ClassDef):
                classes.append((file, node.name))
            names += [(f"{file}:{getattr(node, 'lineno', 0)}", name) for name in _names(node)]
    return Census(tuple(functions), tuple(classes), tuple(names), tuple(private))


def idle_names(tree: ast.Module) -> list[str]:
    """The private names of a module that are set twice or never used; what is decorated is used by that."""
    introduced: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            introduced += [name for target in targets for each in ast.walk(target) for name in _names(each)]
        elif isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.decorator_list:
            introduced.append(node.name)
    own = [name for name in introduced if name.startswith("_") and not name.endswith("_")]
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return sorted({name for name in own if name not in used or own.count(name) > 1})


def nesting(node: ast.AST, level: int = 0) -> int:
    """How deep blocks stand in one another within a function; `elif` is no block of its own."""
    deepest = level
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        own = isinstance(child, BLOCKS) and not is_elif
        deepest = max(deepest, nesting(child, level + own))
    return deepest


def test_nine_functions_in_ten_are_short_and_flat(record_property: Callable[[str, object], None]) -> None:
    every = census().functions
    lengths = [length for length, _ in every]
    tenth, depth = quantiles(lengths, n=10)[8], quantiles((deep for _, deep in every), n=10)[8]
    record_property(
        "functions", f"{len(every)}, median {median(lengths)} lines, p90 {tenth}, nesting {depth}"
    )
    assert tenth <= 22
    assert depth <= 2


def test_a_trainer_imports_neither_a_model_client_nor_a_server_nor_django() -> None:
    script = (
        "import sys, synthesis; synthesis.open_bundle; synthesis.World; synthesis.Episode;"
        "print(*sorted({'httpx', 'openai', 'mcp', 'starlette', 'uvicorn', 'django', 'celery', 'sklearn'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []


def test_a_worker_holds_nothing_of_the_reader_but_what_verifiers_ask_for() -> None:
    """Every worker is forked with all that is imported here; what judges answers stays in the host."""
    judging = {f"synthesis.reading.{name}" for name in ("judgement", "honesty", "observations", "effects")}
    script = "import sys, synthesis.worlds.worker.fork_server; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert judging & {*done.stdout.split()} == set()
    assert "synthesis.reading.statements" in done.stdout.split()


def test_only_settings_read_the_studios_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.parts[len(ROOT.parts)] == "studio"
        and path.name not in ("environment_variables.py", "celery.py", "command.py", "asgi.py", "wsgi.py")
        and any(word in path.read_text(encoding="utf-8") for word in ("os.environ", "getenv("))
    ]
    assert readers == []


def test_a_private_name_of_a_module_is_set_once_and_used() -> None:
    assert census().private == ()


@pytest.mark.parametrize(
    ("text", "idle"),
    [
        ("_A = 1\n_B: int = _A\ndef f(): return _B", []),
        ("_A = 1\n_A = 2\nx = _A", ["_A"]),
        ("_A, _B = 1, 2\nx = _A", ["_B"]),
        ("def _f(): pass\nclass _C: pass\n@f\ndef _g(): pass\n__all__ = []", ["_C", "_f"]),
    ],
)
def test_an_idle_name_is_found(text: str, idle: list[str]) -> None:
    assert idle_names(ast.parse(text)) == idle


def test_a_class_name_is_defined_once() -> None:
    places: dict[str, list[str]] = {}
    for path, name in census().classes:
        if name not in NAMED_BY_FRAMEWORKS:
            places.setdefault(name, []).append(path)
    assert places
    assert {name: found_in for name, found_in in places.items() if len(found_in) > 1} == {}


def _names(node: ast.AST) -> list[str]:
    """The names that a syntax node introduces."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return [node.attr]
    if isinstance(node, ast.ExceptHandler) and node.name:
        return [node.name]
    return []


def test_the_renamed_words_do_not_come_back_as_names() -> None:
    back = [
        f"{place} {name}"
        for place, name in census().names
        if name.strip("_") in RENAMED or NEVER_PART_OF_A_NAME & {*name.lower().split("_")}
    ]
    assert back == []


def test_a_trainer_imports_no_http_client_and_no_django() -> None:
    closure = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in SOURCES
        if path.relative_to(ROOT).parts[:2] in {("synthesis", name) for name in TRAINERS_PACKAGES}
        and path.parent.name
        != "web"  # loaded by a fork server alone, for environments that are FastAPI modules
    ]
    assert len(closure) > 50
    script = (
        f"import importlib, sys\nfor name in {closure!r}: importlib.import_module(name)\n"
        "print(*sorted({'httpx', 'httpx2', 'requests', 'aiohttp', 'openai', 'mcp', 'starlette', 'uvicorn', "
        "'django', 'celery'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_module(path): path for path in SOURCES}


def _imported(text: str, modules: set[str] | dict[str, Path]) -> set[str]:
    """The modules of the house that a source imports, at its top, within a function or for types alone."""
    tree = ast.parse(text)
    named: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports name their module in full"
            package = node.module or ""
            within = {f"{package}.{alias.name}" for alias in node.names}
            named |= {name if name in modules else package for name in within}
    return {name for name in named if name in modules}


def _cycle(sources: dict[str, str]) -> list[str]:
    """One circle of imports, or nothing."""
    graph = {name: _imported(text, set(sources)) - {name} for name, text in sources.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_files_import_each_other_in_a_circle() -> None:
    assert _cycle({name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}) == []


@pytest.mark.parametrize(
    ("back", "circle"),
    [
        ("def f():\n    from house import a", True),
        ("import house.a", True),
        ("if TYPE_CHECKING:\n    from house.a import A", True),
        ("from house.c import C", False),
    ],
)
def test_a_circle_of_files_is_found(back: str, circle: bool) -> None:
    assert (
        bool(_cycle({"house": "", "house.a": "from house.b import B", "house.b": back, "house.c": ""}))
        is circle
    )


def _contract(name: str) -> dict[str, list[str]]:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    section = contracts[f"importlinter:contract:{name}"]
    return {key: value.split() for key, value in section.items()}


def test_the_host_is_everything_but_what_runs_sealed() -> None:
    """A module added beside worlds/worker/ has to enter the contract that keeps the two apart."""
    contract = _contract("worker")
    host = contract["source_modules"]
    assert contract["forbidden_modules"] == ["synthesis.worlds.worker"]
    outside = [
        name
        for name in MODULES
        if not f"{name}.".startswith("synthesis.worlds.worker.")
        and name not in {"synthesis", "synthesis.worlds"}
        and not any(f"{name}.".startswith(f"{source}.") for source in host)
    ]
    assert outside == []
    assert set(host) - set(MODULES) == set()


def test_the_contracts_make_no_exception_for_circles() -> None:
    assert set(_contract("circles")) == {"name", "type", "ancestors"}
