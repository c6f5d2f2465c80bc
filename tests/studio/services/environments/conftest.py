"""What the tests of gates share."""

from __future__ import annotations

from typing import Any

import pytest

from studio.models import (
    EnvironmentRecord,
    Flag,
)
from studio.services.review import flags


@pytest.fixture
def gate(settings: Any) -> Any:
    def set_to(**values: Any) -> None:
        settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(
            update={f"gate_{name}": value for name, value in values.items()}
        )

    return set_to


def raised(record: EnvironmentRecord, user: Any, where: str, severity: str = "blocking") -> Flag:
    return flags.raise_flag(
        record=record, user=user, reason="task_infeasible", where=where, severity=severity, comment="No."
    )
