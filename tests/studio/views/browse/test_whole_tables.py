"""A table as a file: every row that the filters select, in batches, without formulas, within bounds."""

from __future__ import annotations

import asyncio
import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import AuthorKind, EnvironmentRecord
from studio.presentation import whole_tables
from studio.presentation.downloads import streamed_csv
from studio.presentation.table_queries import LONGEST_EXPORTED_CELL, Narrowing, Query
from studio.presentation.whole_tables import whole_table
from studio.services.browse import state_queries
from studio.services.environments.environments import store_environment
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import SeedData
from synthesis.errors import BrokenEnvironment
from synthesis.worlds.database import read_schema
from synthesis.worlds.job import JobFailed

SQL = """CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT, note TEXT, photo BLOB);
CREATE TABLE codes (code BLOB PRIMARY KEY, name TEXT) WITHOUT ROWID;
CREATE TABLE loans (id INTEGER PRIMARY KEY, item TEXT);
"""
COUNT = 300


@pytest.fixture
def shelf(db: None, environment: Environment) -> EnvironmentRecord:
    members = [
        {"id": n, "name": f"Member {n % 7}", "note": None if n % 3 else "x" * 40_000} for n in range(1, COUNT)
    ]
    seeds = SeedData(
        rows={
            "members": ({"id": COUNT, "name": "=HYPERLINK(1)", "note": "last"}, *members),
            "codes": tuple({"code": f"c{n:03}", "name": f"Code {n}"} for n in range(120)),
        }
    )
    changed = environment.replace(schema=read_schema(SQL), seed_data=seeds)
    revision = store_environment(environment=changed, author_kind=AuthorKind.MODEL, reason="Whole.")
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_tables, "_FIRST_ROWS", 4)
    monkeypatch.setattr(whole_tables, "_MOST_BATCH_ROWS", 64)


def rows_of(client: Client, record: EnvironmentRecord, table: str, query: str = "") -> list[list[str]]:
    answer = client.get(f"/environments/{record.name}/data/table/{table}/?format=csv{query}")
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'attachment; filename="{table}.csv"'
    return list(csv.reader(io.StringIO(answer.getvalue().decode())))


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("sort", ["", "name", "-name", "note", "-id"])
def test_every_row_is_in_the_file_once_and_in_the_order_of_the_page(
    shelf: EnvironmentRecord, viewer: User, client: Client, sort: str
) -> None:
    client.force_login(viewer)
    header, *rows = rows_of(client, shelf, "members", f"&sort={sort}")
    assert header == ["id", "name", "note", "photo"]
    assert sorted(int(row[0]) for row in rows) == list(range(1, COUNT + 1))
    page = client.get(f"/environments/{shelf.name}/data/table/members/?sort={sort}")
    shown = [row["cells"][0]["value"] for row in page.context["rows"]]
    assert [int(row[0]) for row in rows[: len(shown)]] == shown


@pytest.mark.usefixtures("small_batches")
def test_the_file_follows_the_filters_and_not_the_page(
    shelf: EnvironmentRecord, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    expected = [str(n) for n in range(1, COUNT) if n % 7 == 3]
    for query in ("&is.name=Member+3", "&q=member+3", "&is.name=Member+3&after=%5B100%5D"):
        assert [row[0] for row in rows_of(client, shelf, "members", query)[1:]] == expected, query
    assert rows_of(client, shelf, "loans") == [["id", "item"]]


def test_formulas_are_neutral_and_long_cells_are_cut_visibly(
    shelf: EnvironmentRecord, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    rows = rows_of(client, shelf, "members", "&sort=-id")
    assert rows[1] == ["300", "'=HYPERLINK(1)", "last", ""]
    assert (len(rows[2][2]), rows[2][2][-2:]) == (0, "")
    assert (len(rows[4][2]), rows[4][2][-2:]) == (LONGEST_EXPORTED_CELL, "x…")


@pytest.mark.usefixtures("small_batches")
def test_blobs_have_a_place_in_the_order(shelf: EnvironmentRecord, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert len(rows_of(client, shelf, "codes")) == 121
    assert len({row[0] for row in rows_of(client, shelf, "codes", "&sort=-code")[1:]}) == 120


def test_what_takes_too_long_is_a_page_and_no_empty_file(
    shelf: EnvironmentRecord, viewer: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object, **__: object) -> object:
        raise JobFailed("time", "out of time")

    monkeypatch.setattr(state_queries, "run_job", late)
    client.force_login(viewer)
    answer = client.get(f"/environments/{shelf.name}/data/table/members/?format=csv")
    assert answer.status_code >= 400
    assert "time limit" in answer.content.decode()


def numbers(count: int, *, most: int) -> Any:
    """A reader of so many rows that fails when more than `most` are asked for at once."""
    asked: list[int] = []

    def read(query: Query, limit: int) -> list[dict[str, Any]]:
        asked.append(limit)
        if limit > most:
            raise BrokenEnvironment("the answer is too large")
        begin = query.params[-1] + 1 if query.params else 0
        return [{"v0": n, "k0": n} for n in range(begin, min(begin + limit, count))]

    return read, asked


def test_a_batch_too_large_for_an_answer_is_asked_for_in_parts() -> None:
    table = read_schema("CREATE TABLE t (id INTEGER PRIMARY KEY);").tables[0]
    read, asked = numbers(100, most=5)
    assert [row[0] for row in whole_table(table, Narrowing(), read)] == list(range(100))
    assert asked[:4] == [256, 64, 16, 4]
    read, _ = numbers(100, most=0)
    with pytest.raises(BrokenEnvironment):
        whole_table(table, Narrowing(), read)


def test_a_file_ends_at_its_bound_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_tables, "MOST_ROWS", 10)
    table = read_schema("CREATE TABLE t (id INTEGER PRIMARY KEY);").tables[0]
    read, _ = numbers(11, most=1_000)
    rows = list(whole_table(table, Narrowing(), read))
    assert rows[-2:] == [[9], ["Only the first 10 rows: narrow the table to get the others."]]
    read, _ = numbers(10, most=1_000)
    assert list(whole_table(table, Narrowing(), read))[-1] == [9]


def test_an_asynchronous_server_gets_the_file_in_parts_while_it_is_written() -> None:
    written: list[int] = []

    def rows() -> Any:
        for number in range(1_000):
            written.append(number)
            yield ["x" * 1_000]

    async def first() -> bytes:
        async for part in streamed_csv("t", ["a"], rows()):
            return bytes(part)
        return b""

    assert len(asyncio.run(first())) > 60_000
    assert len(written) < 100
