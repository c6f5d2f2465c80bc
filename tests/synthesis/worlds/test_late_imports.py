"""What tools and applications may import works behind the seal; no more than that is loaded for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synthesis.worlds.runtime import layer_of
from synthesis.worlds.sandbox.fork_client import ForkClient
from synthesis.worlds.world import World

from .conftest import MakeWorld, make_environment, tool

USES = {
    "strptime": "str(datetime.strptime('3 March 2026', '%d %B %Y'))",
    "decimal": "f\"{Decimal('1234.50'):n}\"",
    "ratio": "str(Decimal('0.75').as_integer_ratio())",
    "median": "str(statistics.median([Decimal(1), Decimal(2)]))",
    "quantile": "statistics.NormalDist(0, 1).inv_cdf(0.5)",
    "samples": "len(statistics.NormalDist(0, 1).samples(2, seed=1))",
    "counter": "collections.Counter('aab').most_common(1)[0][0]",
    "chain": "collections.ChainMap({'a': 1}).copy()['a']",
    "regex": "re.sub(r'(?i)\\bA', 'b', 'a A')",
    "named_sign": "re.search(r'\\N{LATIN SMALL LETTER A}', 'a')[0]",
    "json": "json.loads(json.dumps({'a': [1.5, None]}))",
    "template": "string.Template('$a').substitute(a='x')",
    "local_number": "format(1234, 'n')",
    "cp1252": "'ä'.encode('cp1252').decode('latin-1')",
    "gb18030": "'桥'.encode('gb18030').decode('gb18030')",
    "shift_jis": "'橋'.encode('shift_jis').decode('shift_jis')",
    "idna": "'bücher.example'.encode('idna').decode()",
    "punycode": "'ä'.encode('punycode').decode()",
}
IMPORTS = """
import collections, json, re, statistics, string
from datetime import datetime
from decimal import Decimal


"""
APPLICATION = """
from fastapi import FastAPI

app = FastAPI()


@app.get("/noon", operation_id="noon")
def noon() -> list:
    import csv, difflib, html, sqlite3, uuid
    from datetime import datetime
    from xml.etree import ElementTree
    from zoneinfo import ZoneInfo

    day = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Asia/Tokyo"))
    return [str(day.utcoffset()), ElementTree.fromstring("<a>b</a>").text, html.unescape("&lt;")]
"""


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    tools = "".join(tool(f"return {{'value': {use}}}", name=f"use_{name}") for name, use in USES.items())
    with World(make_environment(IMPORTS + tools)) as world:
        yield world


@pytest.mark.parametrize("name", USES)
def test_a_tool_can_use_it(world: World, name: str) -> None:
    with world.instance() as instance:
        result = instance.call(f"use_{name}")
    assert result.ok, result.message


def test_a_tool_that_wants_an_unknown_encoding_hears_that(make_world: MakeWorld) -> None:
    tools = tool("return {'value': 'a'.encode('nothing')}")
    with make_world(tools).instance() as instance:
        assert "unknown encoding: nothing" in instance.call("act").message


def test_an_application_can_import_what_a_program_can(make_world: MakeWorld) -> None:
    with make_world(APPLICATION, schema="CREATE TABLE t (id INTEGER PRIMARY KEY)", rows={}).instance() as one:
        result = one.call("noon")
    assert result.value == ["9:00:00", "b", "<"], result.message


@pytest.mark.parametrize("library", ["_sqlite3", "pyexpat", "_elementtree", "_bz2", "_lzma"])
def test_only_applications_have_libraries_that_no_tool_can_import(library: str) -> None:
    for layer in ("", layer_of("fastapi")):
        server = ForkClient(layer=layer)
        try:
            mapped = Path(f"/proc/{server.pid}/maps").read_text(encoding="utf-8")
        finally:
            server.close()
        assert (library in mapped) is bool(layer)
