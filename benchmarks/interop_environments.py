"""The three environments that every client is tried on, written as bundles."""

from __future__ import annotations

from pathlib import Path

from synthesis.bundles.native import NativeCodec
from synthesis.documents.bundle import Bundle
from synthesis.procedural.business.author import compose

CLINIC = Path(__file__).parent.parent / "tests" / "data" / "clinic_front_desk"
COMPOSED = {
    "library": (
        "A public library where staff lend items, reserve study rooms, charge fines and answer wishes.",
        1,
    ),
    "hotel": ("A hotel takes bookings and bills its guests", 2),
}
"""Sentence and seed of those that are not written by hand."""
NAMES = ("clinic", *COMPOSED)


def bundle_of(name: str, folder: Path) -> Path:
    """The bundle of an environment; a composed one is written into a folder."""
    if name == "clinic":
        return CLINIC
    sentence, seed = COMPOSED[name]
    return NativeCodec().write(Bundle(environment=compose(sentence, seed=seed)), folder / name)
