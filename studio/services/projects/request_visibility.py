"""What a request may read: the projects of whoever asks, for what they want to do, and the chosen one."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from studio.models import Act, EnvironmentRecord
from studio.models.visibility import Visibility
from studio.services.projects import membership

CHOICE = "project"
"""The parameter of an address or a form, and the key of a session, that names a project."""
NAMES_AN_ENVIRONMENT = "environment"
"""The parameter of pages about one environment, whichever project was chosen before."""
_NOTHING = Visibility.only()


def visibility_of(request: HttpRequest) -> Visibility:
    """What this request may read now; nothing for strangers."""
    user = getattr(request, "user", None) or AnonymousUser()
    act: Act = getattr(request, "act", Act.VIEW)
    state: Any = request.__dict__
    known = state.get("_visibility")
    if known is None or known[:2] != (user.pk, act):
        known = state["_visibility"] = (user.pk, act, _resolved(request, user, act))
    visibility: Visibility = known[2]
    return visibility


def enter(request: HttpRequest, act: Act) -> None:
    """Begin to answer somebody who wants to do something.

    Raises:
        Missing: The request names a project in which they may not.
    """
    request.act = act  # type: ignore[attr-defined]
    if slug := named_project(request):
        membership.find(request.user, slug, act)


def named_project(request: HttpRequest) -> str:
    """The project that the address or the form names; empty without any.

    An address about one thing names none: its query is its own, where a row's key may be called "project".
    """
    if request.resolver_match is not None and request.resolver_match.kwargs and not _is_api(request):
        return ""
    named = request.GET.get(CHOICE, "")
    is_form = request.method == "POST" and request.content_type in _FORMS
    return named or (str(request.POST.get(CHOICE, "")) if is_form and not _is_api(request) else "")


_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")


def _resolved(request: HttpRequest, user: Any, act: Act) -> Visibility:
    if not user.is_authenticated:
        return _NOTHING
    allowed = membership.readable_numbers(user, act)
    slug = named_project(request) or _chosen_before(request)
    if not slug:
        return Visibility(allowed, allowed)
    chosen = membership.projects_of(user, act).filter(slug=slug).values_list("pk", flat=True).first()
    if chosen is not None:
        return Visibility(allowed, frozenset({chosen}))
    return Visibility(allowed, frozenset() if named_project(request) else allowed)


def _chosen_before(request: HttpRequest) -> str:
    """What lists are about where the request names no project: that of the environment which it names, or
    the one chosen in the header. Pages whose address is about one thing show it whatever was chosen."""
    match, several = request.resolver_match, getattr(request.user, "has_several_projects", True)
    if match is None or match.kwargs or _is_api(request) or not several:
        return ""
    name = request.GET.get(NAMES_AN_ENVIRONMENT) or request.POST.get(NAMES_AN_ENVIRONMENT)
    if name:
        named = EnvironmentRecord.all_projects.filter(name=str(name))
        if (slug := named.values_list("project__slug", flat=True).first()) is not None:
            return str(slug)
    return str(request.session.get(CHOICE, ""))
