"""What a studio that others can reach must not be started with."""

from __future__ import annotations

from collections.abc import Sequence

SHORTEST_SECRET, FEWEST_CHARACTERS = 50, 5
"""What Django's own deployment check asks of a secret: its length, and different characters in it."""
INSECURE_PREFIX = "django-insecure-"

_TO = (
    f"to {SHORTEST_SECRET} or more random characters, for example those of: "
    "python -c 'import secrets; print(secrets.token_urlsafe(50))'"
)


def unsafe_in_public(
    hosts: Sequence[str], *, debug: bool, secret: str | None, fallbacks: Sequence[str] = ()
) -> list[str]:
    """Why the studio must not answer under public names; a line each, nothing when it may.

    Args:
        hosts: The public names among WORLDWRIGHT_HOSTS.
        debug: WORLDWRIGHT_DEBUG.
        secret: WORLDWRIGHT_SECRET_KEY; None when it is not set.
        fallbacks: WORLDWRIGHT_SECRET_KEY_FALLBACKS.
    """
    if not hosts:
        return []
    why = f"because WORLDWRIGHT_HOSTS names a public host ({', '.join(hosts)})"
    messages = []
    if debug:
        messages.append(
            f"WORLDWRIGHT_DEBUG must be off {why}: it shows code and settings to everybody. Unset it."
        )
    if not secret:
        messages.append(
            f"WORLDWRIGHT_SECRET_KEY is required {why}: set it, equally for all web and worker processes, "
            f"{_TO}"
        )
    elif is_weak(secret):
        messages.append(
            f"WORLDWRIGHT_SECRET_KEY is too weak {why}: anyone who guesses it can sign in as anybody. Set "
            f"it {_TO}"
        )
    if any(map(is_weak, fallbacks)):
        messages.append(
            f"WORLDWRIGHT_SECRET_KEY_FALLBACKS has a secret that is too weak {why}: what is signed with it "
            "is accepted. Run `worldwright studio reseal` where WORLDWRIGHT_HOSTS is unset, then remove it."
        )
    return messages


def is_weak(secret: str) -> bool:
    """Whether a secret is short, monotonous, repetitive or marked by a generator as a placeholder."""
    return (
        len(secret) < SHORTEST_SECRET
        or len(set(secret)) < FEWEST_CHARACTERS
        or secret.startswith(INSECURE_PREFIX)
        or any(secret.startswith(secret[at:]) for at in range(1, len(secret) // 2 + 1))
    )
