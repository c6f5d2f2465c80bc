"""ToolSpecs: the tools before their code, so that what is missing shows before anything is written."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from synthesis.documents.document import Document, Identifier, Slug


class ToolParameter(Document):
    """One parameter of a planned tool."""

    name: Identifier
    type: str = Field(min_length=1, max_length=200)
    """As a Python annotation, for example `int` or `Literal["open", "paid"]`."""
    description: str = Field(default="", max_length=1_000)
    required: bool = True
    default: str = Field(default="", max_length=200, exclude_if=lambda value: not value)
    """As Python writes it, where it may be left out and the default is known."""


class ToolSpec(Document):
    """What one tool is to do, which tables it touches and which tasks need it."""

    name: Slug
    resource: str = Field(min_length=1, max_length=80)
    """The thing it is about, for example "appointments"; tools of one resource are written together."""
    summary: str = Field(min_length=1, max_length=2_000)
    parameters: tuple[ToolParameter, ...] = ()
    returns: str = Field(default="", max_length=2_000)
    reads: tuple[Identifier, ...] = ()
    """Tables it reads."""
    writes: tuple[Identifier, ...] = ()
    """Tables it changes; a tool that reads only names none."""
    refuses: tuple[str, ...] = ()
    """When it declines, one sentence each."""
    tasks: tuple[Slug, ...] = ()
    """Ids of the task outlines that need it."""


class ToolSpecs(Document):
    """The planned tools of one environment, each name once; it does not ship."""

    specs: tuple[ToolSpec, ...]

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [spec.name for spec in self.specs]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"tools are planned more than once: {', '.join(twice)}")
        return self
