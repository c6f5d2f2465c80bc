"""Subject: the environment that is measured, and calls that work on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synthesis.bundles.native import NativeCodec
from synthesis.bundles.open import open_bundle
from synthesis.documents.bundle import Bundle
from synthesis.documents.environment import Environment
from synthesis.documents.tasks import Task
from synthesis.documents.tools import ToolCall
from synthesis.procedural.business.author import compose
from synthesis.worlds.world import World

SENTENCE = "A public library where staff lend items, reserve study rooms, charge fines and answer wishes."
SEED = 1
CALLS_PER_EPISODE = 10


@dataclass(frozen=True)
class Subject:
    """An environment of AWM's size as a bundle, a reading call, a writing call and a ten-call episode."""

    path: Path
    environment: Environment
    read: ToolCall
    write: ToolCall
    task: Task
    episode: tuple[ToolCall, ...]


def subject(folder: Path, bundle: Path | None = None) -> Subject:
    """The bundle at a path, or a procedural environment written into a folder."""
    if bundle is None:
        bundle = folder / "subject"
        NativeCodec().write(Bundle(environment=compose(SENTENCE, seed=SEED)), bundle)
    environment = open_bundle(bundle).environment
    with World(environment) as world:
        read, write = _calls(world)
    task = min(
        (task for task in environment.tasks.tasks if len(task.reference_solution) <= CALLS_PER_EPISODE),
        key=lambda task: CALLS_PER_EPISODE - len(task.reference_solution),
    )
    padding = (read,) * (CALLS_PER_EPISODE - len(task.reference_solution))
    return Subject(bundle, environment, read, write, task, (*task.reference_solution, *padding))


def _calls(world: World) -> tuple[ToolCall, ToolCall]:
    """A call that reads and one that writes each time it is repeated."""
    reads: list[ToolCall] = []
    writes: list[ToolCall] = []
    for task in world.environment.tasks.tasks:
        with world.instance() as instance:
            for call in task.reference_solution:
                result = instance.call(call.name, call.arguments)
                if result.status == "ok":
                    (writes if result.changes else reads).append(call)
    for write in writes:
        with world.instance() as instance:
            results = [instance.call(write.name, write.arguments) for _ in range(5)]
        if all(result.status == "ok" and result.changes for result in results):
            return reads[0], write
    raise SystemExit("No tool of this environment writes each time it is called with the same arguments.")
