"""Pipeline: one environment from one sentence, stage by stage, proved as a whole at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from synthesis.documents.check_report import CheckReport
from synthesis.documents.environment import Draft, Environment, Part, Provenance
from synthesis.documents.finding import Finding, PartName
from synthesis.errors import AttemptsExhausted, Cancelled, EarlierPartAtFault, UnknownName, WorldwrightError
from synthesis.pipeline import events
from synthesis.pipeline.attempt import Attempt
from synthesis.pipeline.author import Author
from synthesis.pipeline.part_store import KeptPart, MemoryPartStore, PartStore
from synthesis.pipeline.recipe import Recipe, recipe_of, sent_back_with
from synthesis.pipeline.request import SynthesisRequest, require_usable
from synthesis.pipeline.self_correction import Made, never, self_correct
from synthesis.pipeline.sizes import figures
from synthesis.pipeline.stage import Stage
from synthesis.pipeline.stages.registry import STAGES, stage
from synthesis.pipeline.stages.trial import leave_workshop, workshop
from synthesis.pipeline.turns import PROOF, Turns
from synthesis.verification.checks import check_environment


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


def synthesize(
    request: SynthesisRequest,
    *,
    authors: Mapping[str, Author],
    store: PartStore | None = None,
    on_event: events.OnEvent = events.ignore,
    cancelled: Callable[[], bool] = never,
    turns: Turns | None = None,
) -> SynthesisResult:
    """Make an environment and prove it. Called again with the same store, it goes on where it stopped.

    Args:
        request: What is asked for.
        authors: The authors by name; the request names one of them, and others for single stages.
        store: Where finished parts are kept; in memory when None.
        on_event: Hears of everything as it happens.
        cancelled: Asked before every attempt.
        turns: How many environments may be in a stage at a time; shared by those made side by side.

    Raises:
        InvalidInput: The sentence cannot be used.
        UnknownName: The request names an author or a stage that does not exist.
        AttemptsExhausted: A stage spent its attempts, or the whole its attempts or corrections.
        Cancelled: Somebody asked to stop; finished parts are in the store.
        ProviderError: The model did not answer, or the budget is spent; finished parts are in the store.
    """
    require_usable(request)
    chosen = _authors(request, authors)
    kept = MemoryPartStore() if store is None else store
    with workshop():
        return _Making(request, chosen, kept, on_event, cancelled, turns or Turns()).whole()


def _authors(request: SynthesisRequest, authors: Mapping[str, Author]) -> dict[PartName, Author]:
    for name in request.stage_authors:
        stage(name)
    for name in (request.author, *request.stage_authors.values()):
        if name not in authors:
            raise UnknownName("author", name, list(authors))
    return {name: authors[request.author_of(name)] for name in STAGES}


@dataclass(frozen=True)
class _SentBack:
    """A finished part that must be corrected."""

    recipe: tuple[str, ...]
    findings: tuple[Finding, ...]


class _Making:
    """One environment in the making."""

    def __init__(
        self,
        request: SynthesisRequest,
        authors: dict[PartName, Author],
        store: PartStore,
        on_event: events.OnEvent,
        cancelled: Callable[[], bool],
        turns: Turns,
    ) -> None:
        self._request, self._authors, self._store = request, authors, store
        self._tell, self._cancelled, self._turns = on_event, cancelled, turns
        self._draft = Draft()
        self._recipes: dict[PartName, str] = {}
        self._sent_back: dict[PartName, tuple[str, ...]] = {}
        self._due: dict[PartName, _SentBack] = {}
        self._attempts: list[Attempt] = []
        self._corrections = 0

    def whole(self) -> SynthesisResult:
        """Make all parts, prove the whole, and send parts back until nothing is found."""
        while True:
            try:
                self._make_parts()
            except EarlierPartAtFault as error:
                self._send_back(error.findings, error)
                continue
            environment = self._draft.finish()
            report = self._prove(environment)
            blocking = tuple(finding for finding in report.findings if finding.blocks)
            if report.passed and not blocking:
                return SynthesisResult(environment, report, tuple(self._attempts))
            self._send_back(blocking or _claims(report), None)

    def _make_parts(self) -> None:
        for made in STAGES.values():
            author = self._authors[made.name]
            if not author.writes(made):
                continue
            if self._cancelled():
                raise Cancelled(f"Stopped before {made.name}. What is finished is kept.")
            due = self._due.get(made.name)
            if due is not None:
                self._sent_back[made.name] = due.recipe
            recipe = recipe_of(made, self._draft, author, self._request, self._sent_back.get(made.name, ()))
            if self._recipes.get(made.name) != recipe.fingerprint:
                self._make(made, author, recipe, due.findings if due else ())
            self._due.pop(made.name, None)

    def _make(self, made: Stage, author: Author, recipe: Recipe, findings: tuple[Finding, ...]) -> None:
        """The stage's part: from the store, as it stands if it passes again, or by asking the author."""
        found = self._store.find(recipe)
        if found is not None:
            part = found.read()
            self._enter(made, recipe, part, found.provenance)
            self._tell(
                events.PartReused(
                    stage=made.name, part_fingerprint=part.fingerprint, recipe=recipe.fingerprint
                )
            )
            return
        with self._turns.at(made.name, self._cancelled):
            self._make_anew(made, author, recipe, findings)

    def _make_anew(self, made: Stage, author: Author, recipe: Recipe, findings: tuple[Finding, ...]) -> None:
        self._tell(events.StageStarted(stage=made.name, author=author.name, recipe=recipe.fingerprint))
        standing = self._draft.part(made.name)
        if standing is not None and not findings and author.corrects:
            findings = made.check(standing, self._draft, self._request)
            if not any(finding.blocks for finding in findings):
                self._keep(made, recipe, standing, author, ())
                return
        made_now = self._ask(made, author, tuple(finding for finding in findings if finding.blocks))
        self._keep(made, recipe, made_now.part, author, made_now.attempts)

    def _ask(self, made: Stage, author: Author, findings: tuple[Finding, ...]) -> Made:
        left = self._request.attempts_in_all - len(self._attempts)
        try:
            if left < 1:
                raise AttemptsExhausted(made.name, findings, len(self._attempts), made=self._attempts)
            return self_correct(
                made,
                self._draft,
                author,
                request=self._request,
                attempts=min(self._request.attempts, left),
                findings=findings,
                on_attempt=self._hear,
                cancelled=self._cancelled,
            )
        except EarlierPartAtFault:
            raise
        except WorldwrightError as error:
            self._tell(events.StageFailed(stage=made.name, error=type(error).__name__, message=str(error)))
            raise

    def _hear(self, attempt: Attempt) -> None:
        self._attempts.append(attempt)
        self._tell(events.AttemptMade(attempt=attempt))

    def _keep(
        self, made: Stage, recipe: Recipe, part: Part, author: Author, attempts: tuple[Attempt, ...]
    ) -> None:
        provenance = self._provenance(made, recipe, author, attempts)
        self._store.keep(KeptPart.of(recipe, part, provenance))
        self._enter(made, recipe, part, provenance)
        self._tell(
            events.PartKept(
                stage=made.name,
                part_fingerprint=part.fingerprint,
                recipe=recipe.fingerprint,
                attempts=len(attempts),
                figures=figures(part),
            )
        )

    def _enter(self, made: Stage, recipe: Recipe, part: Part, provenance: Provenance) -> None:
        self._draft = self._draft.with_part(made.name, part, provenance)
        self._recipes[made.name] = recipe.fingerprint

    def _provenance(
        self, made: Stage, recipe: Recipe, author: Author, attempts: tuple[Attempt, ...]
    ) -> Provenance:
        """Who made it; for a part that only passed again, who made it before."""
        before = self._draft.provenance.get(made.name)
        if not attempts and before is not None:
            return before
        costs = [attempt.usage.cost for attempt in attempts if attempt.usage.cost is not None]
        model, prompt = recipe.settings.get("model"), recipe.settings.get("prompt")
        return Provenance(
            author=author.name,
            model=str(model) if model is not None else None,
            prompt_fingerprint=str(prompt) if prompt is not None else None,
            seed=self._request.seed,
            attempts=max(len(attempts), 1),
            cost=sum(costs) if costs else None,
        )

    def _prove(self, environment: Environment) -> CheckReport:
        if self._cancelled():
            raise Cancelled("Stopped before the proof. All parts are kept.")
        leave_workshop()
        with self._turns.at(PROOF, self._cancelled):
            self._tell(events.ChecksStarted(environment=environment.fingerprint))
            report = check_environment(
                environment, on_result=lambda result: self._tell(events.CheckMade(result=result))
            )
        self._tell(events.ChecksDone(report=report))
        return report

    def _send_back(self, findings: tuple[Finding, ...], cause: EarlierPartAtFault | None) -> None:
        """Have the parts at fault corrected by their authors.

        Raises:
            AttemptsExhausted: No correction is left, or the author cannot correct.
        """
        by_part: dict[PartName, list[Finding]] = {}
        for finding in findings:
            by_part.setdefault(self._owner(finding.part), []).append(finding)
        for part, found in by_part.items():
            self._corrections += 1
            standing = self._draft.part(part)
            spent = self._corrections > self._request.corrections or not self._authors[part].corrects
            if spent or standing is None:
                error = AttemptsExhausted(part, found, len(self._of(part)) or 1, made=self._of(part))
                self._tell(events.StageFailed(stage=part, error=type(error).__name__, message=str(error)))
                raise error from cause
            sent = tuple(found)
            self._due[part] = _SentBack(sent_back_with(standing, sent), sent)
            self._tell(events.PartSentBack(stage=part, findings=sent, round=self._corrections))

    def _owner(self, part: PartName) -> PartName:
        """The stage that mends such a finding; tools without a specification mend themselves."""
        if part == "tool_specs" and self._draft.tool_specs is None:
            return "tools"
        return part

    def _of(self, part: PartName) -> list[Attempt]:
        return [attempt for attempt in self._attempts if attempt.stage == part]


def _claims(report: CheckReport) -> tuple[Finding, ...]:
    """For claims that fail without naming a part: they are the verifiers' to answer for."""
    failed: Iterable[str] = (result.claim for result in report.results if not result.passed)
    return tuple(
        Finding(part="verifiers", check=claim, message=f"The claim {claim!r} does not hold.")
        for claim in failed
    )
