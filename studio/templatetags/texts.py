"""Hostile text made visible and harmless: cells, JSON, code and Markdown that machines or people wrote."""

from __future__ import annotations

import json
from typing import Any

import nh3
from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

register = template.Library()

LONGEST_CELL = 300
"""Characters of a cell shown in lists; the row page shows the whole."""

LONGEST_HIGHLIGHT = 200_000
"""Characters of code that are coloured; longer code is shown plain."""

LANGUAGES = frozenset({"python", "sql", "json", "text", "diff"})

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
_PROSE_TAGS = {
    "p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote",
    "table", "thead", "tbody", "tr", "th", "td", "a",
}  # fmt: skip


@register.filter
def cell(value: Any, longest: int = LONGEST_CELL) -> SafeString:
    """One database value: NULL, the empty text, 0, blobs and long texts can be told apart without colour."""
    if value is None:
        return mark_safe('<span class="value-null">NULL</span>')
    if value == "":
        return mark_safe('<span class="value-empty">empty text</span>')
    if isinstance(value, bytes):
        return format_html('<span class="value-cut">blob, {} bytes</span>', len(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if not text.strip():
        return format_html('<span class="value-empty">{} blank characters</span>', len(text))
    if len(text) <= longest:
        return SafeString(escape(text))
    return format_html('{}… <span class="value-cut">{} characters</span>', text[:longest], f"{len(text):,}")


@register.filter
def whole_cell(value: Any) -> SafeString:
    """One database value at its full length."""
    return cell(value, longest=100_000_000)


@register.filter
def pretty_json(value: Any) -> str:
    """A value as indented JSON text; still to be escaped."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


@register.filter
def inline_json(value: Any) -> str:
    """A value as one line of JSON text; still to be escaped."""
    return json.dumps(value, ensure_ascii=False, default=str)


@register.filter
def code(source: Any, language: str = "python") -> SafeString:
    """Source as a block with coloured words and no line numbers."""
    return _block(str(source), language, numbers=False)


@register.filter
def numbered(source: Any, language: str = "python") -> SafeString:
    """Source as a block whose lines have numbers that can be linked (#L12)."""
    return _block(str(source), language, numbers=True)


@register.filter
def markdown(text: Any) -> SafeString:
    """Markdown as clean HTML: no raw HTML, no images, links that carry no referrer."""
    tokens = _markdown.parse(str(text or ""))
    for token in tokens:
        if token.tag[:1] == "h" and token.tag[1:].isdecimal():
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"  # a page has one h1 and its sections are h2
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    return mark_safe(nh3.clean(html, tags=_PROSE_TAGS, url_schemes={"http", "https", "mailto"}))  # noqa: S308


@register.filter
def lookup(mapping: Any, key: Any) -> Any:
    """The value under a key, or None."""
    try:
        return mapping[key]
    except (KeyError, IndexError, TypeError):
        return None


@register.filter
def words(name: Any) -> str:
    """An identifier as words: "no_row_dangles" reads "No row dangles"."""
    text = str(name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


@register.filter
def duration(seconds: Any) -> str:
    """Seconds as people say them: "48 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(float(seconds)))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@register.filter
def amount(value: Any, kind: str) -> str:
    """An amount of money in US dollars ("money") or of tokens ("tokens")."""
    return f"${float(value):,.2f}" if kind == "money" else f"{float(value):,.0f} tokens"


@register.filter
def dollars(cost: float | None, calls: int) -> str:
    """What calls cost; "no price" where none is known, a dash where none was made."""
    if cost is None:
        return "no price" if calls else "–"
    return amount(cost, "money")


@register.filter
def percent(share: Any) -> str:
    """A share of 0 to 1 as "88.3 %"."""
    return f"{100 * float(share):.1f} %"


def _block(source: str, language: str, *, numbers: bool) -> SafeString:
    language = language if language in LANGUAGES and len(source) <= LONGEST_HIGHLIGHT else "text"
    formatter = HtmlFormatter(
        nowrap=False,
        cssclass="code",
        linenos="inline" if numbers else False,
        lineanchors="L" if numbers else "",
        anchorlinenos=numbers,
        wrapcode=True,
    )
    html = highlight(source, get_lexer_by_name(language, stripnl=False), formatter)
    # A block that scrolls must be reachable by keyboard.
    reachable = html.replace(
        '<div class="code">', '<div class="code" tabindex="0" role="group" aria-label="Code">', 1
    )
    return mark_safe(reachable)  # noqa: S308 - Pygments escaped it
