"""States and labels as a sign with a word: one table says how each is shown."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.templatetags import shell
from studio.templatetags.icons import icon

register = template.Library()


class StateStyle(NamedTuple):
    """How one state is shown."""

    tone: str
    """"", "good", "bad", "warn" or "info"."""
    icon: str
    word: str


STATE_STYLES: dict[str, StateStyle] = {
    # Levels of an environment
    "draft": StateStyle("", "ring", "Draft"),
    "executable": StateStyle("", "play", "Executable"),
    "proved": StateStyle("info", "check", "Proved"),
    "reviewed": StateStyle("info", "review", "Reviewed"),
    "approved": StateStyle("good", "check", "Approved"),
    "exported": StateStyle("good", "bundle", "Exported"),
    # Tokens and invitations
    "valid": StateStyle("good", "check", "Valid"),
    "expired": StateStyle("", "clock", "Expired"),
    "revoked": StateStyle("", "dash", "Revoked"),
    "pending": StateStyle("info", "clock", "Pending"),
    "accepted": StateStyle("good", "check", "Accepted"),
    # Runs
    "queued": StateStyle("", "clock", "Queued"),
    "running": StateStyle("info", "busy", "Running"),
    "paused": StateStyle("warn", "pause", "Paused"),
    "cancelling": StateStyle("warn", "busy", "Cancel requested"),
    "finished": StateStyle("good", "check", "Finished"),
    "failed": StateStyle("bad", "close", "Failed"),
    "cancelled": StateStyle("", "dash", "Cancelled"),
    # World servers
    "ready": StateStyle("good", "check", "Ready"),
    "full": StateStyle("warn", "layers", "Full"),
    "unhealthy": StateStyle("bad", "warn", "Unhealthy"),
    "lost": StateStyle("bad", "close", "Lost"),
    "left": StateStyle("", "dash", "Left"),
    # Candidates of an expansion
    "duplicate": StateStyle("warn", "copy", "Duplicate"),
    "category_full": StateStyle("warn", "layers", "Category full"),
    "unsuitable": StateStyle("bad", "reject", "Not suitable"),
    "unreadable": StateStyle("bad", "warn", "Not readable"),
    # Verdicts on trajectories
    "completed": StateStyle("good", "check", "Completed"),
    "partially_completed": StateStyle("warn", "note", "Partially completed"),
    "agent_error": StateStyle("bad", "close", "Agent error"),
    "environment_error": StateStyle("bad", "warn", "Environment error"),
    "unscored": StateStyle("", "dash", "Unscored"),
    # How one call ended
    "ok": StateStyle("good", "check", "Answered"),
    "answered": StateStyle("good", "chat", "Final answer"),
    "refused": StateStyle("warn", "dash", "Refused"),
    "invalid_arguments": StateStyle("bad", "close", "Invalid arguments"),
    "unknown_tool": StateStyle("bad", "close", "Unknown tool"),
    "error": StateStyle("bad", "warn", "Tool failed"),
    "malformed": StateStyle("bad", "close", "Unreadable action"),
    # Reviews and flags
    "approve": StateStyle("good", "check", "Approve"),
    "request_changes": StateStyle("warn", "undo", "Request changes"),
    "reject": StateStyle("bad", "reject", "Reject"),
    "submitted": StateStyle("good", "check", "Submitted"),
    "withdrawn": StateStyle("", "undo", "Withdrawn"),
    "stale": StateStyle("warn", "clock", "Stale"),
    "open": StateStyle("bad", "flag", "Open"),
    "sent_back": StateStyle("info", "undo", "Sent back"),
    "resolved": StateStyle("good", "check", "Resolved"),
    "blocking": StateStyle("bad", "flag", "Blocks approval"),
    "major": StateStyle("warn", "flag", "Major"),
    "minor": StateStyle("", "flag", "Minor"),
    # Claims, cases and findings
    "as_expected": StateStyle("good", "check", "As expected"),
    "unexpected": StateStyle("bad", "close", "Unexpected"),
    "warning": StateStyle("warn", "warn", "Warning"),
    "note": StateStyle("", "info", "Note"),
    "passed": StateStyle("good", "check", "Passed"),
    "yes": StateStyle("good", "check", "Yes"),
    "no": StateStyle("", "dash", "No"),
}
"""State to its look; a state that is not here shows its own name without colour."""


TRADE_STATES = {
    "executable": "It runs",
    "agent_error": "Not completed",
    "environment_error": "World at fault",
    "unscored": "Not judged",
}
"""States whose words only people who build agents know, in everybody's; the expert view keeps the terms."""


@register.simple_tag(takes_context=True)
def state(context: dict[str, Any], name: str, word: str = "") -> SafeString:
    """A state as a pill with sign and word."""
    return state_pill(name, word, expert=shell.expert(context))


def state_pill(name: str, word: str = "", *, expert: bool = False) -> SafeString:
    """The same, for tables."""
    look = _style(name)
    tone = f" state-{look.tone}" if look.tone else ""
    busy = " state-busy" if look.icon == "busy" else ""
    shown = word or state_title(name, expert=expert)
    return format_html('<span class="state{}{}">{}{}</span>', tone, busy, icon(look.icon), shown)


@register.simple_tag(takes_context=True)
def state_called(context: dict[str, Any], name: str) -> str:
    """The word alone: everybody's, or the field's in the expert view."""
    return state_title(name, expert=shell.expert(context))


def state_title(name: str, *, expert: bool) -> str:
    """The same, for views."""
    return state_word(name) if expert else TRADE_STATES.get(str(name)) or state_word(name)


@register.filter
def state_word(name: str) -> str:
    """The field's word alone."""
    return _style(name).word


def _style(name: str) -> StateStyle:
    """How a state looks; one that no table lists shows its own name."""
    return STATE_STYLES.get(str(name)) or StateStyle("", "ring", str(name).replace("_", " ").capitalize())
