"""People of every role, a small environment and what was tried in it, stored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction

from studio.models import AuthorKind, EnvironmentRecord, Role, Run, RunKind, RunState, TrajectoryRecord
from studio.models.projects import default_project
from studio.services.accounts import accounts
from studio.services.environments.environments import store_environment
from studio.services.judging import judge_figures
from studio.services.rollouts.trajectories import add_verdict, store_trajectory
from studio.services.runs import dispatch
from studio.work_queue import WorkQueue
from synthesis.documents.bundle import JudgedTrajectory
from synthesis.documents.check_report import CheckReport, CheckResult
from synthesis.documents.environment import Environment, Provenance
from synthesis.documents.finding import Finding
from synthesis.documents.policy import Policy
from synthesis.documents.scenario import Scenario
from synthesis.documents.schema import Column, ForeignKey, Schema, Table
from synthesis.documents.seed_data import Actor, SeedData
from synthesis.documents.state_diff import RowChange, StateDiff
from synthesis.documents.tasks import AnswerFact, Task, Tasks
from synthesis.documents.tools import Tool, ToolCall, Toolset
from synthesis.documents.trajectory import FinalAnswer, Step, Trajectory
from synthesis.documents.verdict import CheckOutcome, Scored
from synthesis.documents.verifiers import Verifier, Verifiers

GRADES = {"task_feasibility": 4, "data_alignment": 5, "toolset_completeness": 4}
"""What an approval needs."""
GRADED = {f"score_{name}": str(grade) for name, grade in GRADES.items()}
"""The same as the form sends it."""

FAST_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""No test waits for a slow hash."""

SCHEMA = """CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);
CREATE TABLE loans (
  id INTEGER PRIMARY KEY,
  member_id INTEGER NOT NULL REFERENCES members (id),
  item TEXT NOT NULL,
  returned INTEGER NOT NULL DEFAULT 0
);
"""

TOOLS = '''LATEST = 50


def _loan(db, loan_id):
    return db.one("SELECT * FROM loans WHERE id = ?", loan_id)


def list_loans(db) -> dict:
    """List all loans."""
    return {"items": db.query("SELECT * FROM loans ORDER BY id LIMIT ?", LATEST)}


def return_item(db, loan_id: int) -> dict:
    """Take back a lent item.

    Args:
        loan_id: Loan to end.
    """
    if _loan(db, loan_id) is None:
        raise ToolError(f"Loan {loan_id} does not exist.")
    db.execute("UPDATE loans SET returned = 1 WHERE id = ?", loan_id)
    return _loan(db, loan_id)
'''


def small_environment(
    *,
    name: str = "lending_desk",
    title: str = "Lending desk",
    tools: str = TOOLS,
    instruction: str = "Take back the drill that Ada borrowed with loan 7.",
    policy: str = "Be kind.",
) -> Environment:
    """A complete environment of two tables, two tools and two tasks, made without running anything."""
    return Environment(
        scenario=Scenario(
            name=name,
            title=title,
            category="lending",
            description="A desk lends tools to members. <script>alert(1)</script>",
            clock=datetime(2026, 3, 11, 8, 30),
        ),
        policy=Policy(text=policy),
        schema=Schema(sql=SCHEMA, tables=_tables()),
        seed_data=SeedData(
            rows={
                "members": ({"id": 1, "name": "Ada"}, {"id": 2, "name": "Zoë \u202e\u0001"}),
                "loans": ({"id": 7, "member_id": 1, "item": "drill"},),
            },
            actor=Actor(table="members", key=1),
        ),
        tools=Toolset(source=tools, tools=_tools()),
        tasks=Tasks(
            tasks=(
                Task(
                    id="return_the_drill",
                    instruction=instruction,
                    kind="write",
                    difficulty="easy",
                    min_calls=1,
                    reference_solution=(ToolCall(name="return_item", arguments={"loan_id": 7}),),
                    reference_answer="The drill is back.",
                ),
                Task(
                    id="count_the_loans",
                    instruction="How many loans are there?",
                    kind="read",
                    difficulty="easy",
                    min_calls=1,
                    reference_solution=(ToolCall(name="list_loans"),),
                    reference_answer="There is one loan.",
                    answer_facts=(AnswerFact(name="loans", type="number", value=1),),
                ),
            )
        ),
        verifiers=Verifiers(
            verifiers=(
                Verifier(
                    task_id="return_the_drill",
                    source="def verify(before, after, changes, answer):\n"
                    '    """The drill is back."""\n'
                    "    row = changed(before, after, 'loans', 7)\n"
                    "    yield check('the drill is back', row == {'returned': 1})\n"
                    "    yield check('nothing else changed', changes.only(('loans', 7)), guard=True)\n",
                ),
                Verifier(
                    task_id="count_the_loans",
                    source="def verify(before, after, changes, answer):\n"
                    '    """Nothing changed."""\n'
                    "    yield check('one is named', '1' in answer or 'one' in answer.lower())\n"
                    "    yield check('nothing changed', changes.only(), guard=True)\n",
                ),
            )
        ),
        provenance={"tools": Provenance(author="model", model="some-model", attempts=2, cost=0.02)},
    )


def _tables() -> tuple[Table, ...]:
    key = Column(name="id", type="INTEGER", primary_key=1)
    members, loans, _ = SCHEMA.split(";\n")
    return (
        Table(name="members", columns=(key, Column(name="name", type="TEXT", not_null=True)), sql=members),
        Table(
            name="loans",
            columns=(
                key,
                Column(name="member_id", type="INTEGER", not_null=True),
                Column(name="item", type="TEXT", not_null=True),
                Column(name="returned", type="INTEGER", not_null=True, default="0"),
            ),
            foreign_keys=(ForeignKey(columns=("member_id",), table="members", references=("id",)),),
            sql=loans,
        ),
    )


def _tools() -> tuple[Tool, ...]:
    loan = {"loan_id": {"type": "integer", "description": "Loan to end."}}
    return (
        Tool(
            name="list_loans",
            description="List all loans.",
            input_schema={
                "type": "object",
                "properties": {},
                "required": [],
                "additionalProperties": False,
            },
            mutates_state=False,
        ),
        Tool(
            name="return_item",
            description="Take back a lent item.",
            input_schema={
                "type": "object",
                "properties": loan,  # type: ignore[dict-item]
                "required": ["loan_id"],
                "additionalProperties": False,
            },
            mutates_state=True,
        ),
    )


def report_on(environment: Environment, *, failing: str = "", part: str = "verifiers") -> CheckReport:
    """A report of three claims, one of which fails when it is named."""
    claims = ("the_schema_builds", "every_tool_answers", "every_reference_solution_completes_its_task")
    return CheckReport(
        environment=environment.fingerprint,
        results=tuple(
            CheckResult(
                claim=claim,
                passed=claim != failing,
                figures={"tried": 2},
                findings=(
                    (Finding(part=part, check=claim, message="It does not.", where="return_the_drill"),)  # type: ignore[arg-type]
                    if claim == failing
                    else ()
                ),
            )
            for claim in claims
        ),
    )


def played(
    environment: Environment, *, agent: str = "reference", label: str = "completed"
) -> JudgedTrajectory:
    """A trajectory of two steps with one verdict."""
    change = RowChange(
        table="loans",
        key=7,
        kind="updated",
        before={"id": 7, "member_id": 1, "item": "drill", "returned": 0},
        after={"id": 7, "member_id": 1, "item": "drill", "returned": 1},
        columns=("returned",),
    )
    return JudgedTrajectory(
        trajectory=Trajectory(
            environment=environment.fingerprint,
            environment_name=environment.name,
            task_id="return_the_drill",
            agent=agent,
            steps=(
                Step(
                    index=1,
                    action=ToolCall(name="return_item", arguments={"loan_id": 7}),
                    status="ok",
                    observation={"id": 7, "returned": 1},
                    changes=StateDiff(changes=(change,)),
                    state_hash="ab" * 32,
                ),
                Step(index=2, action=FinalAnswer(text="The drill is back."), status="answered"),
            ),
            stop_reason="answered",
        ),
        verdicts=(
            Scored(
                label=label,  # type: ignore[arg-type]
                reward=1.0 if label == "completed" else 0.0,
                basis="verifier",
                share=1.0 if label == "completed" else 0.0,
                outcomes=(CheckOutcome(name="the drill is back", passed=label == "completed"),),
            ),
        ),
    )


@pytest.fixture(autouse=True)
def own_folders(settings, tmp_path: Path) -> None:
    """No test writes into the studio's own folders, and none waits for a slow hash."""
    settings.BUNDLES_DIR = tmp_path / "bundles"
    settings.AXES_ENABLED = False
    settings.PASSWORD_HASHERS = FAST_HASHERS


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Numbers of rows begin anew in every test, and kept results are known by them."""
    cache.clear()


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Runs that workers were told of, in order; no broker is touched."""
    runs: list[int] = []

    def send(run_id: int, queue: WorkQueue) -> bool:
        runs.append(run_id)
        return True

    monkeypatch.setattr(dispatch, "send", send)
    monkeypatch.setattr(dispatch, "waiting_messages", lambda queue: 0)
    return runs


def create_person(username: str, role: Role | None = None) -> User:
    """Somebody with the password `<username>-secret`."""
    user = User.objects.create_user(username, password=f"{username}-secret", first_name=username.title())
    if role is not None:
        with transaction.atomic():
            accounts.set_role(user=user, role=role)
    return user


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """Makes people; the default project is there even after a test that emptied the whole database."""
    default_project()
    return create_person


@pytest.fixture
def viewer(person: Callable[..., User]) -> User:
    return person("vera", Role.VIEWER)


@pytest.fixture
def reviewer(person: Callable[..., User]) -> User:
    return person("rosa", Role.REVIEWER)


@pytest.fixture
def second_reviewer(person: Callable[..., User]) -> User:
    return person("ravi", Role.REVIEWER)


@pytest.fixture
def lead(person: Callable[..., User]) -> User:
    return person("lena", Role.LEAD)


@pytest.fixture
def administrator(person: Callable[..., User]) -> User:
    return person("ada", Role.ADMIN)


@pytest.fixture
def environment() -> Environment:
    """The small environment as a document."""
    return small_environment()


def store_proved(environment: Environment) -> EnvironmentRecord:
    """Store an environment whose report holds."""
    revision = store_environment(
        environment=environment,
        author_kind=AuthorKind.PROCEDURAL,
        reason="Synthesised.",
        report=report_on(environment),
    )
    return EnvironmentRecord.objects.select_related("current").get(pk=revision.environment_id)


@pytest.fixture
def stored(db: None, environment: Environment) -> EnvironmentRecord:
    """The small environment stored and proved, ready for review."""
    return store_proved(environment)


@pytest.fixture
def trajectory(stored: EnvironmentRecord, environment: Environment) -> TrajectoryRecord:
    """The reference agent's success."""
    assert stored.current is not None
    return store_trajectory(revision=stored.current, judged=played(environment))


def create_judged_run(trajectory: TrajectoryRecord, *labels: str, strategy: str = "rules") -> Run:
    """A finished run whose judge gave these labels to the trajectory, one after the other."""
    run = Run.objects.create(
        kind=RunKind.JUDGING,
        title=f"{strategy}: 1 trajectory",
        state=RunState.FINISHED,
        request={
            "strategy": strategy,
            "repeats": len(labels),
            "seed": 0,
            "trajectories": [trajectory.pk],
        },
    )
    for number, label in enumerate(labels, start=1):
        verdict = Scored(label=label, reward=0.0, basis="rules", share=0.0)  # type: ignore[arg-type]
        add_verdict(
            record=trajectory, verdict=verdict, strategy=strategy, judge="rules", run=run, number=number
        )
    run.result = judge_figures.summary(run)
    run.save()
    return run


@pytest.fixture
def judged_run(trajectory: TrajectoryRecord) -> Callable[..., Run]:
    """Makes finished runs whose judge judged the trajectory."""
    return partial(create_judged_run, trajectory)
