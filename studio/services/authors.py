"""Authors: who writes parts, by the name a request gives, put together for one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.conf import settings

from studio.models import Run
from studio.services import stopping
from studio.services.providers import provider_for, provider_settings
from synthesis.errors import UnknownName
from synthesis.pipeline.author import Author
from synthesis.pipeline.request import SynthesisRequest


def _procedural(_: Run) -> Author:
    from synthesis.pipeline.authors.procedural import ProceduralAuthor

    return ProceduralAuthor()


def _model(run: Run) -> Author:
    from synthesis.pipeline.authors.complaint import ModelSummariser
    from synthesis.pipeline.authors.model import ModelAuthor

    cheaper = settings.ENV["WORLDWRIGHT_SUMMARY_MODEL"]
    summariser = (
        ModelSummariser(provider_for(run, model=cheaper, stopped=stopping.asked)) if cheaper else None
    )
    return ModelAuthor(provider_for(run, stopped=stopping.asked), summariser=summariser)


AUTHORS: dict[str, Callable[[Run], Author]] = {"procedural": _procedural, "model": _model}
"""Every author by name."""


def require_authors(request: SynthesisRequest) -> None:
    """Pass when every author that a request names is known.

    Raises:
        UnknownName: One is not; the text lists the ones that are.
    """
    for name in names_of(request):
        if name not in AUTHORS:
            raise UnknownName("author", name, list(AUTHORS))


def require_model(authors: Iterable[str]) -> None:
    """Pass when a model can be asked, or no author asks one.

    Args:
        authors: Their names.

    Raises:
        InvalidInput: A key or a model's name is missing; the text names the variable.
    """
    if "model" in authors:
        provider_settings(asking="Author 'model'")


def authors_for(request: SynthesisRequest, run: Run) -> dict[str, Author]:
    """The authors a request names, by name.

    Raises:
        InvalidInput: The model's key or name is not set.
    """
    return {name: AUTHORS[name](run) for name in names_of(request)}


def names_of(request: SynthesisRequest) -> list[str]:
    """The authors that a request names, each once, in order."""
    return sorted({request.author, *request.stage_authors.values()})
