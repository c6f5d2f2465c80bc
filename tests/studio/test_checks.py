"""A configuration that would surprise people is named before it does."""

from __future__ import annotations

from studio import checks


def test_signs_of_life_must_come_more_often_than_runs_are_reaped(settings):
    assert checks.workers_and_heartbeats_fit() == []
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"lost_after_seconds": 6.0})
    (error,) = checks.workers_and_heartbeats_fit()
    assert error.id == "studio.E001"


def test_a_public_host_without_https_is_warned_of(settings):
    assert checks.a_public_studio_is_behind_https() == []
    settings.ALLOWED_HOSTS = ["studio.example.org"]
    (warning,) = checks.a_public_studio_is_behind_https()
    assert "studio.example.org" in warning.msg
    settings.HTTPS = True
    assert checks.a_public_studio_is_behind_https() == []


def test_a_month_below_a_run_is_warned_of(settings):
    settings.WORLDWRIGHT = settings.WORLDWRIGHT.model_copy(update={"run_budget": 5.0, "month_budget": 1.0})
    (warning,) = checks.a_month_holds_at_least_one_run()
    assert warning.id == "studio.W002"
