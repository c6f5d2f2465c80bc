"""What people hold: items for review and change lists, given back by whoever may not work on them now."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from studio.models import ChangeList, ChangeListState, Claim, Project


def give_back(person: User, *, project: Project | None = None) -> None:
    """Let somebody else take what a person holds, in one project or in all.

    Their change lists are withdrawn, so that the objections are open again; what was edited stays in them.
    """
    there = Q() if project is None else Q(environment__project=project)
    claims = Claim.all_projects.filter(there, reviewer=person, released_at__isnull=True)
    claims.update(released_at=timezone.now())
    lists = ChangeList.all_projects.filter(there, assignee=person, state=ChangeListState.OPEN)
    for changes in lists.select_for_update(of=("self",)):
        changes.withdraw()
