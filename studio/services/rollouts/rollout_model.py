"""Rollout model: the endpoint behind many episodes at once, with ledger, budget and recordings.

Episodes are played in threads, a thousand of them if need be, and none of them touches the database: what
they asked is written down, and what others spent is looked up, by the worker's own thread when it looks
around.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from django.conf import settings

from studio.models import LlmCall, LlmRecording, Run
from studio.services.llm.endpoint_keys import keys_of
from studio.services.llm.pool import Role, pool, split_models
from studio.services.llm.prices import prices
from studio.services.llm.providers import budget_of, ledger_row
from studio.services.rollouts.rollout_agents import AgentSettings
from synthesis.documents.trajectory import Usage
from synthesis.errors import Cancelled
from synthesis.llm.endpoints import endpoint_of, gate_for
from synthesis.llm.fallback import Fallback
from synthesis.llm.metered import LedgerEntry
from synthesis.llm.provider import Provider
from synthesis.llm.recorded import Recording
from synthesis.llm.registry import make_provider
from synthesis.llm.retrying import Retrying, RetryPolicy

T = TypeVar("T")

REFRESH = 1.0
"""Seconds between two looks at what others spent."""

ONCE = RetryPolicy(attempts=1, attempts_unreachable=1)


class RolloutModel:
    """A provider for the threads of one run, and the desk on which they leave what is to be written down.

    Args:
        run: The run that pays.
        chosen: The model and how long an answer may take.
        stop: Set when the run is to end: nobody waits for another try then.

    Raises:
        InvalidInput: No key or no model is set.
    """

    def __init__(self, run: Run, chosen: AgentSettings, stop: threading.Event) -> None:
        self._run, self._stop = run, stop
        self._entries: deque[LedgerEntry] = deque()
        self._answers: deque[tuple[str, Recording]] = deque()
        self._looked, self._keys = time.monotonic(), keys_of(run.project_id)
        self._spent: list[tuple[Callable[[], Usage], list[Usage]]] = []
        self._known = dict(LlmRecording.objects.filter(run=run).values_list("key", "document"))
        self._chosen, self._budget = chosen, budget_of(run, remembered=self._remembered)
        self.provider = self._asked("agent", split_models(chosen.model))
        users = split_models(chosen.user_model)
        self.user_provider = (
            self._asked("user", users) if users or settings.WORLDWRIGHT.user_models else self.provider
        )

    def _asked(self, role: Role, models: Sequence[str]) -> Provider:
        """The models of a role, the first that is up, each asked again while that may help."""
        providers = []
        for endpoint in pool(role, models, keys=self._keys):
            patient = endpoint.replace(timeout=min(self._chosen.call_seconds, endpoint.timeout))
            inner = make_provider(
                patient,
                endpoint=endpoint_of(patient),
                gate=gate_for(endpoint),
                priority=self._run.priority,
                stopped=self._stop.is_set,
                record=self._entries.append,
                prices=prices(),
                budget=self._budget,
                recordings=self,
                scope=f"run {self._run.pk}",
                retry=ONCE,
            )
            providers.append(inner)
        return Retrying(providers[0] if len(providers) == 1 else Fallback(providers), sleep=self._wait)

    def find(self, key: str) -> Recording | None:
        """An answer this run got before its worker was lost, or None."""
        document = self._known.get(key)
        return None if document is None else Recording.model_validate_json(document)

    def keep(self, key: str, recording: Recording) -> None:
        """Leave an answer to be written down."""
        self._answers.append((key, recording))

    def settle(self) -> None:
        """Write down what was left, and look up what others spent; for the worker's own thread."""
        if self._entries:
            LlmCall.objects.bulk_create(ledger_row(self._run, entry) for entry in _drained(self._entries))
        if self._answers:
            LlmRecording.objects.bulk_create(
                (
                    LlmRecording(key=key, document=recording.model_dump_json(), run=self._run)
                    for key, recording in _drained(self._answers)
                ),
                ignore_conflicts=True,
            )
        if time.monotonic() - self._looked >= REFRESH:
            self._looked = time.monotonic()
            for ask, held in self._spent:
                held[0] = ask()

    def _remembered(self, ask: Callable[[], Usage]) -> Callable[[], Usage]:
        """What was spent as of the last look, for threads that must not ask the database."""
        held = [ask()]
        self._spent.append((ask, held))
        return lambda: held[0]

    def _wait(self, seconds: float) -> None:
        """Wait before another try.

        Raises:
            Cancelled: The run is to end.
        """
        if self._stop.wait(seconds):
            raise Cancelled("Stopped while waiting for the model's endpoint.")


def _drained(left: deque[T]) -> list[T]:
    return [left.popleft() for _ in range(len(left))]
