"""The verifiers: code that decides; each is run on the right end state and on wrong ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from pydantic import Field
from typing_extensions import override

from synthesis.documents.environment import Draft
from synthesis.documents.evidence import Evidence, evidence_of_calls
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.state_diff import RowChange
from synthesis.documents.tasks import Task
from synthesis.documents.verifiers import Verifier, Verifiers
from synthesis.errors import BrokenEnvironment, ReplyUnreadable, WorkerDied, WorkerTimeout, WorldError
from synthesis.pipeline.prompt import compact
from synthesis.pipeline.reply import Piece, PieceName, Reply
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.answer_verifier import answer_verifier, follows_from_task
from synthesis.pipeline.stages.listing import (
    outlines_text,
    policy_text,
    rows_text,
    scenario_text,
    schema_text,
)
from synthesis.pipeline.stages.trial import trial_world, tried
from synthesis.verification.answer_facts import facts_hold
from synthesis.worlds.snapshot import Snapshot
from synthesis.worlds.toolset import verifiers_findings
from synthesis.worlds.world import Instance, World


class VerifierReply(Piece):
    """One verifier."""

    task_id: PieceName
    source: str = Field(description="Python that defines verify(before, after, changes, answer).")


class VerifiersReply(Reply):
    """Verifiers."""

    listed: ClassVar[tuple[str, str] | None] = ("verifiers", "task_id")
    verifiers: list[VerifierReply]


class VerifiersStage(Stage[Verifiers, VerifiersReply]):
    """Makes the verifiers."""

    name: ClassVar[PartName] = "verifiers"
    reads: ClassVar[tuple[PartName, ...]] = ("scenario", "policy", "schema", "seed_data", "tools", "tasks")
    reply: ClassVar[type[Reply]] = VerifiersReply
    batch: ClassVar[int | None] = 10

    @override
    def facts(self, draft: Draft, request: SynthesisRequest) -> dict[str, str]:
        """The world whose states are judged."""
        return {
            "scenario": scenario_text(draft),
            "outlines": outlines_text(draft.outlines),
            "policy": policy_text(draft),
            "schema": schema_text(draft),
            "rows": rows_text(draft.seed_data),
        }

    @override
    def wanted(self, draft: Draft) -> tuple[str, ...]:
        """Ids of the tasks whose verifiers do not follow from them; of all where no other is left."""
        tasks = draft.tasks.tasks if draft.tasks else ()
        return tuple(task.id for task in tasks if not follows_from_task(task)) or tuple(
            task.id for task in tasks
        )

    @override
    def pieces_text(self, names: tuple[str, ...], draft: Draft) -> str:
        """The tasks with the rows their reference solutions really change."""
        tasks = [task for task in draft.tasks.tasks if task.id in names] if draft.tasks else []
        try:
            with trial_world(draft) as world, world.instance(keep_process=True) as instance:
                return "\n\n".join(_described(task, instance) for task in tasks)
        except WorldError as error:  # the checks tell it; a prompt can do without
            return "\n\n".join(task.model_dump_json() for task in tasks) + f"\n(not played: {error})"

    @override
    def read(self, reply: VerifiersReply, draft: Draft) -> Verifiers:
        """The verifiers in an answer."""
        empty = [verifier.task_id for verifier in reply.verifiers if not verifier.source.strip()]
        if empty or not reply.verifiers:
            raise ReplyUnreadable(f"Verifiers without a source: {', '.join(empty) or 'all of them'}.")
        verifiers = (
            Verifier(task_id=one.task_id, source=one.source.strip() + "\n") for one in reply.verifiers
        )
        return Verifiers(verifiers=tuple(verifiers))

    @override
    def completed(
        self, reply: VerifiersReply, draft: Draft, standing: VerifiersReply | None
    ) -> VerifiersReply:
        """The verifiers with those that follow from their tasks, where none is written."""
        written = {*reply.pieces, *reply.remove, *(standing.pieces if standing else ())}
        following = [
            VerifierReply(**answer_verifier(task).model_dump())
            for task in (draft.tasks.tasks if draft.tasks else ())
            if task.id not in written and follows_from_task(task)
        ]
        return reply.model_copy(update={"verifiers": [*reply.verifiers, *following]})

    @override
    def reply_of(self, part: Verifiers) -> VerifiersReply:
        """The verifiers as pieces."""
        return VerifiersReply(verifiers=[VerifierReply(**one.model_dump()) for one in part.verifiers])

    @override
    def check(self, part: Verifiers, draft: Draft, request: SynthesisRequest) -> tuple[Finding, ...]:
        """Every task has one, which says Completed for the right end and nothing else."""
        tasks = {task.id for task in draft.tasks.tasks} if draft.tasks else set()
        texts = {verifier.task_id for verifier in part.verifiers}
        findings = (
            *(
                _finding("every_task_has_a_verifier", "This verifier is missing.", id)
                for id in sorted(tasks - texts)
            ),
            *(
                _finding("every_verifier_has_a_task", "No task has this id; remove it.", id)
                for id in sorted(texts - tasks)
            ),
        )
        if findings:
            return findings
        linted = verifiers_findings(part.verifiers)
        if any(finding.blocks for finding in linted):
            return linted
        by_task = {verifier.task_id: verifier.source for verifier in part.verifiers}
        decided = partial(_decided, draft.tasks.tasks if draft.tasks else (), by_task)
        return tried("verifiers", "every_verifier_decides", draft, decided)


def _decided(tasks: tuple[Task, ...], sources: Mapping[str, str], world: World) -> list[Finding]:
    """Every verifier run on the right end state and on the untouched world."""
    findings: list[Finding] = []
    with world.instance(keep_process=True) as instance:
        for task in tasks:
            instance.reset()
            results = instance.call_many(task.reference_solution)
            # The world may have been built before there were tasks: it knows no reference solution to show.
            evidence = evidence_of_calls(
                task.reference_solution, results, instruction=task.instruction, answer=task.reference_answer
            )
            try:
                findings += _decisions(task, sources[task.id], world, instance.snapshot(), evidence)
            except (BrokenEnvironment, WorkerDied, WorkerTimeout) as error:
                findings.append(_finding("every_verifier_runs", str(error), task.id))
    return findings


def _decisions(task: Task, source: str, world: World, end: Snapshot, evidence: Evidence) -> list[Finding]:
    findings = []
    decide = partial(world.verify_code, task.id, world.base, source=source, evidence=evidence)
    outcomes = decide(end, task.reference_answer)
    if failed := [outcome for outcome in outcomes if not outcome.passed]:
        text = "; ".join(f"{one.name} (it saw {json.dumps(one.detail)[:300]})" for one in failed)
        message = f"After the reference solution these checks fail, but all must pass: {text}"
        findings.append(_finding("every_verifier_accepts_the_right_end", message, task.id))
    # Where the state decides, the right words must not help; where the answer does, there must be one.
    words, answer = ("an empty answer", "")
    if task.kind == "write":
        words, answer = ("the right words", task.reference_answer)
    untouched = decide(world.base, answer)
    if all(outcome.passed for outcome in (*untouched, *facts_hold(task.answer_facts, answer))):
        message = f"It accepts the untouched world with {words}: nothing was done."
        findings.append(_finding("every_verifier_refuses_the_untouched_world", message, task.id))
    return findings


def _described(task: Task, instance: Instance) -> str:
    instance.reset()
    seen = [instance.call(call.name, call.arguments).observation() for call in task.reference_solution]
    changes = [_change(change) for change in instance.diff().changes]
    details = {
        **task.model_dump(mode="json", exclude={"split"}, exclude_defaults=True),
        "last_observation": seen[-1] if seen else None,
        "rows_changed_by_the_reference_solution": changes,
    }
    return compact(details)


def _change(change: RowChange) -> dict[str, Any]:
    """A changed row: of an update what was, by column, and the whole new state; else the row as it is."""
    shown = change.model_dump(mode="json", exclude={"columns"})
    if change.kind == "updated" and change.before is not None:
        shown["before"] = {column: shown["before"][column] for column in change.columns}
    return {name: value for name, value in shown.items() if value is not None}


def _finding(check: str, message: str, where: str = "") -> Finding:
    return Finding(part="verifiers", check=check, message=message, where=where)
