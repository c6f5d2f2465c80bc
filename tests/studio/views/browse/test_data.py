"""The data browser: hostile names and long cells, NULL and empty told apart, keyset pages, states, SQL."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from studio.models import AuthorKind, EnvironmentRecord
from studio.presentation.downloads import neutral
from studio.presentation.table_queries import quoted
from studio.services.environments.environments import add_revision, store_environment
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import SeedData
from synthesis.worlds.database import read_schema

ODD = 'we]ird"/💥\u202e select'
SQL = f"""CREATE TABLE members (
  id INTEGER PRIMARY KEY, name TEXT, note TEXT, photo BLOB, kind TEXT DEFAULT 'child'
);
CREATE TABLE loans (id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (id), item TEXT);
CREATE TABLE {quoted(ODD)} ({quoted("from")} TEXT PRIMARY KEY, {quoted('a"b')} TEXT);
"""


@pytest.fixture
def odd(db: None, environment: Environment) -> EnvironmentRecord:
    """An environment whose tables would break careless SQL and careless HTML."""
    members = [{"id": n, "name": f"Member {n:03}", "note": None, "kind": "adult"} for n in range(4, 120)]
    seeds = SeedData(
        rows={
            "members": (
                {"id": 1, "name": "", "note": None},
                {"id": 2, "name": "0", "note": "x" * 1_000_000},
                {"id": 3, "name": "=HYPERLINK(1)", "note": "<script>alert(1)</script>"},
                *members,
            ),
            "loans": ({"id": 7, "member_id": 4, "item": "drill"},),
            ODD: ({"from": "there", 'a"b': "=1+1"},),
        }
    )
    changed = environment.replace(schema=read_schema(SQL), seed_data=seeds)
    revision = store_environment(environment=changed, author_kind=AuthorKind.MODEL, reason="Odd.")
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


def get(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def test_null_empty_and_zero_are_told_apart_in_words(odd, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    assert '<span class="value-null">none</span>' in get(
        client, f"/environments/{odd.name}/data/table/members/"
    )
    client.cookies["view"] = "expert"
    page = get(client, f"/environments/{odd.name}/data/table/members/")
    assert '<span class="value-null">NULL</span>' in page
    assert '<span class="value-empty">empty text</span>' in page
    assert ">0</span>" in page


def test_a_long_cell_is_cut_with_its_length_and_whole_on_its_own_page(
    odd, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    page = get(client, f"/environments/{odd.name}/data/table/members/")
    assert len(page) < 500_000
    assert "1000000 characters" in page
    assert "x" * 1_000_000 in get(client, f"/environments/{odd.name}/data/row/members/?id=2")


def test_hostile_names_work_everywhere(odd, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    for address in (f"/environments/{odd.name}/data/", f"/environments/{odd.name}/schema/"):
        assert "we]ird&quot;/💥" in get(client, address).lower()
    listing = client.get(f"/environments/{odd.name}/data/").content.decode()
    address = next(part for part in listing.split('href="') if "/data/table/we" in part).split('"')[0]
    page = get(client, address)
    assert "there" in page
    row = next(part for part in page.split('href="') if "/data/row/we" in part).split('"')[0]
    assert "there" in get(client, row.replace("&amp;", "&"))
    assert "there" in get(client, f"{address}?sort=-from&q=the&is.from=there")


def test_pages_follow_the_key_and_miss_nothing(odd, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    for sort in ("", "name", "-name", "note"):
        seen: list[str] = []
        address = f"?sort={sort}"
        while address:
            answer = client.get(f"/environments/{odd.name}/data/table/members/{address}")
            seen += [str(row["cells"][0]["value"]) for row in answer.context["rows"]]
            address = answer.context["more"]
        assert len(seen) == len(set(seen)) == 119, sort


def test_facets_narrow_and_can_be_taken_back(odd, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    base = f"/environments/{odd.name}/data/table/members/"
    answer = client.get(base)
    (kinds,) = [facet for facet in answer.context["facets"] if facet["name"] == "kind"]
    child = next(choice for choice in kinds["choices"] if choice["value"] == "child")
    assert child["count"] == 3
    narrowed = client.get(base + child["address"])
    assert len(narrowed.context["rows"]) == 3
    (kinds,) = [facet for facet in narrowed.context["facets"] if facet["name"] == "kind"]
    assert next(choice["address"] for choice in kinds["choices"] if choice["chosen"]) == "?"


def test_a_foreign_key_carries_the_label_of_its_row(odd, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    page = get(client, f"/environments/{odd.name}/data/table/loans/")
    assert f'href="/environments/{odd.name}/data/row/members/?id=4"' in page
    assert "Member 004" in page


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "\uff1d1",
        "\uff0b1",
        "\uff201",
        " =1",
        "\ufeff=1",
    ],
)
def test_a_cell_that_begins_a_formula_is_neutralised(cell: str) -> None:
    assert neutral(cell) == "'" + cell


def test_numbers_and_plain_text_stay_as_they_are() -> None:
    assert [neutral(value) for value in (-1, 0.5, None, "a=b", " a", "")] == [-1, 0.5, None, "a=b", " a", ""]


def test_the_state_after_a_step_is_another_than_the_beginning(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    row = f"/environments/{shelf.environment.name}/data/row/loans/?id=7"
    before = client.get(row).context["cells"]
    after = client.get(f"{row}&at={shelf.trajectory.pk}/1").context["cells"]
    assert [cell["value"] for cell in before] == [7, 1, "drill", 0]
    assert [cell["value"] for cell in after] == [7, 1, "drill", 1]
    page = get(client, f"/environments/{shelf.environment.name}/data/?at={shelf.trajectory.pk}/1")
    assert "The database after step 1" in page
    assert f"data/table/loans/?at={shelf.trajectory.pk}%2F1" in page


@pytest.mark.parametrize("at", ["0/1", "x/1", "1/99999", "1", "-1/1"])
def test_a_state_that_does_not_exist_is_told(at: str, shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    get(client, f"/environments/{shelf.environment.name}/data/?at={at}", 404)


def test_sql_answers_and_its_result_can_be_kept(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    address = f"/environments/{shelf.environment.name}/data/sql/?query=SELECT+name+FROM+members+ORDER+BY+id"
    assert "Ada" in get(client, address)
    assert client.get(f"{address}&format=csv").content.decode().splitlines()[:2] == ["name", "Ada"]


@pytest.mark.parametrize(
    "query",
    ["DELETE FROM loans", "DROP TABLE loans", "PRAGMA writable_schema=1", "ATTACH '/etc/passwd' AS p",
     "SELECT load_extension('x')", "SELEC",
     "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT sum(x) FROM c"],
)  # fmt: skip
def test_sql_that_writes_reaches_out_or_never_ends_is_refused_in_place(
    query: str, shelf, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    answer = client.get(f"/environments/{shelf.environment.name}/data/sql/", {"query": query})
    assert answer.status_code == 200
    assert "The query failed" in answer.context["error"]
    assert client.get(f"/environments/{shelf.environment.name}/data/table/loans/").context["count"] == "1"


@pytest.mark.parametrize(
    ("query", "reason"),
    [("DELETE FROM loans", "begin it with SELECT"), ("SELEC", 'The query failed: near "SELEC"')],
)
def test_sql_that_is_refused_says_why_without_names_of_errors(
    query: str, reason: str, shelf, viewer: User, client: Client
) -> None:
    client.force_login(viewer)
    answer = client.get(f"/environments/{shelf.environment.name}/data/sql/", {"query": query})
    assert reason in answer.context["error"]
    assert "Error" not in answer.context["error"]


def test_a_row_that_is_not_there_is_missed_in_the_table_s_words(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    answer = client.get(f"/environments/{shelf.environment.name}/data/row/loans/?id=99")
    assert answer.status_code == 404
    assert "Loans has no row with id = 99." in answer.content.decode()


def test_rows_are_shown_at_any_revision(odd, viewer: User, client: Client, environment: Environment) -> None:
    changed = environment.replace(
        schema=read_schema(SQL),
        seed_data=SeedData(rows={"members": ({"id": 1, "name": "Somebody new"},), "loans": (), ODD: ()}),
    )
    add_revision(record=odd, environment=changed, author_kind=AuthorKind.MODEL, reason="Fewer rows.")
    client.force_login(viewer)
    address = f"/environments/{odd.name}/data/table/members/"
    now = get(client, address)
    assert "Somebody new" in now
    assert '<option value="2" selected>2, current: Fewer rows.</option>' in " ".join(now.split())
    before = get(client, f"{address}?revision=1")
    assert "Member 004" in before
    assert "Revision 1, not the current one." in before
    assert "not the current one" not in get(client, f"{address}?revision=2")


def test_a_state_leads_to_the_steps_beside_it(shelf, viewer: User, client: Client) -> None:
    client.force_login(viewer)
    address = f"/environments/{shelf.environment.name}/data/table/loans/"
    page = get(client, f"{address}?at={shelf.trajectory.pk}/1")
    assert f'href="?at={shelf.trajectory.pk}%2F0"' in page
    assert "Before the first step" in page
    assert "After step 2" in page
