"""The field's terms on pages: in trade's words outside the expert view, and linked to the glossary."""

from __future__ import annotations

from typing import Any, Protocol

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from studio.services.browse.glossary import anchor_of, anchors
from studio.services.environments.claim_sentences import claim_in_words
from studio.services.environments.trade_words import trade_word
from studio.templatetags import shell
from studio.templatetags.texts import words

register = template.Library()


class Claimed(Protocol):
    """The result of a claim."""

    claim: str
    title: str


@register.simple_tag(takes_context=True)
def term(context: dict[str, Any], name: str, shown: str = "") -> SafeString:
    """A word of the glossary as a link to its entry, for example `{% term "near-miss" "Near-misses" %}`.

    Raises:
        TemplateSyntaxError: The glossary does not explain the word.
    """
    anchor = anchor_of(name)
    if anchor not in anchors():
        message = f"The glossary has no entry named {name!r}; add one to docs/glossary.md."
        raise template.TemplateSyntaxError(message)
    words_shown = word(context, shown or name)
    return format_html('<a class="term" href="{}#{}">{}</a>', reverse("glossary"), anchor, words_shown)


@register.simple_tag(takes_context=True)
def word(context: dict[str, Any], name: str) -> str:
    """A term of the field in the expert view, else trade's word for it: `{% word "Claims" %}`."""
    return name if shell.expert(context) else trade_word(name)


@register.filter
def claim_words(claim: str) -> str:
    """What a claim without a result yet says, by its name alone."""
    return claim_in_words(claim, words(claim))


@register.simple_tag(takes_context=True)
def claim_called(context: dict[str, Any], result: Claimed) -> str:
    """What a claim says: to people, or in the expert view as the proof words it."""
    return result.title if shell.expert(context) else claim_in_words(result.claim, result.title)
