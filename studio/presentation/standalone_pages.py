"""Pages as files: a replay and the reviews of a revision as HTML that needs no server, script or account."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from studio.models import Comment, Flag, Review, Revision, StepRecord, TrajectoryRecord
from studio.presentation.plain_language import PlainCall, PlainChange, PlainLanguage
from studio.presentation.plain_results import PlainResult, plain_result
from studio.presentation.row_changes import shown_changes
from studio.services.environments.environments import load_part
from studio.services.environments.flag_words import flag_words
from studio.services.environments.titles import Titles, titles_of
from studio.services.environments.unit_words import unit_words
from studio.services.rollouts.trajectories import opinions
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import Step

MOST_STEPS = 1_000
MOST_CHANGES = 100
"""Changed rows of one step."""
LONGEST_RESULT = 200_000
"""Characters of a step from which its result is left out: a file is to open anywhere."""
LONGEST_TEXT = 20_000


@dataclass(frozen=True)
class FileStep:
    """One step as a file shows it."""

    step: Step
    call: PlainCall | None
    text: str
    result: PlainResult | None
    """None where it is too long."""
    changes: tuple[PlainChange, ...]
    more: int


def replay_file(record: TrajectoryRecord) -> str:
    """A trajectory with its task, steps, changed rows and verdicts as one HTML document."""
    plain = PlainLanguage(record.environment, revision=record.revision)
    tasks = load_part(record.revision, "tasks")
    task = next((each for each in tasks.tasks if each.id == record.task_id), None)  # type: ignore[union-attr]
    context = {
        "trajectory": record,
        "environment": record.environment,
        "plain": plain,
        "task": task,
        "steps": [_step(plain, each) for each in record.steps.all()[:MOST_STEPS].iterator(50)],
        "more": max(0, record.step_count - MOST_STEPS),
        "verdicts": opinions(record),
    }
    return _rendered("standalone/replay.html", context)


def reviews_file(
    revision: Revision, *, reviews: Sequence[Review], flags: Sequence[Flag], comments: Sequence[Comment]
) -> str:
    """What people decided, flagged and said about a revision, with numbers in place of their names.

    Args:
        revision: The revision.
        reviews: Those that the person who asks may see, oldest first.
        flags: Raised on the revision, oldest first.
        comments: Written about the revision, oldest first.
    """
    hidden = NumberedPeople(
        [
            *(each.reviewer for each in reviews),
            *(each.raised_by for each in flags),
            *(each.author for each in comments),
        ]
    )
    plain = PlainLanguage(revision.environment, revision=revision)
    titles = titles_of(revision.environment)
    context = {
        "revision": revision,
        "environment": revision.environment,
        "reviews": [
            (
                hidden.number(each.reviewer),
                each,
                hidden.text(each.comment),
                [(unit_words(plain, unit), verdict) for unit, verdict in each.unit_decisions.items()],
            )
            for each in reviews
        ],
        "flags": [
            (
                hidden.number(each.raised_by),
                each,
                hidden.text(flag_words(each, titles)),
                hidden.text(each.comment),
                hidden.text(each.resolution),
            )
            for each in flags
        ],
        "comments": [
            (hidden.number(each.author), each, hidden.text(_place(each, titles)), hidden.text(each.body))
            for each in comments
        ],
    }
    return _rendered("standalone/reviews.html", context)


def html_attachment(name: str, content: str) -> HttpResponse:
    """An HTML file to be kept; it never opens on the studio's own address."""
    response = HttpResponse(content, content_type="text/html; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.html"'
    return response


class NumberedPeople:
    """Numbers for people in the order in which they appear; their names in texts are replaced as well."""

    def __init__(self, people: Sequence[Any]) -> None:
        self._numbers: dict[int, int] = {}
        for person in people:
            self._numbers.setdefault(person.pk, len(self._numbers) + 1)
        self._names = {
            _spaced(name): person.pk
            for person in User.objects.order_by("-pk")
            for name in _names(person, takes_part=person.pk in self._numbers)
            if name
        }
        longest_first = sorted(self._names, key=len, reverse=True)
        any_name = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in longest_first) or r"(?!)"
        self._pattern = re.compile(rf"(?<!\w)(?:{any_name})(?!\w)", re.IGNORECASE)

    def number(self, person: Any) -> str:
        """What a person is called: "Reviewer 2"."""
        return self._called(person.pk)

    def text(self, text: str) -> str:
        """A text without the names of people of the studio."""
        return self._pattern.sub(lambda name: self._called(self._names[_spaced(name[0])]), text)

    def _called(self, key: int) -> str:
        return f"Reviewer {self._numbers.setdefault(key, len(self._numbers) + 1)}"


def _names(person: User, *, takes_part: bool) -> list[str]:
    """How a person may be called in a text; of others the bare first name is nobody's in particular."""
    names = [person.get_full_name(), f"@{person.username}", person.username]
    return [*names, person.first_name] if takes_part else names


def _spaced(name: str) -> str:
    """A name as the title of a place shows it, where underscores are spaces."""
    return name.lower().replace("_", " ")


def _place(comment: Comment, titles: Titles) -> str:
    """What a comment is about: "loans/7" by the title of its table."""
    name, slash, rest = comment.anchor.partition("/")
    return f"{titles.place(name)} {rest}" if slash else titles.place(name)


def _step(plain: PlainLanguage, record: StepRecord) -> FileStep:
    whole = record.size <= LONGEST_RESULT
    step = record.load() if whole else _without_result(record)
    called = isinstance(step.action, ToolCall)
    changes = plain.shown(shown_changes(step.changes, most=MOST_CHANGES))
    return FileStep(
        step=step,
        call=plain.call(step.action) if isinstance(step.action, ToolCall) else None,
        text="" if isinstance(step.action, ToolCall) else _cut(step.action.text),
        result=plain_result(plain, step.observation) if whole and called else None,
        changes=tuple(changes),
        more=len(step.changes) - len(changes),
    )


def _without_result(record: StepRecord) -> Step:
    document = orjson.loads(record.document)
    document.pop("observation", None)
    return Step.model_validate_json(orjson.dumps(document))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def _rendered(template: str, context: dict[str, Any]) -> str:
    return render_to_string(template, {**context, "head": _head()})


def _head() -> SafeString:
    """The styles, and a rule that lets the file load and run nothing."""
    styles = (Path(settings.STATICFILES_DIRS[0]) / "css" / "standalone.css").read_text(encoding="utf-8")
    rule = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return SafeString(f'<meta http-equiv="Content-Security-Policy" content="{rule}"><style>{styles}</style>')
