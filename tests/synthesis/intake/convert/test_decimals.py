"""Numbers in texts of other systems stay small, whatever the text says."""

from __future__ import annotations

import pytest
from sqlglot import parse_one

from synthesis.intake.convert.cells import NotAValue, converted_value
from synthesis.intake.convert.decimals import cents, decimal, integer
from synthesis.intake.convert.expressions import NotExpressible, condition, default
from synthesis.intake.convert.kinds import KindName

VAST = ("1e999999999", "-1E+999999999", "1e-999999999", "0e999999999", "9" * 2_000, "inf", "nan")


@pytest.mark.parametrize("text", VAST)
@pytest.mark.parametrize("kind", ["integer", "year"])
def test_vast_whole_numbers_are_no_values(text: str, kind: KindName) -> None:
    with pytest.raises(NotAValue, match="out of range"):
        converted_value(text, kind)


@pytest.mark.parametrize("text", ["1e999", "inf", "nan", "9" * 2_000])
def test_vast_real_numbers_are_no_values(text: str) -> None:
    with pytest.raises(NotAValue, match="out of range"):
        converted_value(text, "real")


@pytest.mark.parametrize("text", ["9" * 2_000, "9" * 19, "9" * 30])
def test_vast_amounts_are_no_values(text: str) -> None:
    with pytest.raises(NotAValue):
        converted_value(text, "money")


@pytest.mark.parametrize("kind", ["integer", "real", "year", "money"])
@pytest.mark.parametrize("text", ["1e999999999", "9" * 2_000])
def test_vast_defaults_are_named(text: str, kind: KindName) -> None:
    with pytest.raises(NotExpressible, match="out of range"):
        default(parse_one(text), kind)


@pytest.mark.parametrize("text", ["1e999999999", "1e30", "9" * 40])
def test_vast_amounts_in_conditions_are_named(text: str) -> None:
    with pytest.raises(NotExpressible, match=r"out of range|beyond 64 bits"):
        condition(parse_one(f"price < {text}"), lambda name: (name, "money"))


@pytest.mark.parametrize("text", ["9223372036854775808", "-1e19"])
def test_whole_numbers_have_64_bits(text: str) -> None:
    with pytest.raises(ValueError, match="beyond 64 bits"):
        integer(decimal(text))


def test_what_columns_can_hold_is_read() -> None:
    assert integer(decimal("-9223372036854775808")) == -(2**63)
    assert converted_value("1e3", "integer") == 1_000
    assert converted_value("1.7e308", "real") == 1.7e308
    assert cents(decimal("92233720368547758.07")) == 2**63 - 1
    assert default(parse_one("12.5"), "money") == "1250"
    assert condition(parse_one("price < 2.5"), lambda name: (name, "money")) == '"price" < 250'
