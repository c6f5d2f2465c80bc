"""The authors by name, and how each is made."""

from __future__ import annotations

from collections.abc import Callable

from synthesis.errors import InvalidInput, UnknownName
from synthesis.llm.provider import Provider
from synthesis.pipeline.author import Author
from synthesis.pipeline.authors.model import ModelAuthor
from synthesis.pipeline.authors.procedural import ProceduralAuthor


def _procedural(provider: Provider | None) -> Author:  # noqa: ARG001 - it needs no model
    return ProceduralAuthor()


def _model(provider: Provider | None) -> Author:
    if provider is None:
        raise InvalidInput(
            'The author "model" needs a model endpoint. '
            "Set OPENAI_BASE_URL, OPENAI_API_KEY and WORLDWRIGHT_MODEL."
        )
    return ModelAuthor(provider)


AUTHORS: dict[str, Callable[[Provider | None], Author]] = {"procedural": _procedural, "model": _model}
"""Who can write parts, by name."""


def make_author(name: str, provider: Provider | None = None) -> Author:
    """The author of that name.

    Args:
        name: A name in `AUTHORS`.
        provider: The model, for the author that needs one.

    Raises:
        UnknownName: There is no such author.
        InvalidInput: It needs a model and there is none.
    """
    if name not in AUTHORS:
        raise UnknownName("author", name, list(AUTHORS))
    return AUTHORS[name](provider)
