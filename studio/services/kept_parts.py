"""Kept parts: the pipeline's part store in the database, so any worker goes on where another stopped."""

from __future__ import annotations

from studio.models import KeptPart as KeptPartRecord
from studio.services.execution import Hold
from synthesis.documents.document import digest
from synthesis.pipeline.part_store import KeptPart
from synthesis.pipeline.recipe import Recipe


class DatabasePartStore:
    """Parts by recipe; the first one kept under a recipe stays.

    Args:
        hold: The hold of the run that keeps parts; nothing is kept once it is lost.
    """

    def __init__(self, hold: Hold) -> None:
        self._hold = hold

    def find(self, recipe: Recipe) -> KeptPart | None:
        """The part made from that recipe, or None."""
        record = KeptPartRecord.objects.filter(recipe=recipe.fingerprint).first()
        return None if record is None else KeptPart.model_validate_json(record.document)

    def keep(self, kept: KeptPart) -> None:
        """Keep a part under its recipe.

        Raises:
            HoldLost: The run was taken away from this worker.
        """
        document = kept.model_dump_json(by_alias=True)
        with self._hold.writing():
            KeptPartRecord.objects.get_or_create(
                recipe=kept.recipe.fingerprint,
                defaults={
                    "part": kept.stage,
                    "fingerprint": digest(document.encode()),
                    "document": document,
                    "provenance": kept.provenance.model_dump(mode="json"),
                    "run": self._hold.run,
                },
            )
