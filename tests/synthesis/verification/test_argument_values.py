"""Values that probes draw for arguments."""

from __future__ import annotations

import pytest

from synthesis.verification.argument_values import time_kind


@pytest.mark.parametrize(
    ("name", "description", "kind"),
    [
        ("starts_on", "First day, YYYY-MM-DD.", "day"),
        ("ends_on", "", "day"),
        ("starts", "When it begins.", "moment"),
        ("starts_on", "When, YYYY-MM-DDThh:mm.", "moment"),
        ("name", "", ""),
    ],
)
def test_a_format_that_is_named_decides_between_a_day_and_a_moment(name, description, kind) -> None:
    assert time_kind(name, {"description": description}) == kind
