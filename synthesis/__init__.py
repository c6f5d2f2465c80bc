"""Worldwright's engine: the interface for trainers; its names are imported when first used.

from synthesis import open_bundle, World, Episode

bundle = open_bundle("clinic_front_desk.zip")
with World(bundle.environment) as world:
    episode = Episode(world, "read_total_owed")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthesis.bundles.open import open_bundle
    from synthesis.documents.environment import Environment
    from synthesis.documents.tasks import Task
    from synthesis.documents.verdict import Verdict
    from synthesis.episode import Episode
    from synthesis.worlds.world import World

__all__ = ["Environment", "Episode", "Task", "Verdict", "World", "open_bundle"]

_HOMES = {
    "Environment": "synthesis.documents.environment",
    "Episode": "synthesis.episode",
    "Task": "synthesis.documents.tasks",
    "Verdict": "synthesis.documents.verdict",
    "World": "synthesis.worlds.world",
    "open_bundle": "synthesis.bundles.open",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import synthesis` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'synthesis' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
