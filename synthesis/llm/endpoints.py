"""Endpoints: one client and one gate per model endpoint for all runs of this process, and its share.

Every process counts the runs at work, its own and all, at each sign of life, and takes that share of the
endpoint's limits: the limits hold across workers with nothing but the database that all of them have.
"""

from __future__ import annotations

import threading

from synthesis.documents.document import canonical_json, digest
from synthesis.llm.limited import Gate
from synthesis.llm.openai_compatible import OpenAICompatible
from synthesis.llm.registry import ProviderSettings, open_endpoint

_gates: dict[str, Gate] = {}
_open: dict[str, OpenAICompatible] = {}
_lock = threading.Lock()
_share = 1.0


def gate_for(settings: ProviderSettings) -> Gate:
    """The gate of an endpoint; the same one for all that ask in this process with the same limits."""
    key = f"{settings.base_url} {settings.limits.fingerprint}"
    with _lock:
        if key not in _gates:
            _gates[key] = Gate(settings.limits)
            _gates[key].share = _share
        return _gates[key]


def endpoint_of(settings: ProviderSettings) -> OpenAICompatible:
    """The endpoint itself, with its open connections; one for all runs of this process.

    Raises:
        InvalidInput: A setting is missing or wrong; the text names it.
    """
    secret = settings.api_key.get_secret_value()
    key = digest(canonical_json([settings.model_dump(mode="json", exclude={"limits"}), secret]))
    with _lock:
        if key not in _open:
            _open[key] = open_endpoint(settings)
        return _open[key]


def close_all() -> None:
    """Close all connections; whoever asks next opens others."""
    with _lock:
        while _open:
            _open.popitem()[1].close()


def take_share(*, own: int, running: int) -> None:
    """Take the share of every endpoint's limits that is this process's.

    Args:
        own: Runs at work in this process.
        running: Runs at work in all processes.
    """
    global _share  # noqa: PLW0603 - gates belong to the process, and so does its share of them
    with _lock:
        _share = min(1.0, own / running) if own > 0 and running > 0 else 1.0
        for gate in _gates.values():
            gate.share = _share
