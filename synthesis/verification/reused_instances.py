"""Reused instances: instances of a world for many calls of which none needs a sealed process of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from synthesis.errors import WorldError
from synthesis.worlds.world import Instance, World


class ReusedInstances:
    """Instances that begin anew, with freshly loaded tools, in processes that were used before.

    A sealed process costs more than most of what is tried in it. What must be shown in a process of its own
    (a reference solution, a verification) is not shown here.

    Args:
        world: Where; it stays open.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._free: list[Instance] = []

    @contextlib.contextmanager
    def instance(self) -> Iterator[Instance]:
        """An instance in the world's first state, of nobody else until this ends.

        Raises:
            WorldError: It cannot be begun.
        """
        instance = self._begun()
        try:
            yield instance
        except BaseException:
            instance.close()
            raise
        self._free.append(instance)

    def close(self) -> None:
        """End their processes."""
        while self._free:
            self._free.pop().close()

    def _begun(self) -> Instance:
        while self._free:
            instance = self._free.pop()
            with contextlib.suppress(WorldError):  # closed, or its process cannot go on: the next one does
                instance.reset()
                return instance
        return self._world.instance(keep_process=True)
