"""Correction prompt: what an author is shown before it corrects: its own words, and the findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from synthesis.documents.environment import Part
from synthesis.documents.finding import Finding
from synthesis.llm.provider import CompletionRequest, Message, Provider
from synthesis.pipeline.prompt import compact, load_prompt
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.stage import AnyStage

MOST_FINDINGS = 40
LONGEST_FINDING = 1_500
LONGEST_UNSUMMARISED = 6_000
"""Characters of findings above which a summariser, where there is one, is asked to condense them."""


class Summariser(Protocol):
    """Condenses long findings into what an author needs to know."""

    def condense(self, text: str) -> str:
        """The text, shorter; nothing that names a place may be lost."""
        ...


class ModelSummariser:
    """A summariser that asks a model, usually a cheaper one than the author."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def condense(self, text: str) -> str:
        """The model's summary; the text itself where the model says nothing."""
        asked = load_prompt("summary").filled({"findings": text})
        request = CompletionRequest(messages=(Message(role="user", text=asked),), stage="summary")
        return self._provider.complete(request).text.strip() or text


@dataclass(frozen=True)
class CorrectionPrompt:
    """What is shown.

    Attributes:
        reply: The author's own words: its last reply, or the pieces of it that are wrong.
        findings: What is wrong with them, one line each.
        how: How to answer.
    """

    reply: str
    findings: str
    how: str


WHOLE = "Reply with the whole, corrected JSON object."
PIECES = (
    "Reply with a JSON object of the same shape that contains only the entries you change or add, each of "
    "{listed} whole; "
    'everything else is kept unchanged. Names of entries that are to go belong in "remove".'
)
SHARED = (
    " Of {fields}, give only the definitions and imports that you add or change: the others stay while "
    'something uses them, and those that are to go although it does are named in "remove".'
)


def tell(
    stage: AnyStage,
    findings: tuple[Finding, ...],
    *,
    state: Reply | None,
    misread: Mapping[str, Any] = MappingProxyType({}),
    reply: str,
    part: Part | None,
    summariser: Summariser | None,
) -> CorrectionPrompt:
    """The correction prompt for an attempt, or about a finished part that was sent back.

    Args:
        stage: The stage.
        findings: What is wrong.
        state: The pieces so far; None when no reply could be read.
        misread: Pieces that are not among them since they do not fit, by name.
        reply: The last reply, verbatim.
        part: The finished part that was sent back, if it was.
        summariser: Condenses long findings.
    """
    text = "\n".join(_line(finding) for finding in findings[:MOST_FINDINGS])
    if len(findings) > MOST_FINDINGS:
        text += f"\n- And {len(findings) - MOST_FINDINGS} more."
    if summariser is not None and len(text) > LONGEST_UNSUMMARISED:
        text = summariser.condense(text)
    if state is not None and stage.reply.listed is not None:
        wrong = [misread[name] for name in dict.fromkeys(f.where for f in findings) if name in misread]
        blamed = {finding.where for finding in findings if finding.where in state.pieces}
        shown = state.only(blamed if blamed or wrong else set(state.pieces))
        shown[stage.reply.listed[0]] += wrong
        # What a prompt says of the pieces that stay has it already.
        unblamed = {*stage.reply.wholes} - {finding.where for finding in findings}
        shown = {name: value for name, value in shown.items() if name not in unblamed}
        how = PIECES.format(listed=stage.reply.listed[0]) + (
            SHARED.format(fields=", ".join(stage.reply.wholes)) if stage.reply.wholes else ""
        )
        return CorrectionPrompt(compact(shown), text, how)
    if reply:
        return CorrectionPrompt(reply, text, WHOLE)
    standing = part.model_dump_json(by_alias=True) if part else ""
    return CorrectionPrompt(standing, text, WHOLE)


def _line(finding: Finding) -> str:
    place = f"[{finding.where}] " if finding.where else ""
    message = finding.message
    if len(message) > LONGEST_FINDING:
        message = f"{message[:LONGEST_FINDING]} [...]"
    evidence = ""
    if finding.evidence is not None:
        evidence = f" Evidence: {compact(finding.evidence)[:LONGEST_FINDING]}"
    return f"- {place}{message}{evidence}"
