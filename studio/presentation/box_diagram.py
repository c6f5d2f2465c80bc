"""Box diagrams: boxes of lines with arrows between them, placed in layers from left to right."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from grandalf.graphs import Edge as LayoutEdge
from grandalf.graphs import Graph, Vertex, graph_core
from grandalf.layouts import SugiyamaLayout, VertexViewer
from grandalf.routing import EdgeViewer

ROW, HEAD, PAD = 17, 26, 10
LONGEST_NAME = 26
BETWEEN_BOXES, BETWEEN_LAYERS, MARGIN = 22, 64, 6
ROUNDS = 4
"""Passes over the layers that bring boxes closer to what they are linked with."""
MOST_BOXES, MOST_LINKS = 400, 600
"""The layout recurses from box to box."""
LOOP = 26
"""How far the arrow of a box to itself leaves it."""

Point = tuple[float, float]


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
    """One card, placed; x and y are its upper left corner."""

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

    @property
    def middle(self) -> float:
        """The height at which arrows leave and arrive."""
        return round(self.y + self.height / 2, 1)


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
    """The drawing, or None of more boxes or links than anybody would look at, which take many seconds to lay
    out; equal cards and links are drawn once."""
    if len(cards) > MOST_BOXES or len({(link.source, link.target) for link in links}) > MOST_LINKS:
        return None
    titles: dict[tuple[int, int], list[str]] = defaultdict(list)
    for link in links:
        if link.title not in titles[link.source, link.target]:
            titles[link.source, link.target].append(link.title)
    boxes: dict[int, Box] = {}
    routes: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    top: float = MARGIN
    for group in _groups(cards, sorted(titles)):
        placed = _Layers(cards, group, top)
        boxes |= placed.boxes
        routes |= placed.routes
        top = placed.bottom + BETWEEN_BOXES
    edges = tuple(
        _edge(boxes[source], boxes[target], routes.get((source, target), []), "\n".join(lines))
        for (source, target), lines in titles.items()
    )
    right = max((box.x + box.width for box in boxes.values()), default=0) + LOOP + MARGIN
    bottom = max((box.y + box.height for box in boxes.values()), default=0) + MARGIN
    return Diagram(round(right), round(bottom), tuple(boxes[n] for n in range(len(cards))), edges)


def cut(name: str) -> str:
    """A name as long as a box has room for."""
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _size(card: Card) -> tuple[int, int]:
    shown = [card.name, *[text for text, _ in card.lines]]
    width = max(110, 24 + max(8 * min(len(text), LONGEST_NAME) for text in shown))
    return width, HEAD + PAD + ROW * len(card.lines)


def _groups(cards: tuple[Card, ...], pairs: list[tuple[int, int]]) -> list[graph_core]:
    """Boxes that are linked with each other, largest group first; single boxes at the end.

    The layout counts downwards, the drawing goes to the right: width and height change places.
    """
    nodes = []
    for number, card in enumerate(cards):
        width, height = _size(card)
        node = Vertex(number)
        node.view = VertexViewer(w=height, h=width)
        nodes.append(node)
    # One arrow each way between two boxes is one line to the layout, and none from a box to itself.
    lines = {(min(pair), max(pair)): pair for pair in reversed(pairs) if pair[0] != pair[1]}
    edges = [LayoutEdge(nodes[source], nodes[target]) for source, target in sorted(lines.values())]
    groups = list(Graph(nodes, edges).C)
    return sorted(groups, key=lambda group: (-group.order(), min(node.data for node in group.sV)))


class _Layers:
    """One connected group, placed below a height.

    Attributes:
        boxes: The boxes by their number.
        routes: Per pair of boxes the layers between that its line crosses: left side, right side, height.
        bottom: Where the lowest box ends.
    """

    def __init__(self, cards: tuple[Card, ...], group: graph_core, top: float) -> None:
        for edge in group.sE:
            edge.view = EdgeViewer()
        layout = SugiyamaLayout(group)
        layout.xspace, layout.yspace = BETWEEN_BOXES, BETWEEN_LAYERS
        layout.init_all(roots=[node for node in group.sV if not node.e_in()] or None)
        layout.draw(ROUNDS)
        self._low = min(node.view.xy[0] - node.view.w / 2 for node in group.sV) - top
        self.boxes = {node.data: self._box(cards[node.data], node) for node in group.sV}
        self.bottom = max(box.y + box.height for box in self.boxes.values())
        spans = self._straighten(layout)
        self.routes: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
        for edge in group.sE:
            crossed = layout.ctrls.get(edge, {})
            waypoints = [
                (*spans[rank], round(crossed[rank].view.xy[0] - self._low, 1))
                for rank in sorted(crossed)
                if rank in spans and not isinstance(crossed[rank], Vertex)
            ]
            source, target = edge.v[0].data, edge.v[1].data
            self.routes[source, target] = waypoints
            self.routes[target, source] = [(right, left, y) for left, right, y in reversed(waypoints)]

    def _straighten(self, layout: SugiyamaLayout) -> dict[int, Point]:
        """Move every layer to the right of the one before; returns the sides of each."""
        spans: dict[int, Point] = {}
        left: float = MARGIN
        for rank, layer in enumerate(layout.layers):
            numbers = [node.data for node in layer if isinstance(node, Vertex)]
            width = max((self.boxes[number].width for number in numbers), default=0)
            for number in numbers:
                self.boxes[number] = _at(self.boxes[number], left)
            spans[rank] = (left, left + width)
            left += width + BETWEEN_LAYERS
        return spans

    def _box(self, card: Card, node: Vertex) -> Box:
        width, height = _size(card)
        y = round(node.view.xy[0] - node.view.w / 2 - self._low, 1)
        lines = tuple(
            Line(text, kind, y + HEAD + PAD / 2 + ROW * row + 12)
            for row, (text, kind) in enumerate(card.lines)
        )
        return Box(card.name, cut(card.name), 0, y, width, height, lines)


def _at(box: Box, x: float) -> Box:
    return Box(box.name, box.title, x, box.y, box.width, box.height, box.lines)


def _edge(source: Box, target: Box, between: list[tuple[float, float, float]], title: str) -> Edge:
    if source == target:
        return _loop(source, title)
    forwards = source.x < target.x
    start = (source.x + source.width if forwards else source.x, source.middle)
    end = (target.x if forwards else target.x + target.width, target.middle)
    path, at = f"M{start[0]} {start[1]}", start
    for left, right, y in between:
        path += f"{_curve(at, (left, y))}L{right} {y}"
        at = (right, y)
    return Edge(path + _curve(at, end), title, *end)


def _curve(start: Point, end: Point) -> str:
    """From one place to another, level at both."""
    middle = round((start[0] + end[0]) / 2, 1)
    return f"C{middle} {start[1]} {middle} {end[1]} {end[0]} {end[1]}"


def _loop(box: Box, title: str) -> Edge:
    right, low = box.x + box.width, box.middle + ROW
    path = f"M{right} {box.middle}C{right + LOOP} {box.middle} {right + LOOP} {low} {right} {low}"
    return Edge(path, title, right, low)
