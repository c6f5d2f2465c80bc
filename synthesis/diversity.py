"""Diversity: how large, how hard and how different environments are, beside what is published of AWM."""

from __future__ import annotations

import ast
import heapq
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from pydantic import Field

from synthesis.documents.document import Document, digest
from synthesis.documents.environment import Environment

AWM: dict[str, dict[str, float]] = {
    "tables": {"mean": 18.5, "median": 18, "top_decile": 25},
    "rows": {"mean": 129, "median": 121, "top_decile": 192},
    "tools": {"mean": 35.1, "median": 35, "top_decile": 45},
    "code_lines": {"mean": 1_985, "median": 1_944, "top_decile": 2_586},
    "calls": {"mean": 8.5, "median": 6, "top_decile": 20},
    "distinct_tools": {"mean": 7.1, "median": 6, "top_decile": 12},
}
"""Published of 1,000 environments (arXiv 2602.10090); `calls` and `distinct_tools` are per task."""

TITLES = {
    "tables": "Tables",
    "rows": "Rows",
    "tools": "Tools",
    "tasks": "Tasks",
    "code_lines": "Lines of code",
    "calls": "Calls per task",
    "distinct_tools": "Distinct tools per task",
}
_PER_TASK = frozenset({"calls", "distinct_tools"})
MOST_PAIRS = 20
"""Nearest pairs that are named."""
_DIGEST = 16
"""Hexadecimal digits kept of a function's digest."""


class DiversityProfile(Document):
    """What one environment contributes to the report."""

    name: str
    category: str
    tables: int
    rows: int
    tools: int
    tasks: int
    code_lines: int
    calls: tuple[int, ...]
    """Calls of each task's reference solution."""
    distinct_tools: tuple[int, ...]
    """Different tools in each of them."""
    kinds: dict[str, int]
    """Tasks by kind."""
    tool_names: tuple[str, ...]
    columns: tuple[str, ...]
    """Every column as table.column."""
    schema_digest: str
    functions: tuple[str, ...]
    """Digest of each tool's syntax tree without its name and docstring."""


class Distribution(Document):
    """How one figure is spread."""

    mean: float
    median: float
    top_decile: float
    """Nine of ten are at most this."""
    lowest: float
    highest: float
    bins: tuple[tuple[float, int], ...]
    """Lower end of each bin with how many fall in, for drawing."""


class Pair(Document):
    """Two environments with much in common."""

    first: str
    second: str
    tools: float
    """Jaccard index of their tool names."""
    columns: float
    """Jaccard index of their columns."""


class Diversity(Document):
    """The report over many environments."""

    environments: int
    sizes: dict[str, Distribution]
    tool_jaccard: float
    """Mean over all pairs of environments of the Jaccard index of their tool names."""
    column_jaccard: float
    """The same of their columns."""
    nearest: tuple[Pair, ...]
    """Pairs with the most tool names in common, the nearest first."""
    duplicate_schemas: int
    """Environments whose DDL another one has, too."""
    functions: int
    duplicate_functions: int
    """Tools whose code, name and docstring aside, is that of a tool of another environment."""
    categories: dict[str, int]
    kinds: dict[str, int]
    """Tasks by kind."""
    awm: dict[str, dict[str, float]] = Field(default=AWM)


def diversity_profile(environment: Environment) -> DiversityProfile:
    """The figures of one environment."""
    tasks, tools = environment.tasks.tasks, environment.tools.tools
    return DiversityProfile(
        name=environment.name,
        category=environment.scenario.category,
        tables=len(environment.schema.tables),
        rows=sum(map(len, environment.seed_data.rows.values())),
        tools=len(tools),
        tasks=len(tasks),
        code_lines=environment.code_lines,
        calls=tuple(len(task.reference_solution) for task in tasks),
        distinct_tools=tuple(len({call.name for call in task.reference_solution}) for task in tasks),
        kinds=dict(sorted(Counter(task.kind for task in tasks).items())),
        tool_names=tuple(sorted(tool.name for tool in tools)),
        columns=tuple(
            sorted(
                f"{table.name}.{column.name}"
                for table in environment.schema.tables
                for column in table.columns
            )
        ),
        schema_digest=environment.schema.fingerprint,
        functions=tuple(_functions(environment.tools.source, {tool.name for tool in tools})),
    )


def diversity(diversity_profiles: Sequence[DiversityProfile]) -> Diversity:
    """The report; pairs are compared by name, so environments should have different ones.

    Comparing takes a microsecond per pair: a second or so for a thousand environments.
    """
    tools = _jaccards([each.tool_names for each in diversity_profiles])
    columns = _jaccards([each.columns for each in diversity_profiles])
    schemas = Counter(each.schema_digest for each in diversity_profiles)
    spread = Counter(function for each in diversity_profiles for function in set(each.functions))
    functions = [function for each in diversity_profiles for function in each.functions]
    return Diversity(
        environments=len(diversity_profiles),
        sizes={name: _distribution(_values(diversity_profiles, name)) for name in TITLES}
        if diversity_profiles
        else {},
        tool_jaccard=_mean(tools),
        column_jaccard=_mean(columns),
        nearest=_nearest(diversity_profiles, tools, columns),
        duplicate_schemas=sum(count for count in schemas.values() if count > 1),
        functions=len(functions),
        duplicate_functions=sum(spread[function] > 1 for function in functions),
        categories=dict(Counter(each.category for each in diversity_profiles).most_common()),
        kinds=dict(sum((Counter(each.kinds) for each in diversity_profiles), Counter()).most_common()),
    )


def _values(diversity_profiles: Iterable[DiversityProfile], name: str) -> list[float]:
    """The values of one figure, of each environment or of each task."""
    if name in _PER_TASK:
        return [float(value) for each in diversity_profiles for value in getattr(each, name)]
    return [float(getattr(each, name)) for each in diversity_profiles]


def _distribution(values: list[float]) -> Distribution:
    ordered = sorted(values) or [0.0]
    return Distribution(
        mean=round(statistics.fmean(ordered), 2),
        median=statistics.median(ordered),
        top_decile=ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))],
        lowest=ordered[0],
        highest=ordered[-1],
        bins=_bins(ordered),
    )


def _bins(ordered: list[float], most: int = 12) -> tuple[tuple[float, int], ...]:
    """At most so many bins of equal whole width, empty ones kept."""
    lowest, highest = ordered[0], ordered[-1]
    width = max(1, -(-int(highest - lowest + 1) // most))
    counts = Counter(int(value - lowest) // width for value in ordered)
    return tuple((lowest + width * place, counts[place]) for place in range(max(counts) + 1))


class _SharedNames(NamedTuple):
    first: int
    second: int
    share: float


def _jaccards(sets: Sequence[tuple[str, ...]]) -> list[_SharedNames]:
    """The index of every pair. Names are bits, so that a pair costs one AND of two whole numbers."""
    places: dict[str, int] = {}
    bits = []
    for names in sets:
        value = 0
        for name in names:
            value |= 1 << places.setdefault(name, len(places))
        bits.append((value, value.bit_count()))
    results = []
    for (i, (one, size)), (j, (other, others)) in combinations(enumerate(bits), 2):
        common = (one & other).bit_count()
        union = size + others - common
        results.append(_SharedNames(i, j, common / union if union else 0.0))
    return results


def _mean(shared: list[_SharedNames]) -> float:
    return sum(each.share for each in shared) / len(shared) if shared else 0.0


def _nearest(
    diversity_profiles: Sequence[DiversityProfile], tools: list[_SharedNames], columns: list[_SharedNames]
) -> tuple[Pair, ...]:
    indices = (
        (tool.share, column.share, place)
        for place, (tool, column) in enumerate(zip(tools, columns, strict=True))
    )
    order = [place for *_, place in heapq.nlargest(MOST_PAIRS, indices)]
    return tuple(
        Pair(
            first=diversity_profiles[tools[place].first].name,
            second=diversity_profiles[tools[place].second].name,
            tools=round(tools[place].share, 4),
            columns=round(columns[place].share, 4),
        )
        for place in order
        if tools[place].share > 0
    )


def _functions(source: str, names: set[str]) -> Iterable[str]:
    """The digest of each tool's tree; none for a source that cannot be parsed."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            trees = [node.args, *body]
            yield digest("\n".join(ast.dump(tree) for tree in trees).encode("utf-8", "backslashreplace"))[
                :_DIGEST
            ]
