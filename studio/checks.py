"""System checks: what `manage.py check` says about a configuration that would surprise people later."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Tags


def a_public_studio_is_behind_https(**_: Any) -> list[CheckMessage]:
    """Cookies of a public host must not travel in the clear."""
    public = set(settings.ALLOWED_HOSTS) - settings.LOCAL_HOSTS
    if public and not settings.HTTPS:
        hosts = ", ".join(sorted(public))
        return [
            checks.Warning(
                f"WORLDWRIGHT_HOSTS names {hosts}, but WORLDWRIGHT_HTTPS is off.",
                hint="Put the studio behind HTTPS and set WORLDWRIGHT_HTTPS=yes.",
                id="studio.W001",
            )
        ]
    return []


def workers_and_heartbeats_fit(**_: Any) -> list[CheckMessage]:
    """A run must be able to give several signs of life before it counts as lost."""
    beat, lost = (
        settings.WORLDWRIGHT.heartbeat_seconds,
        settings.WORLDWRIGHT.lost_after_seconds,
    )
    if lost < 3 * beat:
        return [
            checks.Error(
                f"WORLDWRIGHT_LOST_AFTER_SECONDS ({lost:g}) is less than three times "
                f"WORLDWRIGHT_HEARTBEAT_SECONDS ({beat:g}): healthy runs would be treated as lost.",
                hint="Raise the first or lower the second.",
                id="studio.E001",
            )
        ]
    return []


def a_month_holds_at_least_one_run(**_: Any) -> list[CheckMessage]:
    """A month's limit below a run's limit is never what was meant."""
    run, month = settings.WORLDWRIGHT.run_budget, settings.WORLDWRIGHT.month_budget
    if run is not None and month is not None and month < run:
        return [
            checks.Warning(
                f"WORLDWRIGHT_MONTH_BUDGET ({month:g}) is below WORLDWRIGHT_RUN_BUDGET ({run:g}).",
                hint="The monthly limit stops runs first; is that intended?",
                id="studio.W002",
            )
        ]
    return []


def register_all() -> None:
    """Make Django run them; called once when it starts."""
    checks.register(a_public_studio_is_behind_https, Tags.security, deploy=True)
    checks.register(workers_and_heartbeats_fit, "studio")
    checks.register(a_month_holds_at_least_one_run, Tags.security)
