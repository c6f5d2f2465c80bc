"""Run events: what a pipeline says, written down for the run's page as sentences and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studio.services.runs.execution import RunLease
from synthesis.pipeline import events


class Listener:
    """Writes down what a pipeline says, as events and attempts of a run."""

    def __init__(self, lease: RunLease) -> None:
        self._lease = lease
        self._stored_stages: set[str] = set()

    def __call__(self, event: events.Event) -> None:
        """Record one event."""
        if isinstance(event, events.AttemptEnded):
            self._lease.keep_attempt(event.attempt)
        stage = getattr(event, "stage", "checks")
        if isinstance(event, events.PartStored | events.PartReused | events.ChecksDone):
            self._stored_stages.add(stage)
        self._lease.note(
            event.kind,
            stage=stage,
            text=_SENTENCES[type(event)](event),
            payload=_payload(event),
            done=len(self._stored_stages),
        )


def _attempt(event: events.AttemptEnded) -> str:
    blocking = [finding for finding in event.attempt.findings if finding.blocks]
    if not blocking:
        return f"Attempt {event.attempt.number} passed its checks."
    more = f" (and {len(blocking) - 1} more)" if len(blocking) > 1 else ""
    return f"Attempt {event.attempt.number}: {blocking[0].message}{more}"


def _stored_text(event: events.PartStored) -> str:
    return (
        ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in event.figures.items()) or "Stored."
    )


def _checked(event: events.ChecksDone) -> str:
    passed = sum(result.passed for result in event.report.results)
    return f"{passed} of {len(event.report.results)} claims pass."


_SENTENCES: dict[type[Any], Callable[[Any], str]] = {
    events.StageStarted: lambda event: f"Started by the {event.author} author.",
    events.AttemptEnded: _attempt,
    events.PartStored: _stored_text,
    events.PartReused: lambda _: "Reused: the same recipe was made before.",
    events.StageFailed: lambda event: event.message,
    events.PartSentBack: lambda event: (
        f"Sent back by the proof of the environment: {event.findings[0].message}"
    ),
    events.ChecksStarted: lambda _: "The proof of the environment starts.",
    events.ClaimChecked: lambda event: (
        f"{event.result.claim.replace('_', ' ')}: {'passed' if event.result.passed else 'failed'}"
    ),
    events.ChecksDone: _checked,
}


def _payload(event: events.Event) -> dict[str, Any]:
    """The event's own values without what is stored elsewhere (prompts, replies, whole reports)."""
    if isinstance(event, events.AttemptEnded):
        return {"number": event.attempt.number, "passed": event.attempt.passed}
    if isinstance(event, events.ClaimChecked):
        return event.result.model_dump(mode="json", include={"claim", "passed", "figures"})
    if isinstance(event, events.ChecksDone):
        return {"passed": event.report.passed}
    return event.model_dump(mode="json", exclude={"kind", "stage"})
