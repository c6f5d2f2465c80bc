"""Worlds differ in how they write days and amounts, in how lists are paged, and in what tools are called."""

from __future__ import annotations

from datetime import datetime

import pytest

from synthesis.procedural.business.author import _business, compose, style_of
from synthesis.procedural.composing.days import DAYS
from synthesis.worlds import comparison
from synthesis.worlds.world import World

SENTENCE = "A boatyard stores yachts over winter and services engines"
CLOCK = datetime(2026, 5, 4, 9, 0)


@pytest.mark.parametrize("write", DAYS)
def test_every_way_to_write_a_day_is_read_as_that_day(write) -> None:
    assert comparison.dates(f"until {write('2026-08-06', CLOCK)}.", CLOCK.year) == {"2026-08-06"}


def test_styles_differ_and_amounts_are_read_whatever_their_form() -> None:
    styles = [_business(SENTENCE, seed).style for seed in range(24)]
    assert {style.pages for style in styles} == {"offset", "page", "cursor"}
    assert len({style.days for style in styles}) > 4
    written = {_business(SENTENCE, seed).money(123_450) for seed in range(24)}
    assert len(written) > 3
    assert all(123_450 in comparison.amounts(text) for text in written)


def test_pages_by_cursor_show_every_row_once_and_refuse_what_is_no_cursor() -> None:
    seed = next(seed for seed in range(24) if _business(SENTENCE, seed).style.pages == "cursor")
    business = _business(SENTENCE, seed)
    tool = business.tool[f"find {business.party.name}"]
    environment = compose(SENTENCE, seed=seed)
    with World(environment, isolation="shared") as world, world.instance() as instance:
        keys: list[int] = []
        cursor, pages = None, 0
        while pages == 0 or cursor is not None:
            given = {"limit": 9} if cursor is None else {"limit": 9, "cursor": cursor}
            page = instance.call(tool, given).value
            keys += [item[business.party.key] for item in page["items"]]
            cursor, pages = page["next_cursor"], pages + 1
        total = instance.query(f"SELECT count(*) AS n FROM {business.party.name}")[0]["n"]
        refused = instance.call(tool, {"cursor": "c-1"})
    assert pages > 1
    assert len(keys) == len(set(keys)) == total == page["total"]
    assert (refused.status, "next_cursor" in refused.message) == ("refused", True)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("part", {"whole": True, "start": True, "end": True, "words": False}),
        ("start", {"whole": True, "start": True, "end": False, "words": False}),
        ("words", {"whole": True, "start": True, "end": True, "words": True}),
        ("whole", {"whole": True, "start": False, "end": False, "words": False}),
    ],
)
def test_names_are_searched_in_the_way_that_the_tool_says(search, found) -> None:
    seed = next(seed for seed in range(40) if style_of(SENTENCE, seed=seed).search == search)
    business = _business(SENTENCE, seed)
    tool = business.tool[f"find {business.party.name}"]
    with World(compose(SENTENCE, seed=seed), isolation="shared") as world, world.instance() as instance:
        rows = instance.query(f"SELECT id, name FROM {business.party.name}")
        row = next(row for row in rows if " " in row["name"])
        first, last = row["name"].split(" ", 1)
        asked = {
            "whole": row["name"].upper(),
            "start": first[:3].lower(),
            "end": last[-4:].lower(),
            "words": f"{first[:2]} {last[-3:]}",
        }
        size = "page_size" if business.style.pages == "page" else "limit"
        shown = {
            each: instance.call(tool, {"name": text, size: 50}).value["items"] for each, text in asked.items()
        }
        jokers = instance.call(tool, {"name": "%"}).value["total"]
    assert {
        each: row["id"] in [item[business.party.key] for item in items] for each, items in shown.items()
    } == found
    assert jokers == 0
