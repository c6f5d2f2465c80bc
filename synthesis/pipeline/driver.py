"""Driver: the ways to a proved environment: from a sentence, from a schema, by correcting one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synthesis.documents.environment import Environment
from synthesis.documents.finding import Finding, PartName
from synthesis.documents.intake import Intake
from synthesis.documents.scenario import MAX_SENTENCE
from synthesis.errors import AttemptsExhausted, UnknownName
from synthesis.pipeline.assembly import Assembly, RunContext, SynthesisResult
from synthesis.pipeline.attempt import Attempt
from synthesis.pipeline.author import Author
from synthesis.pipeline.authors.derived import DerivedAuthor
from synthesis.pipeline.request import LARGEST_SEED, SynthesisRequest, Targets, require_usable
from synthesis.pipeline.stages.registry import STAGES, stage
from synthesis.pipeline.stages.trial import trial_world_cache


def synthesize(
    request: SynthesisRequest, *, authors: Mapping[str, Author], context: RunContext | None = None
) -> SynthesisResult:
    """Make an environment and prove it. Called again with the same store, it goes on where it stopped.

    Args:
        request: What is asked for.
        authors: The authors by name; the request names one of them, and others for single stages.
        context: Store, listener, wish to stop and limits.

    Raises:
        InvalidInput: The sentence cannot be used.
        UnknownName: The request names an author or a stage that does not exist.
        AttemptsExhausted: A stage spent its attempts, or the whole its attempts or corrections.
        Cancelled: Somebody asked to stop; finished parts are in the store.
        ProviderError: The model did not answer, or the budget is spent; finished parts are in the store.
    """
    require_usable(request)
    chosen = _authors(request, authors)
    with trial_world_cache():
        second = authors[request.second_author] if request.second_author else None
        return Assembly(request, chosen, context or RunContext(), second=second).complete()


def correct(
    environment: Environment,
    findings: Sequence[Finding],
    *,
    request: SynthesisRequest,
    authors: Mapping[str, Author],
    context: RunContext | None = None,
) -> SynthesisResult:
    """Have the parts that findings name corrected, try again what was made from them, and prove the whole.

    Args:
        environment: A complete environment; parts that nothing is found against stay as they are.
        findings: What is wrong, for example what reviewers flagged; each counts as blocking.
        request: Who mends, with how many attempts and corrections.
        authors: As for `synthesize`.
        context: As for `synthesize`.

    Raises:
        AttemptsExhausted, Cancelled, ProviderError, UnknownName: As for `synthesize`.
    """
    chosen = _authors(request, authors)
    with trial_world_cache():
        assembly = Assembly(request, chosen, context or RunContext(), given=environment)
        assembly.send_back(tuple(finding.replace(severity="error") for finding in findings))
        return assembly.complete()


def from_schema(
    intake: Intake,
    *,
    seed: int = 0,
    tasks: int = 10,
    fewer_tasks: bool = False,
    attempts: int = 3,
    context: RunContext | None = None,
) -> SynthesisResult:
    """Derive rows, tools, tasks and verifiers from a data model that was read from outside.

    Args:
        intake: What was read; its findings are told with the attempt at the schema.
        seed: Chooses rows and tasks. An environment that is not proved is derived again with the next seed.
        tasks: How many tasks.
        fewer_tasks: Whether fewer will do where the schema does not offer as many.
        attempts: How many derivations are tried.
        context: As for `synthesize`.

    Raises:
        InvalidInput: Nothing can be derived from this data model; the text says why.
        AttemptsExhausted: No derivation was proved; it carries the findings of the last one.
        Cancelled: Somebody asked to stop.
    """
    author = DerivedAuthor(intake)
    history: list[Attempt] = []
    findings: Sequence[Finding] = ()
    stage_at_fault = "tasks"
    for number in range(attempts):
        targets = Targets(tables=1, rows=1, tools=1, tasks=tasks, fewer_tasks=fewer_tasks)
        request = _derivation_request(intake, (seed + number) % (LARGEST_SEED + 1), targets, author.name)
        with trial_world_cache():
            assembly = Assembly(request, _authors(request, {author.name: author}), context or RunContext())
            try:
                result = assembly.complete()
            except AttemptsExhausted as error:
                history += assembly.attempts
                stage_at_fault, findings = error.stage, error.findings
                continue
        return SynthesisResult(result.environment, result.report, (*history, *result.attempts))
    raise AttemptsExhausted(stage_at_fault, findings, attempts, results=history)


def _derivation_request(intake: Intake, seed: int, targets: Targets, author: str) -> SynthesisRequest:
    return SynthesisRequest(
        sentence=intake.scenario.description[:MAX_SENTENCE],
        author=author,
        seed=seed,
        targets=targets,
    )


def _authors(request: SynthesisRequest, authors: Mapping[str, Author]) -> dict[PartName, Author]:
    for name in request.stage_authors:
        stage(name)
    second = (request.second_author,) if request.second_author else ()
    for name in (request.author, *request.stage_authors.values(), *second):
        if name not in authors:
            raise UnknownName("author", name, list(authors))
    return {name: authors[request.author_of(name)] for name in STAGES}
