"""Stored parts: the pipeline's part store in the database, so any worker goes on where another stopped."""

from __future__ import annotations

from functools import partial

from studio.models import StoredPartRecord
from studio.models.runs import AFTER_PROGRESS
from studio.services.runs.connections import steadily
from studio.services.runs.execution import RunLease
from synthesis.documents.document import digest
from synthesis.pipeline.part_store import StoredPart
from synthesis.pipeline.recipe import Recipe


class DatabasePartStore:
    """Parts by recipe; the first one kept under a recipe stays.

    What a model wrote is used by every run that asks the same of the same model. What the procedural author
    wrote is used only by the run it was written for: writing it again costs nothing, and its program changes.

    Args:
        lease: The lease on the run that keeps parts; nothing is kept once it is lost.
    """

    def __init__(self, lease: RunLease) -> None:
        self._lease = lease

    def find(self, recipe: Recipe) -> StoredPart | None:
        """The part made from that recipe, or None."""
        return steadily(partial(self._stored_part, recipe))

    def _stored_part(self, recipe: Recipe) -> StoredPart | None:
        records = StoredPartRecord.objects.filter(recipe=recipe.fingerprint)
        if recipe.author == "procedural":
            records = records.filter(run=self._lease.run)
        record = records.first()
        return None if record is None else StoredPart.model_validate_json(record.document)

    def keep(self, stored_part: StoredPart) -> None:
        """Keep a part under its recipe.

        Raises:
            LeaseLost: The run was taken away from this worker.
        """
        document = stored_part.model_dump_json(by_alias=True)
        with self._lease.writing(**AFTER_PROGRESS):
            values = {
                "part": stored_part.stage,
                "fingerprint": digest(document.encode()),
                "document": document,
                "provenance": stored_part.provenance.model_dump(mode="json"),
                "run": self._lease.run,
            }
            records = StoredPartRecord.objects
            if stored_part.recipe.author == "procedural":
                records.update_or_create(recipe=stored_part.recipe.fingerprint, defaults=values)
            else:
                records.get_or_create(recipe=stored_part.recipe.fingerprint, defaults=values)
