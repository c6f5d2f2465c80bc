"""Correction prompt: what an author is shown before it corrects: its own words, and the findings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from pydantic import JsonValue

from synthesis.documents.environment import Part
from synthesis.documents.finding import Finding
from synthesis.llm.provider import CompletionRequest, Message, Provider
from synthesis.pipeline.prompt import compact, load_prompt
from synthesis.pipeline.reply import Reply
from synthesis.pipeline.stage import AnyStage

MOST_FINDINGS = 40
FOLDED_FROM = 4
MOST_ROWS = 20
"""Findings of one kind, about different rows, from which they are told as one; rows named then."""
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
    'something uses them, and those that are to go although it does are named in "remove" ("os").'
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
    folded = _folded(findings)
    text = "\n".join(_line(finding) for finding in folded[:MOST_FINDINGS])
    if len(folded) > MOST_FINDINGS:
        text += f"\n- And {len(folded) - MOST_FINDINGS} more."
    if summariser is not None and len(text) > LONGEST_UNSUMMARISED:
        text = summariser.condense(text)
    if state is not None and stage.reply.listed is not None:
        wrong = [misread[name] for name in dict.fromkeys(f.where for f in findings) if name in misread]
        blamed = {finding.where for finding in findings if finding.where in state.pieces}
        in_part = blamed or wrong or any(finding.where in stage.reply.wholes for finding in findings)
        # Where pieces are asked for all at once, nothing else shows those that a finding means.
        if stage.batch is None and any(finding.blocks and not finding.where for finding in findings):
            in_part = False
        shown = state.only(blamed if in_part else set(state.pieces))
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


def _folded(findings: tuple[Finding, ...]) -> list[Finding]:
    """The findings, those that say the same of several rows as one."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        alike.setdefault((finding.where, _ROW.sub("row", finding.message)), []).append(finding)
    results = []
    for (_, message), same in alike.items():
        numbers = [match[1] for finding in same if (match := _ROW.search(finding.message))]
        if len(same) < FOLDED_FROM or len(numbers) < len(same):
            results += same
            continue
        rows = f"rows {', '.join(numbers[:MOST_ROWS])}"
        rows += f" and {len(numbers) - MOST_ROWS} more" if len(numbers) > MOST_ROWS else ""
        results.append(same[0].replace(message=re.sub(r"\brow\b", rows, message, count=1)))
    return results


_ROW = re.compile(r"\brow (\d+)")


def _line(finding: Finding) -> str:
    remark = "" if finding.blocks else "A remark, nothing that must be changed: "
    place = f"[{finding.where}] " if finding.where else ""
    message = finding.message.removeprefix(f"{finding.where}: ") if finding.where else finding.message
    if len(message) > LONGEST_FINDING:
        message = f"{message[:LONGEST_FINDING]} [...]"
    evidence = compact(_unsaid(finding))[:LONGEST_FINDING]
    shown = "" if evidence in ("null", "{}") else f" Evidence: {evidence}"
    return f"- {place}{remark}{message}{shown}"


def _unsaid(finding: Finding) -> JsonValue:
    """The evidence without what the message says already."""
    if not isinstance(finding.evidence, dict):
        return finding.evidence
    return {
        name: value
        for name, value in finding.evidence.items()
        if value not in ("", None, []) and not (isinstance(value, str) and value in finding.message)
    }
