"""Calls, changes and titles in the words of an environment's dictionary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from django import template

register = template.Library()


class Speaker(Protocol):
    """Whoever speaks of an environment in its own words; templates have one as `plain`."""

    def tool(self, name: str) -> str:
        """What a tool is called."""

    def task(self, task_id: str) -> str:
        """What a task is called."""

    def table(self, name: str) -> str:
        """What a table is called."""

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
def tool_title(plain: Speaker, name: str) -> str:
    """What a tool is called, for example `plain|tool_title:tool.name`."""
    return plain.tool(name)


@register.filter
def table_title(plain: Speaker, name: str) -> str:
    """What a table is called."""
    return plain.table(name)


@register.filter
def task_title(plain: Speaker, task_id: str) -> str:
    """What a task is called."""
    return plain.task(task_id)
