"""Kept parts: the pipeline's part store in the database, so any worker goes on where another stopped."""

from __future__ import annotations

from functools import partial

from studio.models import KeptPart as KeptPartRecord
from studio.models.runs import GOT_FURTHER
from studio.services.connections import steadily
from studio.services.execution import Hold
from synthesis.documents.document import digest
from synthesis.pipeline.part_store import KeptPart
from synthesis.pipeline.recipe import Recipe


class DatabasePartStore:
    """Parts by recipe; the first one kept under a recipe stays.

    What a model wrote is used by every run that asks the same of the same model. What the procedural author
    wrote is used only by the run it was written for: writing it again costs nothing, and its program changes.

    Args:
        hold: The hold of the run that keeps parts; nothing is kept once it is lost.
    """

    def __init__(self, hold: Hold) -> None:
        self._hold = hold

    def find(self, recipe: Recipe) -> KeptPart | None:
        """The part made from that recipe, or None."""
        return steadily(partial(self._found, recipe))

    def _found(self, recipe: Recipe) -> KeptPart | None:
        records = KeptPartRecord.objects.filter(recipe=recipe.fingerprint)
        if recipe.author == "procedural":
            records = records.filter(run=self._hold.run)
        record = records.first()
        return None if record is None else KeptPart.model_validate_json(record.document)

    def keep(self, kept: KeptPart) -> None:
        """Keep a part under its recipe.

        Raises:
            HoldLost: The run was taken away from this worker.
        """
        document = kept.model_dump_json(by_alias=True)
        with self._hold.writing(**GOT_FURTHER):
            values = {
                "part": kept.stage,
                "fingerprint": digest(document.encode()),
                "document": document,
                "provenance": kept.provenance.model_dump(mode="json"),
                "run": self._hold.run,
            }
            records = KeptPartRecord.objects
            if kept.recipe.author == "procedural":
                records.update_or_create(recipe=kept.recipe.fingerprint, defaults=values)
            else:
                records.get_or_create(recipe=kept.recipe.fingerprint, defaults=values)
