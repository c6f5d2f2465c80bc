"""SynthesisRequest: what a person asks for, checked on entry."""

from __future__ import annotations

import annotated_types
from pydantic import BaseModel, Field, ValidationError

from synthesis.documents.document import Document
from synthesis.documents.finding import PartName
from synthesis.documents.scenario import MAX_SENTENCE
from synthesis.errors import InvalidInput

LARGEST_SEED = 2**63 - 1

LONGEST_SHOWN = 40
"""Characters of a value that are repeated when it is refused."""


class Targets(Document):
    """How large the environment is to be, at least."""

    tables: int = Field(default=12, ge=1, le=60)
    rows: int = Field(default=80, ge=1, le=2_000)
    tools: int = Field(default=20, ge=1, le=80)
    tasks: int = Field(default=10, ge=1, le=50)
    fewer_tasks: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether an author without a model may offer fewer tasks: nobody asked for that number."""


class SynthesisRequest(Document):
    """One environment to be made from one sentence."""

    sentence: str
    """What the application is, in a sentence or up to a page."""
    author: str = "procedural"
    """Who writes the parts, by name."""
    stage_authors: dict[str, str] = Field(default_factory=dict)
    """Other authors for single parts."""
    second_author: str = ""
    """Who is asked for a part when its author has spent its attempts; nobody when empty."""
    models: tuple[str, ...] = Field(default=(), max_length=8)
    """Models that the model author asks, the first that is up; those of the settings when empty."""
    second_models: tuple[str, ...] = Field(default=(), max_length=8)
    """The same for a second author."""
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    attempts: int = Field(default=5, ge=1, le=20)
    """Attempts a stage has for its part."""
    attempts_in_all: int = Field(default=60, ge=1, le=1_000)
    """Attempts at all parts together, corrections included, before the whole is given up."""
    corrections: int = Field(default=5, ge=0, le=50)
    """How often, in all, a finished part may be sent back by the proof of the whole."""
    targets: Targets = Targets(fewer_tasks=True)
    category: str = Field(default="", max_length=80)
    """Kind of business, where the asker knows it."""

    def author_of(self, part: PartName) -> str:
        """The name of the author of one part."""
        return self.stage_authors.get(part, self.author)


def too_few_tasks(request: SynthesisRequest, part: PartName, count: int) -> bool:
    """Whether a part has fewer tasks than its author must offer."""
    targets = request.targets
    free = targets.fewer_tasks and request.author_of(part) == "procedural"
    return count < (1 if free else targets.tasks)


def require_usable(request: SynthesisRequest) -> None:
    """Pass when the sentence can be worked with.

    Raises:
        InvalidInput: It is empty, too long or holds control characters; the text says which.
    """
    length = len(request.sentence)
    if not request.sentence.strip():
        raise InvalidInput("The scenario is empty. Describe the application in a sentence or two.")
    if length > MAX_SENTENCE:
        raise InvalidInput(f"The scenario has {length:,} characters; at most {MAX_SENTENCE:,} are allowed.")
    if "\x00" in request.sentence:
        raise InvalidInput("The scenario contains a NUL character. Provide plain text.")


def out_of_range(error: ValidationError) -> str:
    """What is wrong with a request's first unusable value, naming the option and its allowed range."""
    first = error.errors(include_url=False)[0]
    model: type[BaseModel] = SynthesisRequest
    *above, option = [str(part) for part in first["loc"]] or [""]
    if above == ["targets"]:
        model = Targets
    lowest = highest = None
    for limit in model.model_fields[option].metadata if option in model.model_fields else ():
        if isinstance(limit, annotated_types.Ge):
            lowest = int(str(limit.ge))
        elif isinstance(limit, annotated_types.Le):
            highest = int(str(limit.le))
        elif isinstance(limit, annotated_types.Lt):
            highest = int(str(limit.lt)) - 1
    given = str(first["input"])
    shown = given if len(given) <= LONGEST_SHOWN else f"{given[:LONGEST_SHOWN]}…"
    if lowest is None or highest is None:
        return f"The option {option} cannot be {shown}: {first['msg']}."
    return f"The option {option} must be a whole number from {lowest:,} to {highest:,}, not {shown}."
