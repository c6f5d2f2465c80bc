"""The frame of a page: theme, rights of the person, fields of forms, places in the navigation."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, RadioSelect, Select, Textarea
from django.http import HttpRequest

from studio.models.roles import Act
from studio.services.accounts.accounts import Person, allowed, role_of
from studio.services.environments.trade_words import trade_word
from studio.services.notifications import notifications
from studio.services.projects import membership, request_visibility
from studio.services.review.queue import until_words

register = template.Library()

THEMES = ("auto", "light", "dark")
"""What the cookie `theme` may hold; "auto" follows the system."""
VIEWS = ("plain", "expert")
"""What the cookie `view` may hold; "expert" shows code, ids and JSON."""


@register.simple_tag(takes_context=True)
def theme(context: dict[str, Any]) -> str:
    """The theme the page is rendered in, from the cookie."""
    request: HttpRequest | None = context.get("request")
    wanted = request.COOKIES.get("theme", "auto") if request else "auto"
    return wanted if wanted in THEMES else "auto"


@register.simple_tag(takes_context=True)
def expert(context: dict[str, Any]) -> bool:
    """Whether the person wants to see code, ids and JSON, from the cookie."""
    request: HttpRequest | None = context.get("request")
    return request is not None and shows_code(request)


def shows_code(request: HttpRequest) -> bool:
    """The same, for a view."""
    return request.COOKIES.get("view") == "expert"


@register.filter
def may(user: Person, act: str) -> bool:
    """Whether the person's role allows an act, for example `user|may:"review"`."""
    return allowed(user, Act(act))


@register.simple_tag(takes_context=True)
def project_choice(context: dict[str, Any]) -> dict[str, Any] | None:
    """The projects that the person may choose from and the chosen one; None where there is no choice."""
    request: HttpRequest | None = context.get("request")
    if request is None or not getattr(getattr(request, "user", None), "has_several_projects", False):
        return None
    projects = list(membership.projects_of(request.user))
    if len(projects) < 2:
        return None
    slug = request.session.get(request_visibility.CHOICE, "")
    return {"projects": projects, "chosen": next((each for each in projects if each.slug == slug), None)}


@register.filter
def unread(user: Any) -> int:
    """How many notifications the person has not opened yet."""
    return notifications.unread_count(user)


@register.filter
def role_title(user: Person) -> str:
    """The person's role in words."""
    role = role_of(user)
    return str(role.label) if role else "No role"


@register.filter
def person(user: Any) -> str:
    """A person as they are called."""
    if user is None:
        return "somebody who left"
    return str(user.get_full_name() or user.get_username())


@register.filter
def held_until(moment: datetime) -> str:
    """When a hold or an assignment ends: the hour of today, or the day."""
    return until_words(moment)


@register.filter
def initials(user: Any) -> str:
    """Two letters for the person's mark."""
    texts = [word[0] for word in person(user).split()[:2] if word]
    return "".join(texts) or "?"


@register.simple_tag(takes_context=True)
def here(context: dict[str, Any], *names: str) -> str:
    """The attribute value that marks the current place in the navigation, or nothing."""
    request: HttpRequest | None = context.get("request")
    match = request.resolver_match if request else None
    return "page" if match is not None and match.url_name in names else ""


@register.inclusion_tag("parts/field.html", takes_context=True)
def field(
    context: dict[str, Any], bound: BoundField, hint: str = "", *, needed: bool = False
) -> dict[str, Any]:
    """One field of a form with label, help and errors, tied together for screen readers.

    Args:
        context: The template's.
        bound: The field.
        hint: What stands beside its label.
        needed: Whether it must be filled in here, although the form does not always ask for it.
    """
    in_words = str if expert(context) else trade_word
    widget = bound.field.widget
    kind = "text"
    if isinstance(widget, RadioSelect):
        kind = "radio"
    elif isinstance(widget, CheckboxInput):
        kind = "check"
    css = "form-select" if isinstance(widget, Select) and kind == "text" else "form-control"
    if kind == "check":
        css = "form-check-input"
    extra = " is-invalid" if bound.errors else ""
    mono = " mono" if isinstance(widget, Textarea) and widget.attrs.get("data-code") else ""
    control = bound.as_widget(attrs=_attributes(bound, css + extra + mono)) if kind != "radio" else ""
    return {
        "field": bound,
        "kind": kind,
        "control": control,
        "hint": hint,
        "optional": not (bound.field.required or needed),
        "label": in_words(str(bound.label)),
        "help": in_words(str(bound.help_text)) if bound.help_text else "",
        "options": [(option, in_words(str(option.choice_label))) for option in bound]
        if kind == "radio"
        else [],
    }


def _attributes(bound: BoundField, css: str) -> dict[str, str | bool]:
    # Django ties help and errors itself through aria-describedby and aria-invalid.
    attributes: dict[str, str | bool] = {
        "class": f"{bound.field.widget.attrs.get('class', '')} {css}".strip()
    }
    most = bound.field.widget.attrs.get("maxlength")
    if most and isinstance(bound.field.widget, Textarea):
        # Browsers cut what is pasted at maxlength without a word; the page counts instead.
        attributes |= {"maxlength": False, "data-most": str(most)}
    return attributes


UNSENT = "unsent"
"""Where the session has words that could not be taken, until their form is shown again."""


@register.simple_tag(takes_context=True)
def unsent(context: dict[str, Any], form: str) -> str:
    """What somebody sent with a form that could not be taken; once, since it is in the form again then."""
    session = context["request"].session
    words: dict[str, str] = session.get(UNSENT, {})
    if words.get("form") != form:
        return ""
    del session[UNSENT]
    return words["text"]
