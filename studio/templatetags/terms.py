"""Links from a word on a page to its entry in the glossary."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.services.browse.glossary import anchor_of, anchors

register = template.Library()


@register.simple_tag
def term(name: str, shown: str = "") -> SafeString:
    """A word of the glossary as a link to its entry, for example `{% term "near-miss" "Near-misses" %}`.

    Raises:
        TemplateSyntaxError: The glossary does not explain the word.
    """
    anchor = anchor_of(name)
    if anchor not in anchors():
        message = f"The glossary has no entry named {name!r}; add one to docs/glossary.md."
        raise template.TemplateSyntaxError(message)
    return format_html('<a class="term" href="{}#{}">{}</a>', reverse("glossary"), anchor, shown or name)
