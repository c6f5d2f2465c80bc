from __future__ import annotations

import pytest

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.environment import Environment
from synthesis.documents.finding import Finding
from synthesis.documents.intake import Intake
from synthesis.errors import AttemptsExhausted, Cancelled
from synthesis.intake import read_ddl
from synthesis.pipeline import events, own_schema
from synthesis.pipeline.own_schema import environment_from

SCRIPT = (
    "CREATE TABLE city (id int PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, people int NOT NULL);"
    "CREATE VIEW v AS SELECT 1;"
)


@pytest.fixture(scope="module")
def intake() -> Intake:
    return read_ddl(SCRIPT, source="cities.sql")


def report(environment: Environment, *, passed: bool) -> CheckReport:
    finding = Finding(part="tasks", check="a_claim", message="It does not hold.")
    result = CheckResult(claim="a_claim", passed=passed, findings=() if passed else (finding,))
    return CheckReport(environment=environment.fingerprint, results=(result,))


def test_an_environment_that_is_not_proved_is_derived_again_with_the_next_seed(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []
    derive = own_schema.derive

    def listen(intake: Intake, *, seed: int, tasks: int) -> Environment:
        seeds.append(seed)
        return derive(intake, seed=seed, tasks=tasks)

    monkeypatch.setattr(own_schema, "derive", listen)
    monkeypatch.setattr(
        own_schema, "check_environment", lambda made, on_result: report(made, passed=len(seeds) == 2)
    )
    told: list[events.Event] = []
    made = environment_from(intake, seed=5, tasks=1, on_event=told.append)
    assert seeds == [5, 6]
    assert [attempt.passed for attempt in made.attempts] == [True, False, True]
    assert made.attempts[0].findings == intake.findings
    assert made.environment.schema == intake.schema
    assert {event.kind for event in told} == {"attempt_made", "part_kept", "checks_started", "checks_done"}


def test_attempts_that_are_spent_are_said_with_the_last_findings(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_schema, "check_environment", lambda made, on_result: report(made, passed=False))
    with pytest.raises(AttemptsExhausted, match=r"failed 2 times.*It does not hold"):
        environment_from(intake, tasks=1, attempts=2)


def test_a_wish_to_stop_is_heard_before_anything_is_derived(intake: Intake) -> None:
    with pytest.raises(Cancelled):
        environment_from(intake, tasks=1, cancelled=lambda: True)
