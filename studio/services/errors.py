"""Why the studio says no: every refusal has a sentence, a remedy and the HTTP status that says the same.

ServiceError
├── Forbidden     the person's role, or their part in the matter, does not allow it (403)
├── ScopeMissing  the token was not made for it (403)
├── Missing       there is no such thing (404)
├── Stale         it was said about an older revision (409)
├── Conflict      somebody else was first, or the same thing was decided otherwise (409)
├── Preparing     it is being made at this moment (503)
├── NoCapacity    everything that could do it is busy now (503)
├── StorageDown   the storage of archives cannot be used now (503)
├── ProviderDown  the provider with which people sign in cannot be used now (503)
└── NotReady      the state it is in does not allow it yet (409)
"""

from __future__ import annotations

from studio.models.roles import Act, Role, least_role
from studio.models.scopes import Scope


class ServiceError(Exception):
    """Something a person asked for is not done.

    Args:
        message: What is refused and why.
        remedy: What to do about it.
    """

    status = 400

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy


class Forbidden(ServiceError):
    """The person may not do it.

    Args:
        message: Why; says the missing role when `act` is given and it is empty.
        act: What they wanted to do.
    """

    status = 403

    def __init__(self, message: str = "", *, act: Act | None = None, remedy: str = "") -> None:
        self.act = act
        self.role: Role | None = least_role(act) if act else None
        if act and self.role and not message:
            message = f"This needs the role {self.role.label}: {act.label.lower()}."
            remedy = remedy or "Ask an administrator for that role."
        super().__init__(message, remedy=remedy)


class ScopeMissing(ServiceError):
    """The token was not made for what the program asks.

    Args:
        scope: The scope that it lacks.
    """

    status = 403

    def __init__(self, scope: Scope) -> None:
        super().__init__(
            f"The token lacks the scope {scope.value}: {scope.label.lower()}.",
            remedy="Create a token with this scope on your account page.",
        )
        self.scope = scope


class Missing(ServiceError):
    """There is no such thing."""

    status = 404


class Stale(ServiceError):
    """It concerns a revision that is not the current one.

    Args:
        message: What is refused.
        current: Number of the current revision.
    """

    status = 409

    def __init__(self, message: str, *, current: int, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy or f"Look at revision {current}, then decide again.")
        self.current = current


class Conflict(ServiceError):
    """Somebody was first, or the same thing was decided otherwise before."""

    status = 409


class Preparing(ServiceError):
    """It is being made at this moment; the same question has an answer soon."""

    status = 503


class NoCapacity(ServiceError):
    """Everything that could do it is busy or away now; the same question may be answered later."""

    status = 503


class StorageDown(ServiceError):
    """The storage of archives cannot be used now; the same question may be answered later."""

    status = 503


class ProviderDown(ServiceError):
    """The provider with which people sign in cannot be used now; the same question may be answered later."""

    status = 503


class NotReady(ServiceError):
    """The state it is in does not allow it yet."""

    status = 409
