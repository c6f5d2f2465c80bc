"""DataModel: tables, keys, names, states and owners are understood."""

from __future__ import annotations

import pytest

from synthesis.documents.seed_data import SeedData
from synthesis.procedural.derived.data_model import read_data_model
from synthesis.worlds.database import read_schema
from tests.synthesis.procedural.derived.schemas import MANY_CHECKS, handed


def test_rows_are_called_by_their_names(model):
    labels = {table: relation.label for table, relation in model.relations.items()}
    assert labels == {
        "Customers": ("CompanyName",),
        "Employees": ("FirstName", "LastName"),
        "Products": ("ProductName",),
        "Orders": (),
        "Order Details": (),
    }


def test_parts_belong_to_what_their_name_begins_with(model):
    orders = model.relations["Orders"]
    assert model.relations["Order Details"].owner == "OrderID"
    assert [child.table for child, _ in model.parts_of(orders)] == ["Order Details"]


def test_states_follow_each_other_and_ways_out_begin_before_the_end(model):
    orders = model.relations["Orders"]
    assert dict(orders.flow) == {"paid": ("new",), "shipped": ("paid",), "cancelled": ("new", "paid")}
    assert orders.stamps == (("ShippedDate", "shipped"),)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("email TEXT", "email"),
        ("unit_price REAL", "money"),
        ("amount_cents INTEGER", "cents"),
        ("paid_at TIMESTAMP", "moment"),
        ("born DATE", "day"),
        ("created INTEGER", "count"),
        ("created_at INTEGER", "epoch"),
        ("is_active INTEGER", "flag"),
        ("active INTEGER CHECK (active IN (0, 1))", "flag"),
        ("size TEXT CHECK (size IN ('s', 'm'))", "choice"),
        ("status TEXT CHECK (status IN ('s', 'm'))", "state"),
        ("password_hash TEXT", "secret"),
        ("payload JSONB", "json"),
        ("photo BLOB", "blob"),
        ("ref TEXT CHECK (ref LIKE '____-__-__')", "day"),
        ("discount_percent REAL", "ratio"),
        ("notes TEXT", "text"),
        ("country_code CHAR(2)", "country"),
        ("total REAL GENERATED ALWAYS AS (1.0) STORED", "computed"),
        ("token UUID", "uuid"),
        ("opens TIME", "time"),
        ("paid DATE", "day"),
        ("paid INTEGER", "flag"),
    ],
)
def test_columns_are_told_by_type_name_and_checks(column, kind):
    schema = read_schema(f"CREATE TABLE thing (id INTEGER PRIMARY KEY, {column})")
    assert read_data_model(schema).relations["thing"].fields[1].kind == kind


def test_sample_rows_show_what_a_column_chooses_from():
    source = handed("CREATE TABLE thing (id INTEGER PRIMARY KEY, status TEXT NOT NULL, seen TEXT)")
    rows = SeedData(
        rows={
            "thing": tuple(
                {"id": i, "status": ("on", "off")[i % 2], "seen": "2024-05-06T07:08:09"} for i in range(9)
            )
        }
    )
    relation = read_data_model(source.schema, rows).relations["thing"]
    assert relation.field("status").values == ("on", "off")
    assert (relation.field("seen").kind, relation.field("seen").separator) == ("moment", "T")


def test_no_two_fields_share_a_name_or_words(model):
    source = handed(
        'CREATE TABLE t (id INTEGER PRIMARY KEY, "a b" TEXT, a_b TEXT, aB TEXT,'
        " reference TEXT, reference_id TEXT)"
    )
    for relation in (*model.relations.values(), *read_data_model(source.schema).relations.values()):
        assert len({field.name for field in relation.fields}) == len(relation.fields)
        assert len({field.words for field in relation.fields}) == len(relation.fields)


def test_columns_of_a_unique_key_and_their_order_are_known():
    contract = read_data_model(handed(MANY_CHECKS).schema).relations["contract"]
    assert ("tariff", "start") in contract.uniques
    assert ("start", "stop") in contract.before
