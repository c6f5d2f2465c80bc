"""Box diagrams: `dot` places boxes of lines and the arrows between them, the page draws them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache

PIXELS = 72
"""Pixels per inch, dot's unit."""

ROW, HEAD, PAD = 17, 26, 10
LONGEST_NAME = 26
TIMEOUT = 10


@dataclass(frozen=True)
class Card:
    """What a box is to show: its name, and lines of text with their kind."""

    name: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Link:
    """An arrow between two boxes by their number, with what it says when pointed at."""

    source: int
    target: int
    title: str


@dataclass(frozen=True)
class Line:
    """One line of text within a box."""

    text: str
    kind: str
    y: float


@dataclass(frozen=True)
class Box:
    """One card, placed."""

    name: str
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
        """The base line of the name."""
        return self.y + 17


@dataclass(frozen=True)
class Edge:
    """One link, placed."""

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
def drawn(cards: tuple[Card, ...], links: tuple[Link, ...]) -> Diagram | None:
    """The drawing, or None where `dot` is missing or gives up; equal cards and links are drawn once."""
    if shutil.which("dot") is None:
        return None
    # Names never reach dot: nodes are numbered, so no name can break its syntax.
    lines = ['digraph { rankdir=LR; nodesep=0.35; ranksep=0.8; node [shape=box, fixedsize=true, label=""];']
    for number, card in enumerate(cards):
        width, height = _size(card)
        lines.append(f"n{number} [width={width / PIXELS:.3f}, height={height / PIXELS:.3f}];")
    lines += [f"n{link.source} -> n{link.target};" for link in links]
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
    return _read(done.stdout, cards, {(link.source, link.target): link.title for link in links})


def cut(name: str) -> str:
    """A name as long as a box has room for."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _size(card: Card) -> tuple[int, int]:
    shown = [card.name, *[text for text, _ in card.lines]]
    width = max(110, 24 + max(8 * min(len(text), LONGEST_NAME) for text in shown))
    return width, HEAD + PAD + ROW * len(card.lines)


def _read(plain: str, cards: tuple[Card, ...], titles: dict[tuple[int, int], str]) -> Diagram:
    """Boxes and edges from dot's plain output, whose y grows upwards."""
    width = height = 0.0
    boxes: list[Box] = []
    edges: list[Edge] = []
    for line in plain.splitlines():
        words = line.split()
        if words[0] == "graph":
            width, height = float(words[2]) * PIXELS, float(words[3]) * PIXELS
        elif words[0] == "node":
            boxes.append(_box(cards[int(words[1][1:])], [float(w) * PIXELS for w in words[2:6]], height))
        elif words[0] == "edge":
            ends = int(words[1][1:]), int(words[2][1:])
            numbers = [float(w) * PIXELS for w in words[4 : 4 + 2 * int(words[3])]]
            edges.append(_edge(numbers, titles.get(ends, ""), height))
    return Diagram(round(width + 8), round(height + 8), tuple(boxes), tuple(edges))


def _box(card: Card, place: list[float], height: float) -> Box:
    x, y, width, tall = place
    left, top = round(x - width / 2 + 4, 1), round(height - y - tall / 2 + 4, 1)
    lines = tuple(
        Line(text, kind, top + HEAD + PAD / 2 + ROW * row + 12) for row, (text, kind) in enumerate(card.lines)
    )
    return Box(card.name, cut(card.name), left, top, round(width, 1), round(tall, 1), lines)


def _edge(numbers: list[float], title: str, height: float) -> Edge:
    points = [
        (round(x + 4, 1), round(height - y + 4, 1)) for x, y in zip(numbers[::2], numbers[1::2], strict=True)
    ]
    path = f"M{points[0][0]} {points[0][1]}C" + " ".join(f"{x} {y}" for x, y in points[1:])
    return Edge(path, title, *points[-1])
