"""Personal values are known by their looks where the columns' names say nothing of people."""

from __future__ import annotations

import pytest

from synthesis.documents.intake import Intake
from synthesis.documents.seed_data import Row
from synthesis.intake import ImportOptions, read_ddl
from synthesis.intake.convert.column_contents import look_of

SCRIPT = """
CREATE TABLE tbl_k (code varchar(60) PRIMARY KEY, title text NOT NULL UNIQUE, slug text, label text,
    class text, reason text, model text, size bigint, unit jsonb);
CREATE TABLE tbl_b (id int PRIMARY KEY, k_code varchar(60) NOT NULL REFERENCES tbl_k (code), version text);
INSERT INTO tbl_k VALUES
  ('anna.berg@corp.example', 'Anna Berg', '+49 170 1234567', 'DE89 3704 0044 0532 0130 00', 'blue',
   '4111 1111 1111 1111', 'Zyxa Qwertz', 4111111111111111, '{"a": 1}'),
  ('z.qwertz@corp.example', 'Jo\xc3\xa3o Lind', '0171 5550101', 'GB29NWBK60161331926819', 'red',
   'none', 'Bertil Qx', 17, '{}');
INSERT INTO tbl_b VALUES (1, 'anna.berg@corp.example', '1.2'),
  (2, 'z.qwertz@corp.example', 'anna.berg@corp.example'), (3, 'anna.berg@corp.example', NULL);
"""
REAL = ("anna", "berg", "qwertz", "Lind", "170 1234567", "5550101", "3704", "NWBK", "4111", "Bertil")


@pytest.fixture
def sampled() -> Intake:
    script = SCRIPT.encode().decode("unicode_escape").encode("latin-1").decode()
    return read_ddl(script, source="k.sql", import_options=ImportOptions(rows=10, dialect="postgres"))


def rows_of(sampled: Intake, table: str) -> tuple[Row, ...]:
    assert sampled.seed_data is not None
    return sampled.seed_data.rows[table]


def test_no_personal_value_comes_along_whatever_its_column_is_called(sampled: Intake) -> None:
    assert sampled.seed_data is not None
    text = sampled.seed_data.model_dump_json().lower()
    assert [word for word in REAL if word.lower() in text] == []
    assert [row["class"] for row in rows_of(sampled, "tbl_k")] == ["blue", "red"]


def test_keys_still_fit_and_what_was_unique_still_is(sampled: Intake) -> None:
    people, others = rows_of(sampled, "tbl_k"), rows_of(sampled, "tbl_b")
    first, second = (row["code"] for row in people)
    assert [row["k_code"] for row in others] == [first, second, first]
    assert len({first, second}) == len({row["title"] for row in people}) == 2
    assert others[1]["version"] == first
    assert "@" in str(first)


def test_it_is_told_which_columns_were_replaced(sampled: Intake) -> None:
    text = " ".join(f"{finding.message} {finding.evidence}" for finding in sampled.findings)
    assert "tbl_k.code: values of the sample are replaced (email)" in text
    for column in ("title", "slug", "label", "reason", "model", "size"):
        assert f"tbl_k.{column}" in text


@pytest.mark.parametrize(
    ("values", "look"),
    [
        (["open", "a@b.example"], "email"),
        (["078-05-1120"], "number"),
        (["10.0.0.1", None], "network"),
        (["(030) 901820"], "phone"),
        (["Maria Lopez", "Quorl Vex", "Lena Ott"], "name"),
        (["Oak table", "Red chair", "May special"], None),
        (["2026-03-01", "1.2.3", "12345678", "0042"], None),
        ([None, ""], None),
    ],
)
def test_looks_are_told_apart(values: list[str | None], look: str | None) -> None:
    assert look_of(values) == look
