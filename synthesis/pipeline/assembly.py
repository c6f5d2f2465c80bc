"""Assembly: one environment while its parts are made: stage by stage, proved whole, parts sent back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import get_args

from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Draft, Environment, Part, Provenance
from synthesis.documents.finding import Finding, PartName
from synthesis.errors import AttemptsExhausted, Cancelled, EarlierPartAtFault, WorldwrightError
from synthesis.pipeline import events
from synthesis.pipeline.attempt import Attempt
from synthesis.pipeline.author import Author
from synthesis.pipeline.part_store import MemoryPartStore, PartStore, StoredPart
from synthesis.pipeline.recipe import Recipe, recipe_of, sent_back_with
from synthesis.pipeline.request import SynthesisRequest
from synthesis.pipeline.self_correction import StageResult, never, self_correct
from synthesis.pipeline.sizes import figures
from synthesis.pipeline.stage import AnyStage
from synthesis.pipeline.stage_limits import PROOF, StageLimits
from synthesis.pipeline.stages import source as sources
from synthesis.pipeline.stages.registry import STAGES
from synthesis.pipeline.stages.trial import close_trial_worlds
from synthesis.verification.checks import check_environment

SHIPS_AS: dict[PartName, PartName] = {"tool_specs": "tools", "outlines": "tasks"}
"""The part that mends a finding against one that only exists while an environment is made."""


@dataclass(frozen=True)
class SynthesisResult:
    """A whole, proved environment.

    Attributes:
        environment: It.
        report: What was proved about it; every claim holds.
        attempts: Every attempt that was made now; parts found in the store add none.
    """

    environment: Environment
    report: CheckReport
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class RunContext:
    """What a caller brings to any of the three entries.

    Attributes:
        store: Where finished parts are kept; in memory by default.
        on_event: Hears of everything as it happens.
        cancelled: Asked before every attempt and before the proof.
        stage_limits: How many environments may be in a stage at a time; shared by those made side by side.
    """

    store: PartStore = field(default_factory=MemoryPartStore)
    on_event: events.OnEvent = events.ignore
    cancelled: Callable[[], bool] = never
    stage_limits: StageLimits = field(default_factory=StageLimits)


@dataclass(frozen=True)
class _SentBack:
    """A finished part that must be corrected."""

    recipe: tuple[str, ...]
    findings: tuple[Finding, ...]


class Assembly:
    """One environment while its parts are made.

    Args:
        request: What is asked for.
        authors: Who writes each part.
        context: Store, listener, wish to stop and limits.
        given: A complete environment to correct; its parts stay until something is found against them.
        second: Who is asked for a part when its author has spent its attempts.
    """

    def __init__(
        self,
        request: SynthesisRequest,
        authors: dict[PartName, Author],
        context: RunContext,
        given: Environment | None = None,
        second: Author | None = None,
    ) -> None:
        self._request, self._authors, self._context = request, authors, context
        self._second = second
        self._emit, self._cancelled = context.on_event, context.cancelled
        self._draft = Draft()
        self._recipes: dict[PartName, str] = {}
        self._sent_back: dict[PartName, tuple[str, ...]] = {}
        self._due: dict[PartName, _SentBack] = {}
        self._corrections = 0
        self._stages = list(STAGES.values())
        self.attempts: list[Attempt] = []
        if given is not None:
            self._start_from(given)

    def _start_from(self, environment: Environment) -> None:
        self._draft = Draft(provenance=environment.provenance, **environment.parts())
        self._stages = [result for result in self._stages if self._draft.part(result.name) is not None]
        for stage in self._stages:
            recipe = recipe_of(stage, self._draft, self._authors[stage.name], self._request)
            self._recipes[stage.name] = recipe.fingerprint

    def complete(self) -> SynthesisResult:
        """Make all parts, prove the whole, and send parts back until nothing is found."""
        while True:
            try:
                self._make_parts()
            except EarlierPartAtFault as error:
                self.send_back(error.findings, error)
                continue
            environment = self._draft.finish()
            report = self._prove(environment)
            blocking = tuple(self._placed(finding) for finding in report.findings if finding.blocks)
            if report.passed and not blocking:
                return SynthesisResult(environment, report, tuple(self.attempts))
            self.send_back(blocking or _claims(report), None)

    def _make_parts(self) -> None:
        for stage in self._stages:
            author = self._authors[stage.name]
            if not author.writes(stage):
                continue
            if self._cancelled():
                raise Cancelled(f"Stopped before {stage.name}. Finished parts are kept.")
            due = self._due.get(stage.name)
            if due is not None:
                self._sent_back[stage.name] = due.recipe
            recipe = recipe_of(stage, self._draft, author, self._request, self._sent_back.get(stage.name, ()))
            if self._recipes.get(stage.name) != recipe.fingerprint:
                self._make(stage, author, recipe, due.findings if due else ())
            self._due.pop(stage.name, None)

    def _make(
        self, any_stage: AnyStage, author: Author, recipe: Recipe, findings: tuple[Finding, ...]
    ) -> None:
        """The stage's part: from the store, as it is if it passes again, or by asking the author."""
        stored_part = self._context.store.find(recipe)
        if stored_part is not None:
            part = stored_part.read()
            self._enter(any_stage, recipe, part, stored_part.provenance)
            self._emit(
                events.PartReused(
                    stage=any_stage.name, part_fingerprint=part.fingerprint, recipe=recipe.fingerprint
                )
            )
            return
        with self._context.stage_limits.at(any_stage.name, self._cancelled):
            self._remake(any_stage, author, recipe, findings)

    def _remake(
        self, any_stage: AnyStage, author: Author, recipe: Recipe, findings: tuple[Finding, ...]
    ) -> None:
        self._emit(events.StageStarted(stage=any_stage.name, author=author.name, recipe=recipe.fingerprint))
        present = self._draft.part(any_stage.name)
        if present is not None and not findings and author.corrects:
            findings = any_stage.check(present, self._draft, self._request)
            if not any(finding.blocks for finding in findings):
                self._keep(any_stage, recipe, StageResult(part=present, attempts=()), author)
                return
        blocking = tuple(finding for finding in findings if finding.blocks)
        try:
            result = self._ask(any_stage, author, blocking)
        except AttemptsExhausted as error:
            second = self._second
            if second is None or second.name == author.name or not second.writes(any_stage):
                raise
            # It begins anew: what the first one wrote five times over would only lead it astray.
            author = second
            self._emit(
                events.StageStarted(stage=any_stage.name, author=author.name, recipe=recipe.fingerprint)
            )
            result = self._ask(any_stage, author, blocking, first=error.attempts + 1)
        self._keep(any_stage, recipe, result, author)

    def _ask(
        self, any_stage: AnyStage, author: Author, findings: tuple[Finding, ...], *, first: int = 1
    ) -> StageResult:
        left = self._request.attempts_in_all - len(self.attempts)
        try:
            if left < 1:
                raise AttemptsExhausted(any_stage.name, findings, len(self.attempts), results=self.attempts)
            return self_correct(
                any_stage,
                self._draft,
                author,
                request=self._request,
                attempts=min(self._request.attempts, left),
                first=first,
                findings=findings,
                on_attempt=self._record,
                cancelled=self._cancelled,
            )
        except EarlierPartAtFault as error:
            # What was made is tried again, and not asked for again, when the earlier part is mended.
            if isinstance(error.part, get_args(Part)):
                self._draft = self._draft.with_part(any_stage.name, error.part)
            raise
        except WorldwrightError as error:
            self._emit(
                events.StageFailed(stage=any_stage.name, error=type(error).__name__, message=str(error))
            )
            raise

    def _record(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        self._emit(events.AttemptEnded(attempt=attempt))

    def _keep(self, any_stage: AnyStage, recipe: Recipe, result: StageResult, author: Author) -> None:
        provenance = self._provenance(any_stage, recipe, author, result)
        self._context.store.keep(StoredPart.of(recipe, result.part, provenance))
        self._enter(any_stage, recipe, result.part, provenance)
        self._emit(
            events.PartStored(
                stage=any_stage.name,
                part_fingerprint=result.part.fingerprint,
                recipe=recipe.fingerprint,
                attempts=len(result.attempts),
                figures=figures(result.part),
            )
        )

    def _enter(self, any_stage: AnyStage, recipe: Recipe, part: Part, provenance: Provenance) -> None:
        self._draft = self._draft.with_part(any_stage.name, part, provenance)
        self._recipes[any_stage.name] = recipe.fingerprint

    def _provenance(
        self, any_stage: AnyStage, recipe: Recipe, author: Author, result: StageResult
    ) -> Provenance:
        """Who made it; for a part that only passed again, who made it before."""
        before = self._draft.provenance.get(any_stage.name)
        if not result.attempts and before is not None:
            return before
        costs = [attempt.usage.cost for attempt in result.attempts if attempt.usage.cost is not None]
        model, prompt = recipe.settings.get("model"), recipe.settings.get("prompt")
        if author is not self._authors[any_stage.name]:  # the recipe is of the one who gave up
            model = result.attempts[-1].model if result.attempts else None
        return Provenance(
            author=author.name,
            model=str(model) if model is not None else None,
            prompt_fingerprint=str(prompt) if prompt is not None else None,
            seed=self._request.seed,
            attempts=max(len(result.attempts), 1),
            cost=sum(costs) if costs else None,
            origin=result.origin or (before.origin if before else None),
        )

    def _prove(self, environment: Environment) -> CheckReport:
        if self._cancelled():
            raise Cancelled("Stopped before the proof. All parts are kept.")
        close_trial_worlds()
        with self._context.stage_limits.at(PROOF, self._cancelled):
            self._emit(events.ChecksStarted(environment=environment.fingerprint))
            report = check_environment(
                environment, on_result=lambda result: self._emit(events.ClaimChecked(result=result))
            )
        self._emit(events.ChecksDone(report=report))
        return report

    def _placed(self, finding: Finding) -> Finding:
        """A finding of the proof with lines of the module told as the author of its tools wrote them."""
        tools = self._draft.tools
        if finding.part != "tools" or tools is None:
            return finding
        return finding.replace(message=sources.placed(finding.message, tools.source))

    def send_back(self, findings: tuple[Finding, ...], cause: EarlierPartAtFault | None = None) -> None:
        """Have the parts at fault corrected by their authors.

        Raises:
            AttemptsExhausted: No correction is left, or the author cannot correct.
        """
        by_part: dict[PartName, list[Finding]] = {}
        changing = {finding.where for finding in findings if self._owner(finding.part) == "tasks"} - {""}
        for finding in findings:
            part = self._owner(finding.part)
            # The verifier of a task that is about to change is tried again with the task as it will be.
            if part != "verifiers" or finding.where not in changing:
                by_part.setdefault(part, []).append(finding)
        for part, results in by_part.items():
            self._corrections += 1
            present = self._draft.part(part)
            author = self._authors.get(part)  # nobody writes declared invariants but people
            spent = self._corrections > self._request.corrections or author is None or not author.corrects
            if spent or present is None:
                error = AttemptsExhausted(part, results, len(self._of(part)) or 1, results=self._of(part))
                self._emit(events.StageFailed(stage=part, error=type(error).__name__, message=str(error)))
                raise error from cause
            sent = tuple(results)
            self._due[part] = _SentBack(sent_back_with(present, sent), sent)
            self._emit(events.PartSentBack(stage=part, findings=sent, round=self._corrections))

    def _owner(self, part: PartName) -> PartName:
        """The part whose author mends such a finding: the one that ships, where the other was never made."""
        return part if self._draft.part(part) is not None else SHIPS_AS.get(part, part)

    def _of(self, part: PartName) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.stage == part]


def _claims(report: CheckReport) -> tuple[Finding, ...]:
    """For claims that fail without naming a part: they are the verifiers' to answer for."""
    failed: Iterable[str] = (result.claim for result in report.results if not result.passed)
    return tuple(
        Finding(part="verifiers", check=claim, message=f"The claim {claim!r} fails.") for claim in failed
    )
