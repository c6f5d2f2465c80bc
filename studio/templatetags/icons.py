"""Icons as inline SVG: a visible table of strokes on a 24-unit grid, in the colour of the text around."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

STROKES: dict[str, str] = {
    "approve": "M20 6 9 17l-5-5",
    "arrow-left": "M19 12H5m6 6-6-6 6-6",
    "arrow-right": "M5 12h14m-6-6 6 6-6 6",
    "auto": "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
    "bell": "M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
    "bundle": "M21 8 12 3 3 8v8l9 5 9-5zM3 8l9 5 9-5M12 13v8",
    "busy": "M21 12a9 9 0 1 1-6.2-8.6",
    "chat": "M21 12a8 8 0 0 1-11.6 7.1L4 21l1.8-4.6A8 8 0 1 1 21 12z",
    "check": "M20 6 9 17l-5-5",
    "clock": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
    "close": "M6 6l12 12M18 6 6 18",
    "columns": "M4 4h16v16H4zM10 4v16M15 4v16",
    "copy": "M9 9h11v11H9zM5 15H4V4h11v1",
    "dash": "M6 12h12",
    "database": "M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3z"
    "M4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
    "download": "M12 4v11m-5-5 5 5 5-5M4 20h16",
    "edit": "M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4",
    "filter": "M4 5h16l-6 8v6l-4-2v-4z",
    "flag": "M5 21V4h13l-3 4.5L18 13H5",
    "home": "M4 11l8-7 8 7M6 10v10h12V10",
    "info": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01",
    "key": "M14.5 9.5a4.5 4.5 0 1 0-4.2 4.5l1.7 1.7h2v2h2v2h4v-3.5l-5.6-5.6c.1-.4.1-.7.1-1.1zM9 9h.01",
    "layers": "M12 3 3 8l9 5 9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5",
    "ledger": "M5 4h14v16H5zM9 8h6M9 12h6M9 16h4",
    "menu": "M4 7h16M4 12h16M4 17h16",
    "moon": "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
    "note": "M12 8v5M12 16h.01M12 3 2.5 20h19z",
    "pause": "M8 5v14M16 5v14",
    "play": "M7 4l13 8-13 8z",
    "plus": "M12 5v14M5 12h14",
    "reject": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 8.5l7 7M15.5 8.5l-7 7",
    "repeat": "M4 9a8 8 0 0 1 14-3l2 2M20 3v5h-5M20 15a8 8 0 0 1-14 3l-2-2M4 21v-5h5",
    "review": "M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
    "ring": "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z",
    "run": "M13 3 5 14h6l-1 7 8-11h-6z",
    "search": "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5",
    "sign-out": "M15 4h4v16h-4M10 8l-4 4 4 4M6 12h9",
    "sun": "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4"
    "M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
    "table": "M4 5h16v14H4zM4 10h16M4 15h16M10 10v9",
    "task": "M9 6h11M9 12h11M9 18h11M4 6l1 1 2-2M4 12l1 1 2-2M4 18l1 1 2-2",
    "tool": "M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3z",
    "undo": "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6v1",
    "user": "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6",
    "wait": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
    "warn": "M12 8v5M12 16h.01M12 3 2.5 20h19z",
}
"""Name to the path that is stroked."""


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """One icon; without a label it is hidden from screen readers.

    Raises:
        KeyError: There is no icon of that name, which only a template's author can cause.
    """
    path = STROKES[name]
    if not label:
        return format_html(
            '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="{}"/></svg>',
            path,
        )
    return format_html(
        '<svg class="icon" viewBox="0 0 24 24" role="img" aria-label="{}"><path d="{}"/></svg>', label, path
    )


@register.simple_tag
def mark() -> SafeString:
    """The studio's mark: a world with its meridian and a row of a table through it."""
    return mark_safe(
        '<svg viewBox="0 0 32 32" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" '
        'stroke-width="2.4" stroke-linecap="round"><circle cx="16" cy="16" r="12.4"/>'
        '<path d="M16 3.6c-7 6.6-7 18.2 0 24.8M16 3.6c7 6.6 7 18.2 0 24.8M5 11.5h22M5 20.5h22"/>'
        '<circle cx="16" cy="16" r="2.6" fill="currentColor" stroke="none"/></svg>'
    )
