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


ROLES = """
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL);
CREATE TABLE shipper (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE country (country_id INTEGER PRIMARY KEY, country TEXT NOT NULL, last_update TIMESTAMP NOT NULL);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    manager_staff_id INTEGER NOT NULL REFERENCES staff (staff_id),
    assigned_to INTEGER REFERENCES staff (staff_id),
    ship_via INTEGER REFERENCES shipper (id),
    order_date TIMESTAMP NOT NULL,
    required_date TIMESTAMP,
    ship_name TEXT, ship_address TEXT, ship_city TEXT, ship_country TEXT,
    lft INTEGER, birth_date TIMESTAMP
);
"""


def _orders():
    return read_data_model(handed(ROLES).schema).relations["orders"]


@pytest.mark.parametrize(
    ("column", "words"),
    [("manager_staff_id", "manager"), ("assigned_to", "assignee"), ("ship_via", "shipper")],
)
def test_a_reference_is_called_by_what_its_row_is_to_this_one(column, words):
    assert _orders().field(column).words == words


def test_a_name_among_columns_about_something_else_does_not_name_the_row():
    assert "ship_name" not in _orders().label


def test_a_column_called_like_its_table_is_the_name():
    country = read_data_model(handed(ROLES).schema).relations["country"]
    assert country.label == ("country",)
    assert country.field("country").words == "name"


def test_a_day_follows_another_whose_name_begins_with_that_of_the_table():
    assert ("order_date", "required_date") in _orders().before


def test_what_a_library_computes_is_never_asked_for():
    assert not _orders().field("lft").asked


def test_of_a_birth_only_the_day_is_known():
    assert _orders().field("birth_date").at_midnight
    assert not _orders().field("order_date").at_midnight
