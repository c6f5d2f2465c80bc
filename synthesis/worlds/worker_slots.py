"""Worker slots: where instances live, each in a sealed process of its own, or several in one for trusted
code."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import Any, Literal, Protocol

from synthesis.errors import (
    BrokenEnvironment,
    InstanceClosed,
    SandboxUnavailable,
    WorkerDied,
    WorldError,
)
from synthesis.worlds.answer_limits import answer_limit
from synthesis.worlds.job import failure, run_job
from synthesis.worlds.limits import Limits
from synthesis.worlds.sandbox.fork_client import Template, fork_client
from synthesis.worlds.sandbox.protocol import AnswerLimit
from synthesis.worlds.sandbox.worker_process import WorkerProcess

Isolation = Literal["process", "shared"]
"""process: one sealed process per instance, the default. shared: many instances per sealed process, with a
fresh namespace per call. Nothing leaves that process, but one instance's code can reach its neighbours there:
an operator's explicit choice, for trusted code."""

Answer = tuple[dict[str, Any], bytes]
_ATTEMPTS = 3
_PROCESSES = os.cpu_count() or 1
_EXIT_SECONDS = 0.05
"""A killed process is found dead a moment after its children are."""
_MOST_FREE = 8
"""Places of a shared process whose databases stay open for the next instances, which begins them sooner."""


class WorkerSlot(Protocol):
    """The place of one instance in some worker."""

    def request(
        self, op: str, body: dict[str, Any], blob: bytes = b"", *, soft: float | None = None
    ) -> Answer:
        """Ask the worker something about this instance."""
        ...

    def leave(self, *, broken: bool = False) -> None:
        """Give the place back; harmless when the worker is gone and when it was given back before.

        Args:
            broken: Nothing is to begin in it again.
        """
        ...

    def abandon(self) -> None:
        """End what it is asked at once, from any thread, where nobody else's work ends with it."""
        ...


class SharedWorker:
    """One worker process with room for instances.

    Args:
        worker: The process.
        limits: Ceilings of its answers.
    """

    def __init__(self, worker: WorkerProcess, limits: Limits) -> None:
        self._worker, self._limits = worker, limits
        self._answer_limits: dict[str, AnswerLimit] = {}
        self._lock = threading.Lock()
        self.taken = 0
        self._next_key = 0
        self._free: list[int] = []
        self._is_lost = False

    @property
    def alive(self) -> bool:
        """Whether its process still answers."""
        return self._worker.alive

    def is_lost(self) -> bool:
        """Whether its process has ended, also where nobody has asked it anything since."""
        if not self._worker.has_ended:
            return False
        self._is_lost = True
        if self._lock.acquire(blocking=False):  # whoever has its turn looks again afterwards, see ask
            try:
                if self._worker.alive:
                    self._worker.lay_to_rest()
            finally:
                self._lock.release()
        return True

    @property
    def busy(self) -> bool:
        """Whether it is answering somebody."""
        return self._lock.locked()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._worker.pid

    def new_key(self) -> int:
        """A number for another instance in it: that of a place left free, or a new one."""
        self.taken += 1
        if self._free:
            return self._free.pop()
        self._next_key += 1
        return self._next_key

    def set_free(self, key: int) -> bool:
        """Keep a place for the next instance, which begins on the world's own database there.

        Returns:
            False when there are enough: then its database is to be closed.
        """
        retained = len(self._free) < _MOST_FREE
        if retained:
            self._free.append(key)
        return retained

    def ask(self, op: str, body: dict[str, Any], blob: bytes, soft: float | None) -> Answer:
        """One request, after those of other instances that came before."""
        most = self._answer_limits.get(op)
        if most is None:
            most = self._answer_limits[op] = answer_limit(op, self._limits)
        try:
            with self._lock:
                return self._worker.request(
                    op,
                    body,
                    blob,
                    soft=self._limits.call_seconds if soft is None else soft,
                    grace=self._limits.grace_seconds,
                    most=most,
                    patience=self._limits.patience,
                )
        finally:
            if self._is_lost:  # it ended behind this answer, and nobody will ask it anything again
                self.is_lost()

    def kill(self) -> None:
        """End the process."""
        self._worker.kill()

    def abandon(self) -> None:
        """End the process from any thread; whoever waits for an answer learns that it ended."""
        self._worker.condemn(asked=True)


class SharedWorkerSlot:
    """The place of one instance in a shared worker."""

    def __init__(self, shared_worker: SharedWorker, key: int, *, alone: bool) -> None:
        self.shared_worker, self.key, self._alone = shared_worker, key, alone
        self._left = False

    def request(
        self, op: str, body: dict[str, Any], blob: bytes = b"", *, soft: float | None = None
    ) -> Answer:
        """Ask the worker something about this instance.

        Raises:
            SandboxError: The worker died, ran out of time or broke the protocol.
        """
        if not self.shared_worker.alive:
            raise WorkerDied("The worker has ended.")
        return self.shared_worker.ask(op, {**body, "key": self.key}, blob, soft)

    def leave(self, *, broken: bool = False) -> None:
        """Give the place back; a process of its own is ended."""
        if self._left:
            return
        self._left = True
        self.shared_worker.taken -= 1
        if self._alone:
            self.shared_worker.kill()
        elif self.shared_worker.alive and (broken or not self.shared_worker.set_free(self.key)):
            self.request("end", {})

    def abandon(self) -> None:
        """End the process if it is this instance's own; others go on in a shared one, within their limits."""
        if self._alone:
            self.shared_worker.abandon()


class Pool:
    """The workers of one world.

    Args:
        blueprint: What its template holds, see `synthesis.worlds.worker.worker.read_blueprint`.
        isolation: Whether instances share processes.
        limits: Ceilings.
        layer: What its fork server loads besides, see `synthesis.worlds.sandbox.fork_client.ForkClient`.
    """

    def __init__(self, blueprint: bytes, *, isolation: Isolation, limits: Limits, layer: str = "") -> None:
        self._blueprint, self._isolation, self._limits = blueprint, isolation, limits
        self._layer = layer
        self._lock = threading.Lock()
        self._template: Template | None = None
        self._sharing = threading.Lock()
        self._shared_workers: list[SharedWorker] = []
        self._is_adding = False
        self._closed = False

    def slot(
        self,
        present: WorkerSlot | None,
        *,
        seed: int,
        image: bytes | None,
        keep: bool = False,
        seconds: float | None = None,
    ) -> WorkerSlot:
        """A place in which an instance begins: from an image, or from the world's own database.

        In a process of its own, nothing of the present place is used again, unless the instance is to keep
        its process: then the database is replaced and the tools are reloaded.

        Args:
            present: The place it has.
            seed: Seed of its random numbers.
            image: The database to start from; the world's own otherwise.
            keep: Whether it is to keep its process.
            seconds: Time until the tools have loaded; what the limits say otherwise.

        Raises:
            CapacityExhausted: No descriptors or processes are left.
            SandboxError: A worker could not be started.
            BrokenEnvironment: The tools do not load.
        """
        shared = self._isolation == "shared"
        if present is not None and not ((shared or keep) and _is_alive(present)):
            present.leave()
            present = None
        body = {"seed": seed, "shared": shared}
        soft = self._limits.state_seconds if seconds is None else seconds
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._begun(present or self._free_slot(shared=shared), body, image or b"", soft)
            except WorkerDied:
                # Nothing has happened in it yet, so whoever killed it costs nobody an episode.
                present = None
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def _begun(self, slot: WorkerSlot, body: dict[str, Any], image: bytes, seconds: float) -> WorkerSlot:
        """The place, in which an instance has begun; given back where it could not."""
        try:
            answer, _ = slot.request("start", body, image, soft=seconds)
            if not answer["ok"]:
                raise BrokenEnvironment(f"The tools do not load: {failure(answer)}", part="tools")
        except BaseException:
            slot.leave(broken=True)
            raise
        return slot

    def job(
        self, op: str, body: dict[str, Any], blob: bytes, *, seconds: float
    ) -> tuple[dict[str, Any], bytes]:
        """One thing that needs the world and no instance: in a fresh sealed process, a copy of the template;
        where instances share processes, in one of those.

        Raises:
            JobFailed: The worker says it could not be done.
            SandboxError: The worker died, ran out of time or broke the protocol.
        """
        if self._isolation == "process":
            return run_job(op, body, blob, limits=self._limits, seconds=seconds, forker=self.template())
        answer, tail = self._shared_worker().ask(op, body, blob, seconds)
        if not answer["ok"]:
            raise failure(answer)
        return answer, tail

    def shared_worker(self) -> SharedWorker:
        """A fresh sealed process for whoever asks, a copy of the template; the caller ends it.

        Raises:
            CapacityExhausted: No descriptors or processes are left.
            SandboxError: It could not be started.
        """
        return self._new_shared_worker()

    def template(self) -> Template:
        """The process that every worker of this world is a copy of; started when it is first wanted.

        Raises:
            InstanceClosed: The world is closed.
            SandboxError: It could not be started.
        """
        with self._lock:
            return self._template_locked()

    def close(self) -> None:
        """End every worker and the template."""
        with self._sharing, self._lock:
            self._closed = True
            for shared_worker in self._shared_workers:
                shared_worker.kill()
            self._shared_workers.clear()
            if self._template is not None:
                self._template.close()
                self._template = None

    def _free_slot(self, *, shared: bool) -> SharedWorkerSlot:
        if not shared:
            shared_worker = self._new_shared_worker()
            return SharedWorkerSlot(shared_worker, shared_worker.new_key(), alone=True)
        with self._sharing:
            shared_worker = self._shared_worker_locked()
            return SharedWorkerSlot(shared_worker, shared_worker.new_key(), alone=False)

    def _shared_worker(self) -> SharedWorker:
        """A process that instances share, for a question that needs none of them."""
        with self._sharing:
            return self._shared_worker_locked()

    def _shared_worker_locked(self) -> SharedWorker:
        """The process with the fewest instances, as many processes as cores."""
        # With their fork server or template all of them end, unasked: none may cost an instance its start.
        self._shared_workers = [
            shared_worker for shared_worker in self._shared_workers if not shared_worker.is_lost()
        ]
        workers = self._shared_workers
        if not workers or (len(workers) < _PROCESSES and not self._layer):
            workers.append(self._new_loaded_worker())
        elif len(workers) < _PROCESSES and all(worker.taken for worker in workers):
            self._add_in_background()
        return min(workers, key=lambda shared_worker: (shared_worker.busy, shared_worker.taken))

    def _add_in_background(self) -> None:
        """Start another shared process and load its application; no instance waits for it."""
        if self._is_adding:
            return
        with contextlib.suppress(RuntimeError):  # no thread is left: the processes there are do
            threading.Thread(target=self._add, name="shared-worker", daemon=True).start()
            self._is_adding = True

    def _add(self) -> None:
        worker: SharedWorker | None = None
        try:
            # Whoever finds no process at all is told why there is none.
            with contextlib.suppress(WorldError):
                worker = self._new_loaded_worker()
        finally:
            with self._sharing:
                self._is_adding = False
                if worker is not None and self._closed:
                    worker.kill()
                elif worker is not None:
                    self._shared_workers.append(worker)

    def _new_loaded_worker(self) -> SharedWorker:
        """A new worker; one of an application has loaded it, so that no call has to."""
        worker = self._new_shared_worker()
        if self._layer:
            try:
                worker.ask("load", {}, b"", self._limits.state_seconds)
            except BaseException:
                worker.kill()
                raise
        return worker

    def _new_shared_worker(self) -> SharedWorker:
        """A new worker; a template that turns out to be dying is replaced."""
        for _ in range(_ATTEMPTS):
            try:
                return SharedWorker(self.template().fork(memory_mib=self._limits.memory_mib), self._limits)
            except SandboxUnavailable:
                time.sleep(_EXIT_SECONDS)
        return SharedWorker(self.template().fork(memory_mib=self._limits.memory_mib), self._limits)

    def _template_locked(self) -> Template:
        """The template, made again when it was lost or belongs to the process this one was forked from."""
        if self._closed:
            raise InstanceClosed("The world is closed.")
        if self._template is None or not self._template.alive:
            if self._template is not None:
                self._template.close()
            self._template = fork_client(self._layer).template(self._blueprint)
        return self._template


def _is_alive(slot: WorkerSlot) -> bool:
    return isinstance(slot, SharedWorkerSlot) and slot.shared_worker.alive
