"""Reply: what a model is to answer for a part, and how a correction goes into what stands already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from synthesis.errors import ReplyUnreadable


class UnreadablePieces(ReplyUnreadable):
    """Some pieces of an answer could not be read; only these are asked for again.

    Args:
        problems: What is wrong, by name of the piece.
    """

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(f"{name}: {problem}" for name, problem in problems.items()))
        self.problems = dict(problems)


class Piece(BaseModel):
    """Part of an answer. Fields nobody asked for are left out; what is there must fit."""

    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)


class Reply(Piece):
    """The shape of an answer. One that lists named pieces can be corrected piece by piece."""

    listed: ClassVar[tuple[str, str] | None] = None
    """The field that lists the pieces and the field that names one, or None."""

    remove: list[str] = Field(default_factory=list)
    """Only in a correction: names of pieces that are to go."""

    @property
    def pieces(self) -> dict[str, Any]:
        """The pieces by name."""
        if self.listed is None:
            return {}
        field, key = self.listed
        return {getattr(piece, key): piece for piece in getattr(self, field)}

    def merged(self, correction: Self) -> Self:
        """These pieces with the correction's in place of those of the same name, others as they are."""
        if self.listed is None:
            return correction
        field, _ = self.listed
        pieces = {name: piece for name, piece in self.pieces.items() if name not in correction.remove}
        pieces.update(correction.pieces)
        said = correction.model_fields_set - {field, "remove"}
        others = {name: getattr(correction, name) for name in said}
        return self.model_copy(update={**others, field: list(pieces.values()), "remove": []})

    def only(self, names: set[str]) -> dict[str, Any]:
        """As JSON values, the pieces of these names and what is no piece."""
        found = self.model_dump(mode="json", exclude={"remove"})
        if self.listed is not None:
            field, key = self.listed
            found[field] = [piece for piece in found[field] if piece[key] in names]
        return found

    @model_validator(mode="after")
    def _names_stand_once(self) -> Self:
        if self.listed is None:
            return self
        field, key = self.listed
        names = [getattr(piece, key) for piece in getattr(self, field)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{field} holds more than once: {', '.join(twice)}")
        return self
