from __future__ import annotations

import pytest

from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.environment import Environment
from synthesis.documents.finding import Finding
from synthesis.documents.intake import Intake
from synthesis.errors import AttemptsExhausted, Cancelled, InvalidInput
from synthesis.intake import read_ddl
from synthesis.pipeline import assembly, events
from synthesis.pipeline.assembly import RunContext
from synthesis.pipeline.authors import derived
from synthesis.pipeline.driver import from_schema
from synthesis.procedural.derived.tasks import TaskComposer

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
    derive = derived.derive

    def listen(intake: Intake, *, seed: int, tasks: int, fewer_tasks: bool) -> Environment:
        seeds.append(seed)
        return derive(intake, seed=seed, tasks=tasks, fewer_tasks=fewer_tasks)

    monkeypatch.setattr(derived, "derive", listen)
    monkeypatch.setattr(
        assembly, "check_environment", lambda made, on_result: report(made, passed=len(seeds) == 2)
    )
    messages: list[events.Event] = []
    synthesis_result = from_schema(intake, seed=5, tasks=1, context=RunContext(on_event=messages.append))
    assert seeds == [5, 6]
    read = [attempt for attempt in synthesis_result.attempts if attempt.stage == "schema"]
    assert [attempt.findings for attempt in read] == [intake.findings, intake.findings]
    assert synthesis_result.environment.provenance["schema"].origin.source == "cities.sql"
    assert {synthesis_result.environment.provenance[part].seed for part in ("seed_data", "tasks")} == {6}
    assert synthesis_result.environment.schema == intake.schema
    assert [event.report.passed for event in messages if event.kind == "checks_done"] == [False, True]
    assert [event.message for event in messages if event.kind == "stage_failed"]


def test_attempts_that_are_spent_are_said_with_the_last_findings(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "check_environment", lambda made, on_result: report(made, passed=False))
    with pytest.raises(AttemptsExhausted, match=r"failed 2 times.*It does not hold"):
        from_schema(intake, tasks=1, attempts=2)


def test_a_wish_to_stop_is_heard_before_anything_is_derived(intake: Intake) -> None:
    with pytest.raises(Cancelled):
        from_schema(intake, tasks=1, context=RunContext(cancelled=lambda: True))


def test_a_schema_that_offers_fewer_tasks_is_finished_with_them_unless_the_number_was_asked_for(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    composed = TaskComposer._task
    monkeypatch.setattr(
        TaskComposer,
        "_task",
        lambda self, plan, place: composed(self, plan, place) if place < 2 else (None, "no row is left"),
    )
    monkeypatch.setattr(assembly, "check_environment", lambda made, on_result: report(made, passed=True))
    result = from_schema(intake, seed=5, tasks=4, fewer_tasks=True)
    offered = len(result.environment.tasks.tasks)
    assert offered == 2
    remarks = [f.message for each in result.attempts for f in each.findings if f.severity == "warning"]
    assert any(f"offers {offered} tasks, not the usual 4" in message for message in remarks)
    with pytest.raises(InvalidInput, match=rf"Only {offered} of 4 tasks"):
        from_schema(intake, seed=5, tasks=4)
