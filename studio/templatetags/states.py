"""States and labels as a sign with a word: one table says how each is shown."""

from __future__ import annotations

from typing import NamedTuple

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.templatetags.icons import icon

register = template.Library()


class Look(NamedTuple):
    """How one state is shown."""

    tone: str
    """"", "good", "bad", "warn" or "info"."""
    icon: str
    word: str


LOOKS: dict[str, Look] = {
    # Levels of an environment
    "draft": Look("", "ring", "Draft"),
    "executable": Look("", "play", "Executable"),
    "proved": Look("info", "check", "Proved"),
    "reviewed": Look("info", "review", "Reviewed"),
    "approved": Look("good", "check", "Approved"),
    "exported": Look("good", "bundle", "Exported"),
    # Tokens and invitations
    "valid": Look("good", "check", "Valid"),
    "expired": Look("", "clock", "Expired"),
    "revoked": Look("", "dash", "Revoked"),
    "pending": Look("info", "clock", "Pending"),
    "accepted": Look("good", "check", "Accepted"),
    # Runs
    "queued": Look("", "clock", "Queued"),
    "running": Look("info", "busy", "Running"),
    "paused": Look("warn", "pause", "Paused"),
    "cancelling": Look("warn", "busy", "Cancel requested"),
    "finished": Look("good", "check", "Finished"),
    "failed": Look("bad", "close", "Failed"),
    "cancelled": Look("", "dash", "Cancelled"),
    # Candidates of an expansion
    "kept": Look("good", "check", "Accepted"),
    "duplicate": Look("warn", "copy", "Duplicate"),
    "category_full": Look("warn", "layers", "Category full"),
    "unsuitable": Look("bad", "reject", "Not suitable"),
    "unreadable": Look("bad", "warn", "Not readable"),
    # Verdicts on trajectories
    "completed": Look("good", "check", "Completed"),
    "partially_completed": Look("warn", "note", "Partially completed"),
    "agent_error": Look("bad", "close", "Agent error"),
    "environment_error": Look("bad", "warn", "Environment error"),
    "unscored": Look("", "dash", "Unscored"),
    # How one call ended
    "ok": Look("good", "check", "Answered"),
    "answered": Look("good", "chat", "Final answer"),
    "refused": Look("warn", "dash", "Refused"),
    "invalid_arguments": Look("bad", "close", "Invalid arguments"),
    "unknown_tool": Look("bad", "close", "Unknown tool"),
    "error": Look("bad", "warn", "Tool failed"),
    "malformed": Look("bad", "close", "Unreadable action"),
    # Reviews and flags
    "approve": Look("good", "check", "Approve"),
    "request_changes": Look("warn", "undo", "Request changes"),
    "reject": Look("bad", "reject", "Reject"),
    "submitted": Look("good", "check", "Submitted"),
    "withdrawn": Look("", "undo", "Withdrawn"),
    "stale": Look("warn", "clock", "Stale"),
    "open": Look("bad", "flag", "Open"),
    "sent_back": Look("info", "undo", "Sent back"),
    "resolved": Look("good", "check", "Resolved"),
    "blocking": Look("bad", "flag", "Blocks approval"),
    "major": Look("warn", "flag", "Major"),
    "minor": Look("", "flag", "Minor"),
    # Claims, cases and findings
    "as_expected": Look("good", "check", "As expected"),
    "unexpected": Look("bad", "close", "Unexpected"),
    "warning": Look("warn", "warn", "Warning"),
    "note": Look("", "info", "Note"),
    "passed": Look("good", "check", "Passed"),
    "yes": Look("good", "check", "Yes"),
    "no": Look("", "dash", "No"),
}
"""State to its look; a state that is not here shows its own name without colour."""


@register.simple_tag
def state(name: str, word: str = "") -> SafeString:
    """A state as a pill with sign and word."""
    look = LOOKS.get(str(name)) or Look("", "ring", str(name).replace("_", " ").capitalize())
    tone = f" state-{look.tone}" if look.tone else ""
    busy = " state-busy" if look.icon == "busy" else ""
    return format_html('<span class="state{}{}">{}{}</span>', tone, busy, icon(look.icon), word or look.word)


@register.filter
def state_word(name: str) -> str:
    """The word alone."""
    look = LOOKS.get(str(name))
    return look.word if look else str(name).replace("_", " ").capitalize()
