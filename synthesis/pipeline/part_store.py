"""PartStore: parts by recipe, kept as soon as they pass: a run that dies loses only what is in flight."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Protocol

from pydantic import Field, TypeAdapter, ValidationError

from synthesis.documents.document import Document
from synthesis.documents.environment import Part, Provenance, part_types
from synthesis.documents.finding import PartName
from synthesis.errors import InvalidInput
from synthesis.pipeline.recipe import Recipe


class StoredPart(Document):
    """A part that passed its checks, with how it came about."""

    stage: PartName
    recipe: Recipe
    part: dict[str, Any] = Field(repr=False)
    """The part's fields as JSON values; `read` makes the document again."""
    provenance: Provenance

    @classmethod
    def of(cls, recipe: Recipe, part: Part, provenance: Provenance) -> StoredPart:
        """A part to keep."""
        dumped = part.model_dump(mode="json", by_alias=True)
        return cls(stage=recipe.stage, recipe=recipe, part=dumped, provenance=provenance)

    def read(self) -> Part:
        """The part as a document."""
        adapter: TypeAdapter[Part] = TypeAdapter(part_types()[self.stage])
        return adapter.validate_python(self.part)


class PartStore(Protocol):
    """Where finished parts are kept; safe to use from several threads."""

    def find(self, recipe: Recipe) -> StoredPart | None:
        """The part made from that recipe, or None."""
        ...

    def keep(self, stored_part: StoredPart) -> None:
        """Keep a part under its recipe; the first one kept stays."""
        ...


class MemoryPartStore:
    """Parts that live as long as the process."""

    def __init__(self) -> None:
        self._stored_parts: dict[str, StoredPart] = {}

    def __len__(self) -> int:
        return len(self._stored_parts)

    def find(self, recipe: Recipe) -> StoredPart | None:
        """The part made from that recipe, or None."""
        return self._stored_parts.get(recipe.fingerprint)

    def keep(self, stored_part: StoredPart) -> None:
        """Keep a part under its recipe; the first one kept stays."""
        self._stored_parts.setdefault(stored_part.recipe.fingerprint, stored_part)


class FolderPartStore:
    """One JSON file per part, written whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, recipe: Recipe) -> StoredPart | None:
        """The part made from that recipe, or None.

        Raises:
            InvalidInput: The file is there and holds no part.
        """
        path = self._path(recipe)
        if not path.exists():
            return None
        try:
            return StoredPart.model_validate_json(path.read_bytes())
        except ValidationError as error:
            problems = error.error_count()
            raise InvalidInput(
                f"The stored part {path.name} cannot be read ({problems} problems); "
                "delete it to have it regenerated."
            ) from None

    def keep(self, stored_part: StoredPart) -> None:
        """Keep a part under its recipe; the first one kept stays, and a reader never sees half a file."""
        path = self._path(stored_part.recipe)
        if path.exists():
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self._folder, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(stored_part.model_dump_json(by_alias=True).encode())
        Path(temporary).replace(path)

    def _path(self, recipe: Recipe) -> Path:
        return self._folder / f"{recipe.stage}-{recipe.fingerprint}.json"
