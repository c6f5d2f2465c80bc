"""Authors: who writes parts, by the name a request gives, put together for one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from django.conf import settings

from studio.models import Run
from studio.services.llm.endpoint_keys import keys_for
from studio.services.llm.pool import Role, models_for, pool
from studio.services.llm.providers import provider_for
from studio.services.runs import stopping
from synthesis.errors import InvalidInput, UnknownName
from synthesis.pipeline.author import Author
from synthesis.pipeline.request import SynthesisRequest


def _procedural(run: Run, _: SynthesisRequest) -> Author:
    from synthesis.pipeline.authors.procedural import ProceduralAuthor
    from synthesis.pipeline.authors.rephrasing import RephrasingAuthor

    author = ProceduralAuthor()
    if not settings.WORLDWRIGHT.rephrase:
        return author
    return RephrasingAuthor(author, provider_for(run, stopped=stopping.asked))


def _model(run: Run, request: SynthesisRequest) -> Author:
    return _model_author(run, "author", request.models)


def _second_model(run: Run, request: SynthesisRequest) -> Author:
    return _model_author(run, "second_author", request.second_models, name=SECOND_MODEL)


def _model_author(run: Run, role: Role, models: Sequence[str], name: str = "model") -> Author:
    from synthesis.pipeline.authors.correction_prompt import ModelSummariser
    from synthesis.pipeline.authors.model import ModelAuthor

    cheaper = settings.WORLDWRIGHT.summary_model
    summariser = (
        ModelSummariser(provider_for(run, models=(cheaper,), stopped=stopping.asked)) if cheaper else None
    )
    provider = provider_for(run, role=role, models=models, stopped=stopping.asked)
    return ModelAuthor(provider, summariser=summariser, name=name)


def _recorded(_: Run, __: SynthesisRequest) -> Author:
    from synthesis.pipeline.authors.model import ModelAuthor
    from synthesis.pipeline.recorded_run import RecordedRun, ReplayedRun

    return ModelAuthor(ReplayedRun(RecordedRun.read()), name=RECORDED)


RECORDED = "recorded"
"""The author that replays the run of a model which ships with the package."""
SECOND_MODEL = "second model"
"""The author that is asked when "model" has spent its attempts at a part."""

AUTHORS: dict[str, Callable[[Run, SynthesisRequest], Author]] = {
    "procedural": _procedural,
    "model": _model,
    RECORDED: _recorded,
}
"""Every author by name."""


def require_authors(request: SynthesisRequest) -> None:
    """Pass when every author that a request names is known.

    Raises:
        UnknownName: One is not; the text lists the ones that are.
    """
    for name in names_of(request):
        if name not in AUTHORS:
            raise UnknownName("author", name, list(AUTHORS))


def recorded_request(sentence: str) -> SynthesisRequest:
    """What the recorded run was asked for, with the author that replays it.

    Args:
        sentence: What is asked for now; empty or the recorded one.

    Raises:
        InvalidInput: It is another sentence.
    """
    from synthesis.pipeline.recorded_run import RecordedRun

    request = RecordedRun.read().request
    if sentence.strip() not in ("", request.sentence):
        raise InvalidInput(
            f"The author {RECORDED!r} replays one run, for the sentence “{request.sentence}”. "
            "Leave the sentence out, or choose another author."
        )
    return request.replace(author=RECORDED)


def require_model(
    authors: Iterable[str], request: SynthesisRequest | None = None, *, project_id: int | None = None
) -> None:
    """Pass when the models can be asked, or no author asks one.

    Args:
        authors: Their names.
        request: Which may name models of its own.
        project_id: Whose keys count; of the project to which what is made now belongs when None.

    Raises:
        InvalidInput: A key or a model's name is missing; the text names the variable.
        UnknownName: A model is at an endpoint that is not set.
    """
    names = set(authors)
    if "procedural" in names and settings.WORLDWRIGHT.rephrase:
        pool("author", keys=keys_for(project_id), asking="WORLDWRIGHT_REPHRASE")
    if "model" in names:
        chosen = request.models if request else ()
        pool("author", chosen, keys=keys_for(project_id), asking="Author 'model'")
    if request is not None and request.second_author:
        keys = keys_for(project_id)
        pool("second_author", request.second_models, keys=keys, asking="The second author")


def with_second(request: SynthesisRequest) -> SynthesisRequest:
    """The request with a second author where it or the settings name models for one, and a model writes."""
    wanted = request.author == "model" and models_for("second_author", request.second_models)
    return request.replace(second_author=SECOND_MODEL) if wanted else request


def authors_for(request: SynthesisRequest, run: Run) -> dict[str, Author]:
    """The authors a request names, by name, with the second author where it has one.

    Raises:
        InvalidInput: The model's key or name is not set.
    """
    authors = {name: AUTHORS[name](run, request) for name in names_of(request)}
    if request.second_author:
        authors[request.second_author] = _second_model(run, request)
    return authors


def names_of(request: SynthesisRequest) -> list[str]:
    """The authors that a request names, each once, in order."""
    return sorted({request.author, *request.stage_authors.values()})
