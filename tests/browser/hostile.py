"""An environment that would break careless SQL, careless HTML and careless files, tried by an agent."""

from __future__ import annotations

from typing import Any

from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.check_report import CheckReport, CheckResult, RowDifference, Trial
from synthesis.documents.environment import Environment
from synthesis.documents.seed_data import SeedData
from synthesis.documents.tools import ToolCall
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory
from synthesis.documents.verdict import CheckOutcome, Scored
from synthesis.worlds.database import read_schema

SCRIPT = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
ODD = "we]ird\"/💥\u202e'select"
MIB = "x" * 1_000_000
SQL = """
CREATE TABLE {odd} ({order} TEXT PRIMARY KEY, {quote} TEXT);
CREATE TABLE "select" ("from" TEXT PRIMARY KEY, "where" TEXT);
CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT, amount TEXT);
"""


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def hostile(environment: Environment) -> Environment:
    """The environment with odd tables beside its own, and script in every text."""
    sql = SQL.format(odd=quoted(ODD), order=quoted("order"), quote=quoted('a"b]'))
    rows = {
        **environment.seed_data.rows,
        ODD: ({"order": SCRIPT, 'a"b]': "\u202eright to left"},),
        "select": ({"from": "here", "where": SCRIPT}, {"from": "a/b?c#d", "where": None}),
        "notes": (
            {"id": 1, "note": "=HYPERLINK(1)", "amount": "+1"},
            {"id": 2, "note": "@SUM(A1)", "amount": "-2"},
            {"id": 3, "note": MIB, "amount": ""},
        ),
    }
    first = environment.tasks.tasks[0].replace(instruction=f"Do it. {SCRIPT}")
    return environment.replace(
        scenario=environment.scenario.replace(
            name="hostile", title=f"Hostile {SCRIPT}"[:120], description=SCRIPT, category="<b>bold</b>"
        ),
        schema=read_schema(environment.schema.sql.rstrip().rstrip(";") + ";" + sql),
        seed_data=SeedData(rows=rows, actor=environment.seed_data.actor),
        tasks=environment.tasks.replace(tasks=(first, *environment.tasks.tasks[1:])),
    )


def tried(environment: Environment) -> JudgedTrajectory:
    """What an agent did there: script in its thought, its arguments, what it saw, its answer, the verdict."""
    tool = environment.tools.tools[0].name
    steps = (
        Step(
            index=1,
            action=ToolCall(name=tool, arguments={"name": SCRIPT}),
            thought=SCRIPT,
            status="ok",
            observation={"said": SCRIPT},
        ),
        Step(index=2, action=FinalAnswer(text=SCRIPT), status="answered"),
    )
    trajectory = Trajectory(
        environment=environment.fingerprint,
        environment_name=environment.scenario.name,
        task_id=environment.tasks.tasks[0].id,
        agent="chat",
        model=SCRIPT[:100],
        steps=steps,
        stop_reason="answered",
    )
    outcome = CheckOutcome(name=SCRIPT, passed=False, detail=SCRIPT)
    verdict = Scored(
        label="agent_error", reward=0.0, basis="verifier", share=0.0, explanation=SCRIPT, outcomes=(outcome,)
    )
    return JudgedTrajectory(trajectory=trajectory, verdicts=(verdict,))


def report(environment: Environment) -> CheckReport:
    row = RowDifference(table=SCRIPT, key=SCRIPT, kind="updated", cells={SCRIPT: (SCRIPT, None)})
    trial = Trial(
        subject=SCRIPT, kind=SCRIPT, description=SCRIPT, expected="refused", outcome="accepted",
        open=(SCRIPT,), rows=(row,), calls=(SCRIPT,), answer=SCRIPT,
    )  # fmt: skip
    claims = (CheckResult(claim="every_statement_builds", description=SCRIPT, passed=True, trials=(trial,)),)
    return CheckReport(environment=environment.fingerprint, results=claims)


def stored(environment: Environment) -> tuple[Any, Any]:
    """The record and the trajectory."""
    from studio.models import AuthorKind, EnvironmentRecord
    from studio.services.environments.environments import store_environment
    from studio.services.rollouts.trajectories import store_trajectory

    result = hostile(environment)
    revision = store_environment(
        environment=result, author_kind=AuthorKind.MODEL, reason=SCRIPT, report=report(result)
    )
    record = EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)
    return record, store_trajectory(revision=revision, judged=tried(result))
