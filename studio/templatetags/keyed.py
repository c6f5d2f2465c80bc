"""Keys: one table feeds the elements that are pressed, the badges on them, the help page and the test."""

from __future__ import annotations

from typing import NamedTuple

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


class Key(NamedTuple):
    """One key and what it does."""

    key: str
    does: str
    place: str


KEYS: dict[str, Key] = {
    "jump": Key("/", "Open the jump box (Ctrl K works while typing, too)", "Everywhere"),
    "help": Key("?", "Show this table", "Everywhere"),
    "step_next": Key("j", "Next step", "Replay"),
    "step_previous": Key("k", "Previous step", "Replay"),
    "step_first": Key("g", "First step", "Replay"),
    "step_last": Key("G", "Last step", "Replay"),
    "step_next_change": Key("n", "Next step that changed rows", "Replay"),
    "attempt_next": Key("j", "Next attempt of the run", "Attempt"),
    "attempt_previous": Key("k", "Previous attempt of the run", "Attempt"),
    "task_next": Key("j", "Next task", "Guided review"),
    "task_previous": Key("k", "Previous task", "Guided review"),
    "right": Key("r", "Answer: right", "Guided review"),
    "wrong": Key("w", "Answer: wrong", "Guided review"),
    "unsure": Key("u", "Answer: not sure", "Guided review"),
    "note": Key("m", "Write a note", "Guided review"),
    "answer": Key("S", "Save the answer and go on", "Guided review"),
    "decide": Key("d", "Go to the decision", "Guided review"),
    "expert": Key("e", "Show or hide code, ids and JSON", "Environment"),
    "flag": Key("f", "Flag what is shown", "Replay"),
    "approve": Key("a", "Choose approve", "Review"),
    "request_changes": Key("c", "Choose request changes", "Review"),
    "reject": Key("x", "Choose reject", "Review"),
    "comment": Key("m", "Write why", "Review"),
    "submit": Key("S", "Submit the review", "Review"),
    "next_item": Key("N", "Take the next item of the queue", "Review"),
}
"""Name to key; `/`, `?` and Ctrl K are built into studio.js, the others press an element."""


@register.simple_tag
def keyed(name: str) -> SafeString:
    """The attributes that let a key press an element."""
    key = KEYS[name].key
    shown = f"Shift+{key}" if key.isalpha() and key.isupper() else key
    return format_html('data-key="{}" aria-keyshortcuts="{}"', key, shown)


@register.simple_tag
def badge(name: str) -> SafeString:
    """The key as it is printed on the element."""
    return format_html('<kbd aria-hidden="true">{}</kbd>', KEYS[name].key)
