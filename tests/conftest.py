"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from synthesis.documents.environment import Environment

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def clinic_path() -> Path:
    """The folder of the hand-made environment."""
    return DATA / "clinic_front_desk"


@pytest.fixture(scope="session")
def clinic(clinic_path: Path) -> Environment:
    """The hand-made environment."""
    from synthesis.bundles.open import open_bundle

    return open_bundle(clinic_path).environment
