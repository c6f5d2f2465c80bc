"""Entity-relationship diagrams: `dot` places the tables, the page draws them in its own colours."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache

from synthesis.documents.schema import Schema, Table

PIXELS = 72
"""Pixels per inch, dot's unit."""

ROW, HEAD, PAD = 17, 26, 10
LONGEST_NAME = 26
MOST_COLUMNS = 8
TIMEOUT = 10


@dataclass(frozen=True)
class Line:
    """One line of text within a box."""

    text: str
    kind: str
    y: float


@dataclass(frozen=True)
class Box:
    """One table, placed."""

    table: str
    title: str
    x: float
    y: float
    width: float
    height: float
    lines: tuple[Line, ...]

    @property
    def head(self) -> str:
        """The path of the coloured head: rounded above, straight below."""
        inner = round(self.width - 12, 1)
        return f"M{self.x} {self.y + HEAD}v-{HEAD - 6}a6 6 0 0 1 6-6h{inner}a6 6 0 0 1 6 6v{HEAD - 6}z"

    @property
    def text_x(self) -> float:
        """Where texts begin."""
        return self.x + 10

    @property
    def name_y(self) -> float:
        """The base line of the table's name."""
        return self.y + 17


@dataclass(frozen=True)
class Edge:
    """One foreign key, placed."""

    path: str
    title: str
    end_x: float
    end_y: float


@dataclass(frozen=True)
class Diagram:
    """A whole drawing in pixels."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]


@lru_cache(maxsize=256)
def diagram_of(schema: Schema) -> Diagram | None:
    """The schema's diagram, or None where `dot` is missing or gives up; equal schemas are drawn once."""
    if shutil.which("dot") is None:
        return None
    tables = schema.tables
    sizes = [_size(table) for table in tables]
    numbers = {table.name: number for number, table in enumerate(tables)}
    # Names never reach dot: nodes are numbered, so no name can break its syntax.
    lines = ['digraph { rankdir=LR; nodesep=0.35; ranksep=0.8; node [shape=box, fixedsize=true, label=""];']
    for number, (width, height) in enumerate(sizes):
        lines.append(f"n{number} [width={width / PIXELS:.3f}, height={height / PIXELS:.3f}];")
    keys = [(table, key) for table in tables for key in table.foreign_keys if key.table in numbers]
    lines += [f"n{numbers[table.name]} -> n{numbers[key.table]};" for table, key in keys]
    try:
        done = subprocess.run(
            ["dot", "-Tplain"],
            input="\n".join([*lines, "}"]),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    except (subprocess.SubprocessError, OSError):
        return None
    titles = {(numbers[t.name], numbers[k.table]): f"{t.name} refers to {k.table}" for t, k in keys}
    return _read(done.stdout, tables, titles)


def _size(table: Table) -> tuple[int, int]:
    shown = [table.name, *[text for text, _ in _columns(table)]]
    width = max(110, 24 + max(8 * min(len(text), LONGEST_NAME) for text in shown))
    return width, HEAD + PAD + ROW * len(_columns(table))


def _columns(table: Table) -> list[tuple[str, str]]:
    """Keys first, then as many others as fit, each with its kind."""
    foreign = {column for key in table.foreign_keys for column in key.columns}
    keys = [(_cut(c.name), "key") for c in table.columns if c.primary_key or c.name in foreign]
    others = [(_cut(c.name), "column") for c in table.columns if not c.primary_key and c.name not in foreign]
    room = max(MOST_COLUMNS - len(keys), 2)
    left = len(others) - room
    shown = keys + (others if left <= 1 else others[:room])
    return [*shown, (f"… {left} more", "column")] if left > 1 else shown


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _read(plain: str, tables: tuple[Table, ...], titles: dict[tuple[int, int], str]) -> Diagram:
    """Boxes and edges from dot's plain output, whose y grows upwards."""
    width = height = 0.0
    boxes: list[Box] = []
    edges: list[Edge] = []
    for line in plain.splitlines():
        words = line.split()
        if words[0] == "graph":
            width, height = float(words[2]) * PIXELS, float(words[3]) * PIXELS
        elif words[0] == "node":
            boxes.append(_box(tables[int(words[1][1:])], [float(w) * PIXELS for w in words[2:6]], height))
        elif words[0] == "edge":
            ends = int(words[1][1:]), int(words[2][1:])
            numbers = [float(w) * PIXELS for w in words[4 : 4 + 2 * int(words[3])]]
            edges.append(_edge(numbers, titles.get(ends, ""), height))
    return Diagram(round(width + 8), round(height + 8), tuple(boxes), tuple(edges))


def _box(table: Table, place: list[float], height: float) -> Box:
    x, y, width, tall = place
    left, top = round(x - width / 2 + 4, 1), round(height - y - tall / 2 + 4, 1)
    lines = tuple(
        Line(text, kind, top + HEAD + PAD / 2 + ROW * row + 12)
        for row, (text, kind) in enumerate(_columns(table))
    )
    return Box(table.name, _cut(table.name), left, top, round(width, 1), round(tall, 1), lines)


def _edge(numbers: list[float], title: str, height: float) -> Edge:
    points = [
        (round(x + 4, 1), round(height - y + 4, 1)) for x, y in zip(numbers[::2], numbers[1::2], strict=True)
    ]
    path = f"M{points[0][0]} {points[0][1]}C" + " ".join(f"{x} {y}" for x, y in points[1:])
    return Edge(path, title, *points[-1])
