"""Calls, changes and titles in the words of an environment's dictionary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from studio.models import EnvironmentRecord, Run, RunKind
from studio.services.environments.titles import Titles, titles_of
from studio.services.environments.trade_words import agent_word, agents_in_words
from studio.templatetags import shell
from synthesis.documents.check_report import Trial

register = template.Library()

ROLLOUT_KINDS = frozenset({RunKind.ROLLOUT, RunKind.ROLLOUTS})
"""Kinds of run whose titles begin with the names of agents."""


class Namer(Protocol):
    """Whoever knows what the parts of an environment are called."""

    def tool(self, name: str) -> str:
        """What a tool is called."""

    def task(self, task_id: str) -> str:
        """What a task is called."""

    def table(self, name: str) -> str:
        """What a table is called."""


class Speaker(Namer, Protocol):
    """Whoever speaks of an environment in its own words; templates have one as `plain`."""

    def without_code(self, text: str) -> str:
        """A text that agents read, with the names of the code in it as words."""

    def call(self, call: Any) -> Any:
        """A call as a sentence."""

    def shown(self, changes: Iterable[Any]) -> list[Any]:
        """Row changes, each named as the row is called."""


@register.simple_tag
def changes_in_words(plain: Speaker, changes: Iterable[Any]) -> list[Any]:
    """Row changes, each named as the row is called."""
    return plain.shown(changes)


@register.simple_tag
def call_in_words(plain: Speaker, call: Any) -> Any:
    """A call: what the tool is called, each argument by its title."""
    return plain.call(call)


@register.filter
def without_code(plain: Speaker, text: str) -> str:
    """A text that agents read, for people who look at no code."""
    return plain.without_code(text)


@register.filter
def tool_title(plain: Namer | EnvironmentRecord, name: str) -> str:
    """What a tool is called, for example `plain|tool_title:tool.name` or `record|tool_title:tool.name`."""
    return _namer(plain).tool(name)


@register.filter
def table_title(plain: Namer | EnvironmentRecord, name: str) -> str:
    """What a table is called."""
    return _namer(plain).table(name)


@register.filter
def task_title(plain: Namer | EnvironmentRecord, task_id: str) -> str:
    """What a task is called."""
    return _namer(plain).task(task_id)


@register.simple_tag(takes_context=True)
def titled(context: dict[str, Any], title: str, name: str) -> str:
    """A title that was looked up before, with the name at the pointer; in the expert view the name."""
    return called(title, name, expert=shell.expert(context))


@register.simple_tag(takes_context=True)
def tool_called(context: dict[str, Any], of: Namer | EnvironmentRecord, name: str) -> str:
    """A tool by its title with the name at the pointer; in the expert view by its name."""
    return called(_namer(of).tool(name), name, expert=shell.expert(context))


@register.simple_tag(takes_context=True)
def table_called(context: dict[str, Any], of: Namer | EnvironmentRecord, name: str) -> str:
    """A table, likewise."""
    return called(_namer(of).table(name), name, expert=shell.expert(context))


@register.simple_tag(takes_context=True)
def task_called(context: dict[str, Any], of: Namer | EnvironmentRecord, task_id: str) -> str:
    """A task, likewise."""
    return called(_namer(of).task(task_id), task_id, expert=shell.expert(context))


@register.simple_tag(takes_context=True)
def trial_called(context: dict[str, Any], record: EnvironmentRecord, trial: Trial) -> str:
    """The task or tool of a trial, likewise."""
    named = tool_called if trial.about == "tool" else task_called
    return named(context, record, trial.subject)


@register.simple_tag(takes_context=True)
def place_called(context: dict[str, Any], of: EnvironmentRecord | Titles, where: str) -> str:
    """The place of a finding, a flag or a waiver, likewise."""
    titles = titles_of(of) if isinstance(of, EnvironmentRecord) else of
    return called(titles.place(where), where, expert=shell.expert(context))


@register.simple_tag(takes_context=True)
def agent_called(context: dict[str, Any], name: str) -> str:
    """One of the studio's own agents by what it does; others, and all in the expert view, by their name."""
    return agent_title(name, expert=shell.expert(context))


def agent_title(name: str, *, expert: bool) -> str:
    """The same, for views and tables."""
    return name if expert else agent_word(name)


@register.simple_tag(takes_context=True)
def run_called(context: dict[str, Any], run: Run) -> str:
    """A run by its title: one of agents says what they do, in the expert view how they are named."""
    return run_title(run, expert=shell.expert(context))


def run_title(run: Run, *, expert: bool) -> str:
    """The same, for views and tables."""
    return run.title if expert or run.kind not in ROLLOUT_KINDS else agents_in_words(run.title)


@register.filter
def call_title(record: EnvironmentRecord, written: str) -> str:
    """A call as the proof writes it down, by the title of its tool."""
    return titles_of(record).call(written)


@register.simple_tag(takes_context=True)
def in_titles(context: dict[str, Any], record: EnvironmentRecord, text: str) -> str:
    """A text about the design by the titles of what it names; in the expert view as it was written."""
    return text if shell.expert(context) else titles_of(record).text(text)


def called(title: str, name: str, *, expert: bool) -> SafeString:
    """A title that shows the name behind it at the pointer, or that name in the expert view."""
    if expert:
        return SafeString(escape(name))
    return format_html('<span title="{}">{}</span>', name, title)


def _namer(plain: Namer | EnvironmentRecord) -> Namer:
    return titles_of(plain) if isinstance(plain, EnvironmentRecord) else plain
