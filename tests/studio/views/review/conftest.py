"""A change list in work, for the tests of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from studio.models import ChangeList, EnvironmentRecord
from studio.services.environments import change_lists
from studio.services.review import flags

GiveList = Callable[[EnvironmentRecord], ChangeList]


@pytest.fixture
def given_list(lead: User, reviewer: User, second_reviewer: User) -> GiveList:
    """Gives the second reviewer a list with one flag of the first, for three days."""

    def accept(record: EnvironmentRecord) -> ChangeList:
        assert record.current is not None
        flag = flags.raise_flag(
            record=record, user=reviewer, reason="policy_wrong", comment="Fees are missing."
        )
        return change_lists.accept(
            record=record,
            revision_number=record.current.number,
            lead=lead,
            assignee=second_reviewer,
            until=timezone.localdate() + timedelta(days=3),
            flags=[flag],
        )

    return accept


@pytest.fixture
def changes(stored: EnvironmentRecord, given_list: GiveList) -> ChangeList:
    """Such a list of the stored environment."""
    return given_list(stored)
