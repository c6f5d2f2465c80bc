"""Change lists: accepted objections, worked off by a person in many edits that one proof covers together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from pydantic import ValidationError

from studio.models import (
    Act,
    ChangeList,
    ChangeListState,
    EnvironmentRecord,
    Flag,
    FlagState,
    Review,
    Revision,
)
from studio.services.day_words import day_words
from studio.services.environments import archive, edits
from studio.services.environments.claim_dependencies import changed_parts
from studio.services.environments.environments import load_environment
from studio.services.environments.part_merge import Overlapping, merge
from studio.services.errors import Conflict, Forbidden, NotReady, Stale
from studio.services.notifications import notifications
from studio.services.projects import membership
from synthesis.documents.environment import Environment, Part, part_types
from synthesis.documents.finding import PartName
from synthesis.errors import BrokenEnvironment, InvalidInput

MOST_DAYS = 90
"""Days that a list may be given."""
NOTHING_LOST = (
    "Nothing of your list is lost: open the place from here to see what you wrote. To change it in the "
    "current revision, copy your words and withdraw the list."
)
SOURCES: dict[PartName, str] = {"schema": "sql", "tools": "source", "invariants": "source"}
"""Parts from whose source the rest of them follows: what the source is called."""


def in_work(record: EnvironmentRecord) -> ChangeList | None:
    """The list that somebody works off now."""
    changes = record.change_lists.filter(state=ChangeListState.OPEN)
    return changes.select_related("assignee", "accepted_by", "revision", "environment").first()


def concerning(user: User) -> QuerySet[ChangeList]:
    """The lists in work that a person works off or has given to somebody, the most urgent first."""
    theirs = Q(assignee=user) | Q(accepted_by=user)
    lists: QuerySet[ChangeList] = ChangeList.objects.filter(
        theirs, state=ChangeListState.OPEN, environment__archived_at__isnull=True
    )
    return lists.select_related("assignee", "accepted_by", "environment").order_by("until", "id")


def of_each(records: Iterable[EnvironmentRecord]) -> dict[int, ChangeList]:
    """By environment the list that somebody works off now, in one query."""
    lists = ChangeList.objects.filter(environment__in=list(records), state=ChangeListState.OPEN)
    return {each.environment_id: each for each in lists.select_related("assignee", "accepted_by")}


def worked_by(record: EnvironmentRecord, user: User) -> ChangeList | None:
    """The list in work if this is the person who works it off: their edits are gathered in it."""
    changes = in_work(record)
    return changes if changes is not None and changes.assignee_id == user.pk else None


@transaction.atomic
def accept(
    *,
    record: EnvironmentRecord,
    revision_number: int,
    lead: User,
    assignee: User,
    until: date,
    flags: Iterable[Flag],
    reviews: Iterable[Review] = (),
) -> ChangeList:
    """Accept objections and give them to a person, who is notified; their flags count as sent back.

    Raises:
        Forbidden: The lead may not accept, or the person may not edit.
        Stale: Another revision is current.
        InvalidInput: The day is over, or too far away.
        NotReady: Nothing is accepted.
        Conflict: Somebody works off another list of this environment.
    """
    membership.require_in(lead, record.project_id, Act.ADJUDICATE)
    if not membership.reads(assignee, record.project_id, Act.EDIT):
        raise Forbidden(
            f"{assignee.get_full_name() or assignee} may not edit parts in this project.",
            remedy="Choose one of its reviewers or leads.",
        )
    today = timezone.localdate()
    if not today <= until <= today + timedelta(days=MOST_DAYS):
        raise InvalidInput(f"Choose a day from {day_words(today)} on, at most {MOST_DAYS} days ahead.")
    archive.require_in_use(EnvironmentRecord.objects.select_for_update().get(pk=record.pk))
    fresh = EnvironmentRecord.objects.select_related("current").get(pk=record.pk)
    assert fresh.current is not None
    if fresh.current.number != revision_number:
        raise Stale(f"You saw revision {revision_number}.", current=fresh.current.number)
    accepted, words = [flag for flag in flags if flag.state == FlagState.OPEN], list(reviews)
    if not accepted and not words:
        raise NotReady("No objection is accepted.", remedy="Tick at least one.")
    try:
        with transaction.atomic():
            changes = ChangeList.objects.create(
                environment=fresh, revision=fresh.current, accepted_by=lead, assignee=assignee, until=until
            )
    except IntegrityError:
        raise Conflict(
            "Somebody works off a change list of this environment already.",
            remedy="Wait until it is proved, or withdraw it.",
        ) from None
    changes.flags.set(accepted)
    changes.reviews.set(words)
    Flag.objects.filter(pk__in=[flag.pk for flag in accepted]).update(state=FlagState.SENT_BACK)
    notifications.changes_asked(changes)
    return changes


def gathered(changes: ChangeList) -> Environment:
    """The environment as the edits gathered so far leave it."""
    return _on(load_environment(changes.revision), changes)


def gather(*, changes: ChangeList, editor: User, change: edits.Change, reason: str, seen: int) -> int:
    """Add one edit; nothing is proved and no revision made. Returns how many there are.

    Args:
        changes: The list.
        editor: Who works it off.
        change: What is changed, as for `edits.edit`.
        reason: Why.
        seen: How many edits there were when the editor opened the form.

    Raises:
        Forbidden: Somebody else works it off.
        Conflict: It is closed, another edit was faster, or nothing is changed.
        InvalidInput: The new part cannot be read, or does not fit the others.
    """
    if not reason.strip():
        raise InvalidInput("Give a reason for the change: the next reviewer will read it.")
    with transaction.atomic():
        current = _open(changes, editor)
        if len(current.edits) != seen:
            raise Conflict(
                "Something else was changed in this list since you opened the form.",
                remedy="Open it again: it shows what was changed.",
            )
        start = load_environment(current.revision)
        before = _on(start, current)
        after = edits.changed(before, change)
        if not changed_parts(before, after):
            raise Conflict("This edit changes nothing.")
        parts = after.parts()
        current.parts = {
            name: parts[name].model_dump(mode="json") if name in parts else None
            for name in changed_parts(start, after)
        }
        current.edits = [*current.edits, reason.strip()[:2_000]]
        current.save(update_fields=["parts", "edits"])
    return len(current.edits)


def finish(*, changes: ChangeList, editor: User) -> Revision:
    """Make one revision of everything that was gathered and prove it once.

    Raises:
        Forbidden: Somebody else works it off.
        NotReady: Nothing was changed yet.
        Stale: Somebody changed the same thing meanwhile, or what both changed makes no part together; what
            else they changed is put together.
        InvalidInput: The parts do not fit each other.
        Conflict: The list is closed.
    """
    with transaction.atomic():
        current = _open(changes, editor)
        if not current.parts:
            raise NotReady("Nothing is changed yet.", remedy="Edit the places that are listed first.")
        newest = EnvironmentRecord.objects.select_related("current").get(pk=current.environment_id).current
        assert newest is not None
        parts = _merged(current, newest)
        revision = edits.edit(
            record=current.environment,
            revision_number=newest.number,
            editor=editor,
            change=lambda environment: environment.replace(**parts),
            reason=_in_one_text(current.edits),
        )
        current.outcome, current.state = revision, ChangeListState.FINISHED
        current.closed_at = timezone.now()
        current.save(update_fields=["outcome", "state", "closed_at"])
        notifications.changes_finished(current)
    return revision


def _in_one_text(reasons: Iterable[str]) -> str:
    """The reasons of all edits, each once; with a semicolon where no sentence ends."""
    texts = list(dict.fromkeys(reasons))
    ended = [text if text.endswith((".", "!", "?", ";", ":")) else f"{text};" for text in texts[:-1]]
    return " ".join([*ended, *texts[-1:]])


def _merged(changes: ChangeList, newest: Revision) -> dict[PartName, Part | None]:
    """The parts of a list, put together with what others changed of the same parts since it was accepted."""
    start, now = load_environment(changes.revision), load_environment(newest)
    touched = changed_parts(start, now)
    parts: dict[PartName, Part | None] = {}
    overlapping: list[str] = []
    for name, document in cast("dict[PartName, Any]", changes.parts).items():
        base, theirs = (_document(environment, name) for environment in (start, now))
        try:
            parts[name] = _merged_part(name, base, document, theirs if name in touched else base)
        except Overlapping as error:
            overlapping.append(str(error))
        except (ValidationError, BrokenEnvironment) as error:
            called = name.replace("_", " ")
            raise Stale(
                f"Put together with revision {newest.number}, the {called} cannot be used: {_problem(error)}",
                current=newest.number,
                remedy=NOTHING_LOST,
            ) from error
    if overlapping:
        raise Stale(
            f"Revision {newest.number} changed {', '.join(sorted(overlapping))} as well.",
            current=newest.number,
            remedy=NOTHING_LOST,
        )
    return parts


def _merged_part(name: PartName, base: Any, mine: Any, theirs: Any) -> Part | None:
    """One part of both; what follows from a source is read from the merged source.

    Raises:
        Overlapping: Both changed the same thing.
        ValidationError, BrokenEnvironment: The two make no part together.
    """
    path = name.replace("_", " ")
    if name in SOURCES and None not in (base, mine, theirs) and base not in (mine, theirs):
        source = SOURCES[name]
        return _read(name, merge(base[source], mine[source], theirs[source], path=(path,)))
    document = merge(base, mine, theirs, path=(path,))
    return None if document is None else part_types()[name].model_validate(document)


def _read(name: PartName, source: str) -> Part:
    from synthesis.worlds.database import read_schema
    from synthesis.worlds.invariants import read_invariants
    from synthesis.worlds.toolset import read_toolset

    if name == "schema":
        return read_schema(source)
    return read_toolset(source) if name == "tools" else read_invariants(source)


def _problem(error: ValidationError | BrokenEnvironment) -> str:
    if isinstance(error, BrokenEnvironment):
        return str(error)
    problem = error.errors(include_url=False)[0]
    place = " ".join(str(step) for step in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]


def _document(environment: Environment, name: PartName) -> Any:
    part = environment.parts().get(name)
    return None if part is None else part.model_dump(mode="json")


@transaction.atomic
def withdraw(*, changes: ChangeList, user: User) -> None:
    """Close a list without a revision; its flags are open again.

    Raises:
        Forbidden: The person neither works it off nor is a lead.
        Conflict: It is closed already.
    """
    if user.pk != changes.assignee_id:
        membership.require_in(user, changes.environment.project_id, Act.ADJUDICATE)
    _locked(changes).withdraw()


def _open(changes: ChangeList, editor: User) -> ChangeList:
    membership.require_in(editor, changes.environment.project_id, Act.EDIT)
    if changes.assignee_id != editor.pk:
        raise Forbidden("Somebody else works off this list.", remedy="Ask a lead to give it to you.")
    return _locked(changes)


def _locked(changes: ChangeList) -> ChangeList:
    current = ChangeList.objects.select_for_update().get(pk=changes.pk)
    if current.state != ChangeListState.OPEN:
        raise Conflict(f"This list is {current.get_state_display().lower()} already.")
    return current


def _on(environment: Environment, changes: ChangeList) -> Environment:
    kinds = part_types()
    parts = {
        name: None if document is None else kinds[name].model_validate(document)
        for name, document in changes.parts.items()
    }
    return environment.replace(**parts) if parts else environment
