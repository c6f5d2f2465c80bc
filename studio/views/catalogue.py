"""The catalogue of environments, and the page that asks for a new one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from studio.filters.environments import FACETS, EnvironmentFilter
from studio.forms.synthesis import SynthesisForm
from studio.models import Act, EnvironmentRecord
from studio.services import synthesis
from studio.tables.environments import EnvironmentTable
from studio.views.access import SignedInRequest, requires
from studio.views.lists import listed
from synthesis.errors import InvalidInput


@requires(Act.VIEW)
def environments(request: HttpRequest) -> HttpResponse:
    """Every environment, narrowed and sorted by the address."""
    context = listed(
        request,
        queryset=EnvironmentRecord.objects.listed(),
        filterset=EnvironmentFilter,
        table=EnvironmentTable,
        names=FACETS,
    )
    return render(request, "environments/list.html", {**context, "section": "environments"})


@requires(Act.SYNTHESISE)
def environment_new(request: SignedInRequest) -> HttpResponse:
    """Ask for a new environment; the run's page shows how it is made."""
    form = SynthesisForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            wanted = synthesis.new_request(**form.request())
        except InvalidInput as error:
            form.add_error(None, str(error))
        else:
            run = synthesis.start_synthesis(request=wanted, requested_by=request.user)
            messages.success(request, "The run is queued. This page follows it.")
            return redirect(run)
    status = 422 if form.is_bound else 200
    return render(request, "environments/new.html", {"form": form, "section": "environments"}, status=status)
