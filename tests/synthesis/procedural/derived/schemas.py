"""Small schemas for the tests of derivation, each odd in a way of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Schema
from synthesis.documents.seed_data import SeedData
from synthesis.worlds.database import read_schema

CLOCK = datetime(2026, 3, 11, 9, 30)

SHOP = """
CREATE TABLE Customers (CustomerID TEXT PRIMARY KEY NOT NULL, CompanyName VARCHAR(40) NOT NULL,
    ContactName TEXT, City TEXT, Phone TEXT);
CREATE TABLE Employees (EmployeeID INTEGER PRIMARY KEY, FirstName TEXT NOT NULL, LastName TEXT NOT NULL,
    ReportsTo INTEGER REFERENCES Employees, HireDate DATE, Salary NUMERIC);
CREATE TABLE Products (ProductID INTEGER PRIMARY KEY, ProductName TEXT NOT NULL,
    UnitPrice NUMERIC DEFAULT 0 CHECK (UnitPrice >= 0), UnitsInStock INT,
    Discontinued BOOLEAN NOT NULL DEFAULT 0);
CREATE TABLE Orders (OrderID INTEGER PRIMARY KEY, CustomerID TEXT NOT NULL REFERENCES Customers,
    EmployeeID INT REFERENCES Employees, OrderDate DATETIME NOT NULL, RequiredDate DATETIME,
    ShippedDate DATETIME, Freight NUMERIC,
    status TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'paid', 'shipped', 'cancelled')),
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CHECK ((status = 'shipped') = (ShippedDate IS NOT NULL)));
CREATE TABLE "Order Details" (OrderID INT NOT NULL REFERENCES Orders,
    ProductID INT NOT NULL REFERENCES Products, UnitPrice NUMERIC NOT NULL,
    Quantity SMALLINT NOT NULL CHECK (Quantity > 0),
    Discount REAL NOT NULL CHECK (Discount BETWEEN 0 AND 1), PRIMARY KEY (OrderID, ProductID));
"""

TWO_TABLES = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE visit (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id),
    day DATE NOT NULL);
"""

NO_NAMES = """
CREATE TABLE reading (id INTEGER PRIMARY KEY, taken_at DATETIME NOT NULL, value REAL NOT NULL);
CREATE TABLE calibration (id INTEGER PRIMARY KEY, reading_id INT NOT NULL REFERENCES reading (id),
    factor REAL NOT NULL);
"""

COMPOSITE_KEYS = """
CREATE TABLE building (site TEXT NOT NULL, number INTEGER NOT NULL,
    floors INTEGER NOT NULL CHECK (floors BETWEEN 1 AND 40), PRIMARY KEY (site, number));
CREATE TABLE room (site TEXT NOT NULL, building_number INTEGER NOT NULL, room_no INTEGER NOT NULL,
    seats INTEGER NOT NULL CHECK (seats > 0), PRIMARY KEY (site, building_number, room_no),
    FOREIGN KEY (site, building_number) REFERENCES building (site, number));
CREATE TABLE booking (site TEXT NOT NULL, building_number INTEGER NOT NULL, room_no INTEGER NOT NULL,
    day DATE NOT NULL, purpose TEXT NOT NULL, PRIMARY KEY (site, building_number, room_no, day),
    FOREIGN KEY (site, building_number, room_no) REFERENCES room);
"""

HOSTILE_NAMES = """
CREATE TABLE "select" ("group" INTEGER PRIMARY KEY, "order" TEXT NOT NULL, "from ""quoted""\" TEXT,
    "🚀" INTEGER,
    "class" TEXT CHECK ("class" IN ('a''b', 'c"d', 'e\\f')));
CREATE TABLE "my table; DROP TABLE x" ("id" INTEGER PRIMARY KEY,
    "select" INTEGER NOT NULL REFERENCES "select" ("group"), "lambda" REAL, "日本" TEXT, "limit" INT,
    "db" TEXT, "offset" DATE, 'single' TEXT);
CREATE TABLE "日本語" ("import" TEXT PRIMARY KEY NOT NULL, "name" TEXT NOT NULL UNIQUE,
    "{x}" TEXT, "%s" TEXT);
CREATE TABLE "🚀" (id INTEGER PRIMARY KEY, "日本語" TEXT REFERENCES "日本語" ("import"), "None" INTEGER,
    "\\back" TEXT);
"""

IN_A_CIRCLE = """
CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    head_id INTEGER NOT NULL REFERENCES employee (id) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE employee (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL,
    department_id INTEGER NOT NULL REFERENCES department (id) DEFERRABLE INITIALLY DEFERRED,
    manager_id INTEGER NOT NULL REFERENCES employee (id) DEFERRABLE INITIALLY DEFERRED,
    hired DATE NOT NULL, left_on DATE, CHECK (left_on IS NULL OR left_on > hired));
"""

MANY_CHECKS = """
CREATE TABLE tariff (code CHAR(3) PRIMARY KEY NOT NULL CHECK (code GLOB '[A-Z][A-Z][A-Z]'),
    title TEXT NOT NULL CHECK (length(title) BETWEEN 4 AND 12), low NUMERIC(8, 2) NOT NULL,
    high NUMERIC(8, 2) NOT NULL, gross NUMERIC GENERATED ALWAYS AS (high * 1.2) STORED,
    CHECK (high > low AND low >= 0));
CREATE TABLE contract (id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
    tariff CHAR(3) NOT NULL REFERENCES tariff, kind TEXT NOT NULL CHECK (kind IN ('private', 'business')),
    vat_no TEXT, start DATE NOT NULL, stop DATE,
    state TEXT NOT NULL CHECK (state IN ('draft', 'active', 'cancelled')),
    CHECK (kind = 'private' OR vat_no IS NOT NULL), CHECK (stop IS NULL OR stop > start),
    UNIQUE (tariff, start));
CREATE TABLE meter (serial TEXT PRIMARY KEY NOT NULL, contract TEXT UNIQUE REFERENCES contract,
    last_reading REAL CHECK (last_reading >= 0), created_at INTEGER NOT NULL) WITHOUT ROWID;
"""

MADE_BY_THE_SYSTEM = """
CREATE TABLE account (id UUID PRIMARY KEY NOT NULL, name TEXT NOT NULL, password_hash TEXT NOT NULL,
    token CHAR(12) NOT NULL, external_uuid UUID NOT NULL, settings JSON NOT NULL DEFAULT '{"a": 1}',
    payload JSON NOT NULL, seen_at INTEGER NOT NULL);
CREATE TABLE login (id INTEGER PRIMARY KEY, account_id UUID NOT NULL REFERENCES account (id),
    created_at INTEGER NOT NULL, place TEXT NOT NULL);
"""

NUMBERS_ONLY = """
CREATE TABLE a (id INTEGER PRIMARY KEY);
CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL REFERENCES a (id));
"""

ODD = {
    "two_tables": TWO_TABLES,
    "no_names": NO_NAMES,
    "composite_keys": COMPOSITE_KEYS,
    "hostile_names": HOSTILE_NAMES,
    "in_a_circle": IN_A_CIRCLE,
    "many_checks": MANY_CHECKS,
    "made_by_the_system": MADE_BY_THE_SYSTEM,
}


@dataclass(frozen=True)
class Handed:
    """What an environment is derived from."""

    schema: Schema
    scenario: Scenario
    seed_data: SeedData | None = None


def handed(sql: str, rows: SeedData | None = None) -> Handed:
    """A schema with a scenario around it."""
    scenario = Scenario(
        name="test_schema", title="Test", category="test", description="A schema of a test.", clock=CLOCK
    )
    return Handed(read_schema(sql), scenario, rows)
