"""Fixtures that every test may use."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_django import DjangoDbBlocker

    from synthesis.documents.environment import Environment

DATA = Path(__file__).parent / "data"


def pytest_collection_finish() -> None:
    """Set aside what was imported and collected.

    Each run of the studio's ends with a full garbage collection, which would otherwise look through the
    millions of objects of thousands of collected tests. To look seldom at what tests make saves a tenth.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 1_000)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """The test database without the triggers of the audit trail: tests that commit empty every table."""
    from django.db import connection

    from studio.models.append_only import unprotect

    with django_db_blocker.unblock():
        unprotect(connection, "auditlog_logentry")


@pytest.fixture(scope="session")
def clinic_path() -> Path:
    """The folder of the hand-made environment."""
    return DATA / "clinic_front_desk"


@pytest.fixture(scope="session")
def clinic(clinic_path: Path) -> Environment:
    """The hand-made environment."""
    from synthesis.bundles.open import open_bundle

    return open_bundle(clinic_path).environment
