"""Every error the engine raises on purpose, one tree; each type names the seam that was crossed.

    WorldwrightError
    ├── InvalidInput              what a person or program handed in cannot be used
    │   ├── InvalidBundle         a bundle that cannot be opened as what it claims to be
    │   ├── InvalidDraft          a draft that cannot become an environment yet
    │   └── UnknownName           a name that is in no registry (author, agent, codec, tool, task ...)
    ├── SynthesisError            an environment could not be made
    │   ├── AttemptsExhausted     a stage spent its attempts without a part that passes its checks
    │   ├── EarlierPartAtFault    a stage cannot do its work because of a part that was made before
    │   ├── ReplyUnreadable       an author's reply could not be read as the part that was asked for
    │   └── Cancelled             somebody asked the run to stop
    ├── ProviderError             the model endpoint did not answer usefully
    │   ├── ProviderUnreachable   no connection, or it broke
    │   ├── ProviderRefused       the endpoint answered with a refusal (key, model, request)
    │   │   └── PromptTooLong     the request is longer than the model's context
    │   ├── ProviderOverloaded    the endpoint is busy: worth another try later
    │   └── BudgetExhausted       a limit in money or tokens was reached
    └── WorldError                a world cannot go on; never the agent's fault
        ├── BrokenEnvironment     the environment's own code or data failed
        ├── InstanceClosed        a call reached an instance that is closed
        ├── CapacityExhausted     no room for another instance, or the instance is over its ceiling
        └── SandboxError          the boundary around generated code failed
            ├── SandboxUnavailable  a layer is missing on this host, so generated code is not run
            ├── WorkerDied          a worker process ended or was killed
            ├── WorkerTimeout       a worker exceeded its time
            └── ProtocolViolated    a worker said something outside the protocol

A tool's refusal, an unknown tool and bad arguments are results that the agent sees, never exceptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synthesis.documents.finding import Finding


MOST_SUGGESTED = 20
"""Known names that an error lists; of more, those that are nearest to what was asked for."""


class WorldwrightError(Exception):
    """Root of the tree. The text names what was wrong and, where there is one, the remedy."""


class InvalidInput(WorldwrightError):
    """What was handed in cannot be used; the text names the input and what is allowed."""


class InvalidBundle(InvalidInput):
    """A bundle that cannot be opened: not an archive, a bad digest, a missing file, a newer format."""


class InvalidDraft(InvalidInput):
    """A draft that is not yet an environment: parts are missing or do not fit each other."""


class UnknownName(InvalidInput):
    """A name that is in no registry.

    Args:
        kind: What was looked up, for example ``"agent"``.
        name: The name that is not known.
        known: The names that are.
    """

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        messages = (
            get_close_matches(name, known, MOST_SUGGESTED, 0.0) if len(known) > MOST_SUGGESTED else known
        )
        more = f" and {len(known) - len(messages):,} more" if len(messages) < len(known) else ""
        listed = ", ".join(sorted(messages)) or "none"
        super().__init__(f"There is no {kind} named {name!r}. Known: {listed}{more}.")
        self.kind, self.name, self.known = kind, name, tuple(sorted(known))


class SynthesisError(WorldwrightError):
    """An environment could not be made."""


class AttemptsExhausted(SynthesisError):
    """A stage spent its attempts; nothing of the broken part is kept.

    Args:
        stage: Name of the stage.
        findings: What was wrong with the last attempt.
        attempts: How many were made.
        results: The attempts themselves, as the pipeline records them.
    """

    def __init__(
        self, stage: str, findings: Sequence[Finding], attempts: int, *, results: Sequence[object] = ()
    ) -> None:
        last = findings[0].message if findings else "no readable reply"
        times = "once" if attempts == 1 else f"{attempts} times"
        super().__init__(f"Stage {stage!r} failed {times}; the last attempt: {last}")
        self.stage, self.findings, self.attempts, self.attempt_history = (
            stage,
            tuple(findings),
            attempts,
            tuple(results),
        )


class EarlierPartAtFault(SynthesisError):
    """A stage cannot do its work because of a part that was made before.

    Args:
        stage: Name of the stage that noticed.
        findings: What is wrong, each with the part at fault.
        part: The stage's own part as far as it came, or None; it is tried again once the other is mended.
    """

    def __init__(self, stage: str, findings: Sequence[Finding], part: object = None) -> None:
        message = "; ".join(f"{finding.part}: {finding.message}" for finding in findings)
        super().__init__(f"Stage {stage!r} cannot continue: {message}")
        self.stage, self.findings, self.part = stage, tuple(findings), part


class ReplyUnreadable(SynthesisError):
    """An author's reply could not be read as the part that was asked for."""


class Cancelled(SynthesisError):
    """Somebody asked the run to stop."""


class ProviderError(WorldwrightError):
    """The model endpoint did not answer usefully."""


class ProviderUnreachable(ProviderError):
    """No connection to the endpoint, or it broke before the reply was whole."""


class ProviderRefused(ProviderError):
    """The endpoint refused: wrong key, unknown model, a request it does not take. Trying again is no use."""


class PromptTooLong(ProviderRefused):
    """The request is longer than the model takes; a shorter one may be answered."""


class ProviderOverloaded(ProviderError):
    """The endpoint is busy or failing for the moment.

    Args:
        message: What the endpoint said.
        retry_after: Seconds it asked to wait, if it said so.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class HubRefused(WorldwrightError):
    """A hub for datasets did not take what was sent."""


class BudgetExhausted(ProviderError):
    """A limit in money or tokens was reached; calls in flight are finished, nothing more is asked."""


class WorldError(WorldwrightError):
    """A world cannot go on; never the agent's fault."""


class BrokenEnvironment(WorldError):
    """The environment's own schema, rows, tools or verifiers failed.

    Args:
        message: What failed.
        part: The part at fault, one of `synthesis.documents.finding.PART_NAMES`.
        where: Place within the part, for example a table or a tool name.
    """

    def __init__(self, message: str, *, part: str = "tools", where: str = "") -> None:
        super().__init__(message)
        self.part, self.where = part, where


class InstanceClosed(WorldError):
    """A call reached an instance that was closed."""


class CapacityExhausted(WorldError):
    """No room for another instance, or an instance went over its ceiling."""


class SandboxError(WorldError):
    """The boundary around generated code failed or is missing."""


class SandboxUnavailable(SandboxError):
    """A layer that must be there is missing on this host; the text names it and the way out."""


class WorkerDied(SandboxError):
    """A worker process ended, crashed or was killed."""


class HostLost(SandboxError):
    """A host of an episode pool ended or does not answer; what was open on it has no verdict."""


class WorkerTimeout(SandboxError):
    """A worker exceeded its wall-clock limit and was stopped."""


class ProtocolViolated(SandboxError):
    """A worker sent something outside the protocol and was killed."""
