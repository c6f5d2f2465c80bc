from __future__ import annotations

import pytest

from synthesis.intake.convert.anonymise import Anonymiser, of_people, treatment
from synthesis.intake.convert.cells import NotAValue, converted_value


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("email", "email"),
        ("BillingAddress", "street"),
        ("phone_number", "phone"),
        ("firstname", "first_name"),
        ("password_hash", "secret"),
        ("apiKey", "secret"),
        ("session_token", "secret"),
        ("last_login_ip", "network"),
        ("postalcode", "postcode"),
        ("iban", "number"),
        ("comment", "text"),
        ("anything_else", "text"),
        ("status", "keep"),
        ("currency_code", "keep"),
    ],
)
def test_texts_are_replaced_unless_their_column_is_known_to_hold_none_of_anybody(
    column: str, expected: str
) -> None:
    assert treatment(column, "text", people=False) == expected


def test_a_name_is_a_persons_where_rows_are_people() -> None:
    assert treatment("name", "text", people=of_people("customers", [])) == "name"
    assert treatment("name", "text", people=of_people("c", ["id", "email"])) == "name"
    assert treatment("name", "text", people=of_people("products", ["id", "price"])) == "keep"


def test_numbers_dates_and_choices_stay() -> None:
    assert treatment("total", "money", people=True) == "keep"
    assert treatment("created_at", "moment", people=True) == "keep"
    assert treatment("email_state", "choice", people=True) == "keep"
    assert treatment("date_of_birth", "day", people=True) == "birth"


def test_one_value_always_becomes_the_same_other_one_and_two_never_the_same() -> None:
    one, two = Anonymiser(seed=1), Anonymiser(seed=1)
    emails = [f"person{i}@real.example" for i in range(300)]
    first = [one.replace(email, "email", longest=30) for email in emails]
    assert first == [two.replace(email, "email", longest=30) for email in emails]
    assert len(set(first)) == 300
    assert all(len(str(email)) <= 30 for email in first)
    assert not set(first) & set(emails)
    assert one.replace(None, "email") is None
    assert Anonymiser(seed=2).replace(emails[0], "email") != first[0]


@pytest.mark.parametrize(
    "text", ["write to max@real.example", "10.20.30.40", "+49 170 1234567", "DE89370400440532013000"]
)
def test_a_kept_column_does_not_let_personal_values_through(text: str) -> None:
    assert text not in str(Anonymiser(seed=0).replace(text, "keep"))


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("t", "flag", 1),
        (b"\x00", "flag", 0),
        ("$1,234.565", "money", 123456),
        ("2026-01-02 03:04:05.678+01", "moment", "2026-01-02T03:04:05"),
        ("2026-01-02", "moment", "2026-01-02T00:00:00"),
        ("7:05", "time", "07:05:00"),
        ('{a,"b c"}', "json", '["a", "b c"]'),
        ({"a": 1}, "json", '{"a": 1}'),
        ("x\x00y", "text", "xy"),
        ("5.0", "integer", 5),
    ],
)
def test_values_take_the_form_of_their_kind(value: object, kind: str, expected: object) -> None:
    assert converted_value(value, kind) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("maybe", "flag"),
        ("0000-00-00", "day"),
        ("2026-13-40 00:00:00", "moment"),
        (2**70, "integer"),
        (b"\xff", "text"),
    ],
)
def test_a_value_without_its_form_is_no_value(value: object, kind: str) -> None:
    with pytest.raises(NotAValue):
        converted_value(value, kind)  # type: ignore[arg-type]
