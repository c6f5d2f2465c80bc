"""Projects: the list, one project with its people and budget, and its end."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from studio.forms.projects import EndpointKeyForm, ProjectForm, ProjectSettingsForm
from studio.models import Act, EnvironmentRecord, Project, Run
from studio.models.projects import DEFAULT_SLUG
from studio.services.accounts.accounts import allowed
from studio.services.environments.environments import find as find_environment
from studio.services.llm import endpoint_keys
from studio.services.llm.spend import project_share
from studio.services.operations import project_deletion
from studio.services.projects import membership, request_visibility
from studio.services.projects import projects as services
from studio.views.access import SignedInRequest, requires
from synthesis.errors import InvalidInput

SHOWN = 20


@requires(Act.VIEW)
def projects(request: SignedInRequest) -> HttpResponse:
    """The projects that the person may read."""
    return _list(request, ProjectForm())


def _list(request: SignedInRequest, form: ProjectForm, status: int = 200) -> HttpResponse:
    context = {"section": "projects", "projects": membership.projects_of(request.user), "form": form}
    return render(request, "projects/list.html", context, status=status)


@require_POST
@requires(Act.MANAGE)
def project_new(request: SignedInRequest) -> HttpResponse:
    """Create a project."""
    form = ProjectForm(request.POST)
    if form.is_valid():
        try:
            return redirect(services.create(user=request.user, **form.cleaned_data))
        except InvalidInput as error:
            form.add_error("name", str(error))
    return _list(request, form, 422)


@require_POST
@requires(Act.VIEW)
def project_choose(request: SignedInRequest) -> HttpResponse:
    """Let lists be about one project, or with an empty name about all of them."""
    slug = request.POST.get("chosen", "")
    if slug:
        membership.find(request.user, slug)
        request.session[request_visibility.CHOICE] = slug
    else:
        request.session.pop(request_visibility.CHOICE, None)
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return redirect(back if safe and back.startswith("/") else "environments")


@requires(Act.VIEW)
def project(request: SignedInRequest, slug: str) -> HttpResponse:
    """One project: its people, budget, environments and runs."""
    return _page(request, membership.find(request.user, slug))


def _page(request: SignedInRequest, shown: Project, status: int = 200, **more: Any) -> HttpResponse:
    environments = EnvironmentRecord.objects.filter(project=shown).listed()
    manages = allowed(request.user, Act.MANAGE)
    context = {
        "section": "projects",
        "project": shown,
        "members": shown.members.select_related("user"),
        "leads": membership.reads(request.user, shown.pk, Act.ARCHIVE),
        "roles": services.MEMBER_ROLES,
        "environments": environments[:SHOWN],
        "environment_count": environments.count(),
        "runs": Run.objects.filter(project=shown).listed().top_level()[:5],
        "spent": project_share(shown),
        "form": ProjectSettingsForm.of(shown) if manages else None,
        "key_form": EndpointKeyForm() if manages else None,
        "keys": endpoint_keys.stored_keys(shown) if manages else (),
        "targets": membership.projects_of(request.user, Act.ARCHIVE).exclude(pk=shown.pk),
        "deletable": manages and shown.slug != DEFAULT_SLUG,
    }
    return render(request, "projects/project.html", context | more, status=status)


@require_POST
@requires(Act.MANAGE)
def project_change(request: SignedInRequest, slug: str) -> HttpResponse:
    """Change name, budget and openness."""
    shown = membership.find(request.user, slug)
    form = ProjectSettingsForm(request.POST)
    if form.is_valid():
        try:
            services.change(user=request.user, project=shown, **form.cleaned_data)
        except InvalidInput as error:
            form.add_error("name", str(error))
        else:
            messages.success(request, "The project is changed.")
            return redirect(shown)
    return _page(request, shown, 422, form=form)


@sensitive_post_parameters("key")
@require_POST
@requires(Act.MANAGE)
def project_endpoint_key(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give the project a key of its own for an endpoint, or take it away."""
    shown = membership.find(request.user, slug)
    if "remove" in request.POST:
        endpoint_keys.remove_key(user=request.user, project=shown, endpoint=request.POST["remove"])
        messages.success(request, "The key is removed. Runs use the studio's from now on.")
        return redirect(shown)
    form = EndpointKeyForm(request.POST)
    if form.is_valid():
        try:
            endpoint_keys.set_key(user=request.user, project=shown, **form.cleaned_data)
        except InvalidInput as error:
            form.add_error("key", str(error))
        else:
            messages.success(request, "The key is stored. It is not shown again.")
            return redirect(shown)
    return _page(request, shown, 422, key_form=form)


@require_POST
@requires(Act.ARCHIVE)
def project_member(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add somebody, change their role, or take them out."""
    shown = membership.find(request.user, slug, Act.ARCHIVE)
    username, role = request.POST.get("username", "").strip(), request.POST.get("role", "")
    member = services.set_member(user=request.user, project=shown, username=username, role=role)
    called = member.get_full_name() or username
    messages.success(request, f"{called} {'takes part' if role else 'no longer takes part'}.")
    return redirect(shown)


@require_POST
@requires(Act.MANAGE)
def project_archive(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a project read-only, or take it into use again."""
    shown = membership.find(request.user, slug)
    archived = request.POST.get("archived") == "yes"
    services.set_archived(user=request.user, project=shown, archived=archived)
    messages.success(request, "The project is archived." if archived else "The project is in use again.")
    return redirect(shown)


@requires(Act.MANAGE)
def project_delete(request: SignedInRequest, slug: str) -> HttpResponse:
    """What would go; with POST and the typed name it goes."""
    shown, error = membership.find(request.user, slug), ""
    if request.method == "POST":
        try:
            project_deletion.delete(user=request.user, project=shown, typed=request.POST.get("typed", ""))
        except InvalidInput as wrong:
            error = str(wrong)
        else:
            messages.success(request, f"The project {shown.name} is deleted.")
            return redirect("projects")
    context = {"section": "projects", "project": shown, "plan": project_deletion.plan(shown), "error": error}
    return render(request, "projects/delete.html", context, status=422 if error else 200)


@require_POST
@requires(Act.ARCHIVE)
def environment_move(request: SignedInRequest, name: str) -> HttpResponse:
    """Move an environment to another project."""
    record = find_environment(name)
    target = services.move(user=request.user, record=record, slug=request.POST.get("target", ""))
    messages.success(request, f"{record.title} is now in {target.name}.")
    return redirect(record)
