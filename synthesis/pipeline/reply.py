"""Reply: what a model is to answer for a part, and how a correction goes into what exists already."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from synthesis.errors import ReplyUnreadable
from synthesis.llm.provider import Completion
from synthesis.llm.structured import read_object, validated

AnyReply = TypeVar("AnyReply", bound="Reply")


class UnreadablePieces(ReplyUnreadable):
    """Some pieces of an answer could not be read; only these are asked for again.

    Args:
        problems: What is wrong, by name of the piece.
    """

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(f"{name}: {problem}" for name, problem in problems.items()))
        self.problems = dict(problems)


@dataclass(frozen=True)
class Misread:
    """A piece of an answer that does not fit.

    Attributes:
        problem: What is wrong with it.
        piece: What was written.
    """

    problem: str
    piece: Any


def as_slug(value: Any) -> Any:
    """A name with "_" for hyphens and blanks, which models write out of habit; anything else as it is."""
    if not isinstance(value, str) or not _HYPHENATED.fullmatch(value):
        return value
    return re.sub(r"[ -]+", "_", value).lower()


_HYPHENATED = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[ -]+[A-Za-z0-9_]+)+")
PieceName = Annotated[str, BeforeValidator(as_slug)]


class Piece(BaseModel):
    """Part of an answer. Fields nobody asked for are left out; what is there must fit."""

    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)


class Reply(Piece):
    """The shape of an answer. One that lists named pieces can be corrected piece by piece."""

    listed: ClassVar[tuple[str, str] | None] = None
    """The field that lists the pieces and the field that names one, or None."""
    wholes: ClassVar[tuple[str, ...]] = ()
    """Fields beside the pieces that findings may name and that are asked for again by their own name."""

    remove: list[str] = Field(default_factory=list)
    """Only in a correction: names of pieces that are to go."""

    @property
    def pieces(self) -> dict[str, Any]:
        """The pieces by name."""
        if self.listed is None:
            return {}
        field, key = self.listed
        return {getattr(piece, key): piece for piece in getattr(self, field)}

    @property
    def gaps(self) -> str:
        """What the pieces need and none of them has, in words; "" where nothing is known to be missing."""
        return ""

    def extended(self, batch: Self) -> Self:
        """These pieces and those of the next batch, of which none is a correction."""
        return Reply.merged(self, batch)

    def merged(self, correction: Self) -> Self:
        """These pieces with the correction's in place of those of the same name, others as they are."""
        if self.listed is None:
            return correction
        field, _ = self.listed
        pieces = {name: piece for name, piece in self.pieces.items() if name not in correction.remove}
        pieces.update(correction.pieces)
        texts = correction.model_fields_set - {field, "remove"}
        others = {name: getattr(correction, name) for name in texts}
        return self.model_copy(update={**others, field: list(pieces.values()), "remove": []})

    def only(self, names: set[str]) -> dict[str, Any]:
        """As JSON values without defaults, the pieces of these names and what is no piece."""
        results = self.model_dump(mode="json", exclude={"remove"}, exclude_defaults=True)
        if self.listed is not None:
            field, key = self.listed
            pairs = zip(getattr(self, field), results.get(field, ()), strict=True)
            results[field] = [shown for piece, shown in pairs if getattr(piece, key) in names]
        return results

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        if self.listed is None:
            return self
        field, key = self.listed
        names = [getattr(piece, key) for piece in getattr(self, field)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{field} contains more than once: {', '.join(twice)}")
        return self


def read_pieces(completion: Completion, wanted: type[AnyReply]) -> tuple[AnyReply, dict[str, Misread]]:
    """The reply, and what is wrong with those of its pieces that do not fit; one bad piece costs no other.

    Raises:
        ReplyUnreadable: It is no such reply, whichever pieces are left out.
    """
    value = read_object(completion)
    try:
        return validated(value, wanted), {}
    except ReplyUnreadable as error:
        if wanted.listed is None or not isinstance(value.get(wanted.listed[0]), list):
            raise
        field, key = wanted.listed
        fitting, problems = _sorted_out(value, wanted, field, key)
        if not fitting:
            raise
        try:
            return validated({**value, field: fitting}, wanted), problems
        except ReplyUnreadable:
            raise error from None


def _sorted_out(
    value: dict[str, Any], wanted: type[Reply], field: str, key: str
) -> tuple[list[Any], dict[str, Misread]]:
    """The pieces that fit by themselves, and by name what is wrong with the others."""
    fitting: list[Any] = []
    problems: dict[str, Misread] = {}
    names = set[str]()
    for number, piece in enumerate(value[field], start=1):
        named = as_slug(piece.get(key)) if isinstance(piece, dict) else None
        name = named if isinstance(named, str) and named else f"entry {number} of {field}"
        try:
            # A piece that is a text has its name within.
            name = next(iter(validated({**value, field: [piece]}, wanted).pieces), name)
        except ReplyUnreadable as error:
            problems[name] = Misread(str(error).replace(f"{field}.0.", ""), piece)
            continue
        if name in names:
            problems[name] = Misread(f"{field} contains it more than once; the first one was read.", piece)
        else:
            names.add(name)
            fitting.append(piece)
    return fitting, problems
