"""Box diagrams: nothing overlaps, every link is drawn, whatever the boxes and links are."""

from __future__ import annotations

import random
import re
from itertools import combinations

import pytest

from studio.presentation.box_diagram import MOST_BOXES, MOST_LINKS, Box, Card, Diagram, Link, drawn


def _apart(one: Box, other: Box) -> bool:
    return (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )


def _picture(cards: tuple[Card, ...], links: tuple[Link, ...]) -> Diagram:
    picture = drawn(cards, links)
    assert picture is not None
    return picture


@pytest.mark.parametrize("seed", range(40))
def test_boxes_lie_apart_and_every_link_is_drawn(seed: int) -> None:
    dice = random.Random(seed)
    count = dice.randint(1, 25)
    cards = tuple(
        Card(f"c{n}", (("x" * dice.randint(1, 30), "key"),) * dice.randint(0, 8)) for n in range(count)
    )
    links = tuple(
        Link(dice.randrange(count), dice.randrange(count), str(n)) for n in range(dice.randint(0, 2 * count))
    )
    picture = _picture(cards, links)
    assert [box.name for box in picture.boxes] == [card.name for card in cards]
    assert all(_apart(one, other) for one, other in combinations(picture.boxes, 2))
    assert all(box.x + box.width <= picture.width for box in picture.boxes)
    assert all(box.y + box.height <= picture.height for box in picture.boxes)
    assert len(picture.edges) == len({(link.source, link.target) for link in links})


def test_a_line_leaves_the_right_side_and_passes_no_box_between() -> None:
    cards = tuple(Card(name, (("x", "key"),)) for name in ("first", "second", "third"))
    picture = _picture(cards, (Link(0, 1, "a"), Link(1, 2, "b"), Link(0, 2, "c")))
    first, second, third = picture.boxes
    long = next(edge for edge in picture.edges if edge.title == "c")
    assert long.path.startswith(f"M{first.x + first.width} {first.middle}C")
    assert (long.end_x, long.end_y) == (third.x, third.middle)
    (level,) = re.findall(r"L[\d.]+ ([\d.]+)", long.path)
    assert not second.y <= float(level) <= second.y + second.height


def test_a_box_may_refer_to_itself_and_twice_to_another() -> None:
    cards = (Card("staff", ()), Card("shifts", ()))
    picture = _picture(cards, (Link(0, 0, "manager"), Link(1, 0, "by early"), Link(1, 0, "by late")))
    assert [edge.title for edge in picture.edges] == ["manager", "by early\nby late"]


def test_names_are_text_whatever_they_are() -> None:
    hostile = '"]; n9 [label="x'
    picture = _picture((Card(hostile, ((hostile, "key"),)), Card("b", ())), (Link(0, 1, hostile),))
    assert [box.name for box in picture.boxes] == [hostile, "b"]
    assert picture.edges[0].title == hostile


def test_more_boxes_than_anybody_would_look_at_are_no_picture() -> None:
    cards = tuple(Card(str(n), ()) for n in range(MOST_BOXES + 1))
    chain = tuple(Link(n, n + 1, "") for n in range(MOST_BOXES - 1))
    assert drawn(cards[:MOST_BOXES], chain) is not None
    assert drawn(cards, chain) is None


def test_more_links_than_anybody_would_look_at_are_not_laid_out() -> None:
    cards = tuple(Card(str(n), ()) for n in range(40))
    pairs = [(source, target) for source in range(40) for target in range(40) if source < target]
    links = tuple(Link(source, target, "") for source, target in pairs)
    assert len(links) > MOST_LINKS
    assert drawn(cards, links) is None
