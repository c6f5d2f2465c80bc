"""A table of a million rows: made beside the page, opened at once afterwards, counted only so far."""

from __future__ import annotations

import json
from concurrent.futures import wait

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import AuthorKind, EnvironmentRecord, PartRecord, Revision
from studio.services.browse import state_queries
from studio.services.environments.environments import store_environment
from synthesis.documents.environment import Environment
from synthesis.worlds.database import read_schema

MANY = 1_000_000
SQL = "CREATE TABLE readings (id INTEGER PRIMARY KEY, sensor TEXT NOT NULL, note TEXT);\n"


def grown(environment: Environment, rows: int) -> EnvironmentRecord:
    """The environment with so many rows in one more table, written as text: objects would fill the memory."""
    schema = read_schema(environment.schema.sql + SQL)
    revision = store_environment(
        environment=environment.replace(schema=schema), author_kind=AuthorKind.MODEL, reason="Large."
    )
    part = revision.parts.get(part="seed_data")
    document = json.loads(part.document)
    written = ",".join(f'{{"id":{n},"sensor":"s{n % 50}","note":null}}' for n in range(1, rows + 1))
    document["rows"]["readings"] = "HERE"
    text = json.dumps(document).replace('"HERE"', f"[{written}]")
    PartRecord.objects.filter(pk=part.pk).update(document=text)
    Revision.objects.filter(pk=revision.pk).update(rows=rows + 3)
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


@pytest.mark.at_length
def test_a_table_of_a_million_rows_says_that_it_is_being_made_and_then_opens(
    db: None, environment: Environment, viewer: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = grown(environment, MANY)
    client.force_login(viewer)
    address = f"/environments/{record.name}/data/table/readings/"
    monkeypatch.setattr(state_queries, "OPENING_SECONDS", 0.01)
    answer = client.get(address)
    assert answer.status_code == 503
    assert "1,000,003 rows are being loaded" in answer.content.decode()
    assert "Reload this page in a few seconds" in answer.content.decode()
    wait(state_queries.opening())
    page = client.get(address).content.decode()
    assert "&gt;10,000 rows" in page
    assert "50 shown of &gt;10,000" in page
    assert len(page) < 500_000
    assert 'rel="next"' in page
    assert "s7" in client.get(address + "?q=s7&sort=-sensor").content.decode()
    parts = client.get(address + "?format=csv").streaming_content
    assert sum(part.count(b"\n") for part in parts) == 1 + MANY
    parts = client.get(address + "?format=csv&is.sensor=s7&sort=-id").streaming_content
    assert sum(part.count(b"\n") for part in parts) == 1 + MANY // 50


def test_a_look_that_takes_too_long_is_named_and_the_page_still_opens(
    stored: EnvironmentRecord, viewer: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(viewer)
    address = f"/environments/{stored.name}/data/table/loans/"
    client.get(address)
    asked = state_queries.rows

    def slow(*, sql: str, **others: object) -> list[dict[str, object]]:
        if "count(*)" not in sql and "ORDER BY" in sql:
            endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT sum(x) FROM c"
            return asked(sql=endless, **{**others, "params": ()})  # type: ignore[arg-type]
        return asked(sql=sql, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(state_queries, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(state_queries, "rows", slow)
    answer = client.get(address)
    assert answer.status_code == 200
    assert "Stopped at the time limit" in answer.content.decode()
    assert "may take 0.1 seconds" in answer.content.decode()
