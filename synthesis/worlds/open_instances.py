"""Open instances: those of all worlds of this process, counted for an operator."""

from __future__ import annotations

import os
import threading
import weakref


class OpenInstances:
    """Instances from when they are opened until they are closed, or nobody has them any more."""

    def __init__(self) -> None:
        self.forget_all()

    def forget_all(self) -> None:
        """Start over, as a fork of the service must: these are its parent's."""
        self._lock = threading.Lock()
        self._instances: weakref.WeakSet[object] = weakref.WeakSet()

    def add(self, instance: object) -> None:
        """One was opened."""
        with self._lock:
            self._instances.add(instance)

    def discard(self, instance: object) -> None:
        """One was closed; harmless when it was before."""
        with self._lock:
            self._instances.discard(instance)

    def __len__(self) -> int:
        with self._lock:
            return len(self._instances)


OPEN_INSTANCES = OpenInstances()
"""Those of this process."""
os.register_at_fork(after_in_child=OPEN_INSTANCES.forget_all)
