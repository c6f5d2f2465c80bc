"""The jump box: everything with a name, by its beginning or a part of it."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from studio.models import Act, Element, ElementKind, EnvironmentRecord, Run
from studio.services.accounts.accounts import allowed
from studio.services.environments.titles import Titles, elements_called
from studio.services.environments.trade_words import trade_word
from studio.templatetags.plain import run_title
from studio.templatetags.shell import shows_code
from studio.views.access import SignedInRequest, is_fragment, requires

MOST = 8
PLACES = {
    ElementKind.TABLE: "environment_table",
    ElementKind.TOOL: "environment_tool",
    ElementKind.TASK: "environment_task",
}


PAGES = (
    ("Environments", "environments", Act.VIEW),
    ("New environment", "environment_new", Act.SYNTHESISE),
    ("From your own schema", "environment_from_schema", Act.SYNTHESISE),
    ("Review queue", "queue", Act.VIEW),
    ("Runs", "runs", Act.VIEW),
    ("Trajectories", "trajectories", Act.VIEW),
    ("Bundles", "bundles", Act.VIEW),
    ("Import an environment", "bundle_import", Act.IMPORT),
    ("Dashboard", "dashboard", Act.VIEW),
    ("Components", "components", Act.VIEW),
    ("Keys", "keys", Act.VIEW),
    ("Glossary", "glossary", Act.VIEW),
)
"""Title, name of the address, and what its page needs."""


class JumpResult(NamedTuple):
    """One thing to jump to."""

    kind: str
    title: str
    note: str
    address: str


@requires(Act.VIEW)
def jump(request: SignedInRequest) -> HttpResponse:
    """What matches the words, as a page or for the dialog."""
    words = request.GET.get("q", "").strip()
    results = [
        *_pages(words, request.user, expert=shows_code(request)),
        *_environments(words),
        *_elements(words, expert=shows_code(request)),
        *_runs(words, expert=shows_code(request)),
    ]
    context = {"results": results, "words": words, "section": "home"}
    return render(request, "home/_jump.html" if is_fragment(request) else "home/jump.html", context)


def _pages(words: str, person: User, *, expert: bool) -> list[JumpResult]:
    """The pages that the person may open."""
    pages = (
        (title if expert else trade_word(title), title, name)
        for title, name, act in PAGES
        if allowed(person, act)
    )
    return [
        JumpResult("Page", word, "", reverse(name))
        for word, title, name in pages
        if words.lower() in f"{word} {title}".lower()
    ]


def _environments(words: str) -> list[JumpResult]:
    named = Q(name__icontains=words) | Q(title__icontains=words)
    records = EnvironmentRecord.objects.filter(named, current__isnull=False)[:MOST]
    return [JumpResult("Environment", each.title, each.name, each.get_absolute_url()) for each in records]


def _elements(words: str, *, expert: bool) -> list[JumpResult]:
    """Tables, tools and tasks, by their names, titles and environments."""
    if len(words) < 2:
        return []
    titles: dict[int, Titles] = {}
    return [
        JumpResult(
            each.get_kind_display(),
            each.name if expert else _title(each, titles),
            each.environment.title,
            reverse(PLACES[ElementKind(each.kind)], args=[each.environment.name, each.name]),
        )
        for each in elements_called(words)[: 2 * MOST]
    ]


def _title(element: Element, known: dict[int, Titles]) -> str:
    """What a table, a tool or a task is called, by the titles of its environment."""
    titles = known.setdefault(element.environment_id, Titles(element.environment))
    called = {ElementKind.TABLE: titles.table, ElementKind.TOOL: titles.tool, ElementKind.TASK: titles.task}
    return called[ElementKind(element.kind)](element.name)


def _runs(words: str, *, expert: bool) -> list[JumpResult]:
    if not words:
        return []
    named = Q(title__icontains=words) | (Q(pk=int(words)) if words.isdecimal() and len(words) < 10 else Q())
    return [
        JumpResult(
            "Run", run_title(each, expert=expert)[:80], each.get_state_display(), each.get_absolute_url()
        )
        for each in Run.objects.filter(named)[:MOST]
    ]
