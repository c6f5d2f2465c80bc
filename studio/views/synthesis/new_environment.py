"""The page that asks for a new environment: what a sentence would become, and the run that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from studio.forms.synthesis import SynthesisForm
from studio.models import Act, Run
from studio.presentation.world_preview import WorldPreview, world_preview
from studio.services.synthesis import preview, synthesis
from studio.views.access import SignedInRequest, requires
from synthesis.errors import WorldwrightError

if TYPE_CHECKING:
    from synthesis.pipeline.request import SynthesisRequest


@requires(Act.SYNTHESISE)
def environment_new(request: SignedInRequest) -> HttpResponse:
    """Ask for a new environment: see what it would be, or queue the run whose page shows how it is made."""
    form = SynthesisForm(request.POST or None)
    wanted = composed = run = None
    doubt = ""
    if request.method == "POST" and form.is_valid():
        try:
            wanted = synthesis.new_request(**form.request())
            if _is_to_be_shown(request, wanted):
                composed = world_preview(preview.compose_preview(wanted))
            elif problem := synthesis.refusal_of(wanted):
                form.add_error("sentence", problem)  # nothing could be made of it anyway
            elif not (doubt := _doubt(request, form, wanted)):
                run = synthesis.start_synthesis(request=wanted, requested_by=request.user)
        except WorldwrightError as error:
            form.add_error(None, str(error))
    if run is not None and wanted is not None:
        return _queued(request, run, wanted)
    return _page(request, form, wanted, composed, doubt)


def _is_to_be_shown(request: SignedInRequest, wanted: SynthesisRequest) -> bool:
    """Whether a look is asked for, or something else than what was looked at is to be made."""
    seen = request.POST.get("shown")
    return request.POST.get("step") == "show" or seen not in (None, preview.fingerprint_of(wanted))


def _doubt(request: SignedInRequest, form: SynthesisForm, wanted: SynthesisRequest) -> str:
    """What to ask about before the run; nothing where it was shown."""
    return "" if "shown" in request.POST or form.goes_on() else synthesis.doubts(wanted)


def _queued(request: SignedInRequest, run: Run, wanted: SynthesisRequest) -> HttpResponse:
    reading = synthesis.reading_of(wanted)
    read = f" {reading.summary}" if reading is not None else ""
    messages.success(request, f"The run is queued. This page updates by itself.{read}")
    return redirect(run)


def _page(
    request: SignedInRequest,
    form: SynthesisForm,
    wanted: SynthesisRequest | None,
    composed: WorldPreview | None,
    doubt: str,
) -> HttpResponse:
    context = {
        "form": form,
        "doubt": doubt,
        "world": composed,
        "shown": preview.fingerprint_of(wanted) if composed and wanted else "",
        "changed": composed is not None and "shown" in request.POST,
        "rephrased": settings.WORLDWRIGHT.rephrase,
        "section": "environments",
    }
    status = 422 if form.is_bound and composed is None else 200
    return render(request, "environments/new.html", context, status=status)
