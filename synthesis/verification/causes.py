"""Causes: one thing that is wrong is reported once, by the claim that meets it first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from synthesis.documents.environment import Environment
from synthesis.documents.finding import Finding
from synthesis.worlds.definitions import definition_spans, reached_names

_CORE = re.compile(r"\bthe invariant \w+|\b\w+(?:Error|Exception): .*?\(line \d+\)")
"""What an error says of its place, whoever ran into it."""
_VARYING = re.compile(r"\d[\d,.:T-]*|'[^']*'|\"[^\"]*\"|\u201c[^\u201d]*\u201d")
_LINE = re.compile(r"\(line (\d+)\)")
_NEED_A_SOUND_TASK = frozenset(
    {
        "tasks_change_what_they_say",
        "replays_come_to_the_same",
        "concurrent_calls_stay_apart",
        "idle_agents_complete_nothing",
        "right_words_alone_complete_nothing",
        "verifiers_look_at_the_world",
        "weak_agents_fail",
        "solutions_use_what_was_revealed",
        "no_shortcut_is_found",
    }
)
"""Claims that say nothing new of a task whose reference solution does not complete it."""
_FUNDAMENTAL = frozenset(
    {"idle_agents_complete_nothing", "right_words_alone_complete_nothing", "verifiers_look_at_the_world"}
)
"""Claims after which more holes of the same verifier say nothing new."""
_RUNS = frozenset({"reference_solutions_run", "reference_solutions_complete_their_tasks"})
_ABOUT_WRITES = frozenset(
    {
        "changes_fit_their_calls",
        "declared_invariants_hold",
        "reading_tools_change_nothing",
        "writing_tools_save",
    }
)
"""Claims after which it is no wonder that a verifier finds other rows than it demands."""
_MOST_NAMED = 4


class Causes:
    """What was found of one environment so far.

    Args:
        environment: It; for the helpers that its tools share, and the tools that its tasks need.
    """

    def __init__(self, environment: Environment) -> None:
        self._reached = reached_names(environment.tools.source)
        self._source = environment.tools.source
        self._needed = {
            task.id: [call.name for call in task.reference_solution] for task in environment.tasks.tasks
        }
        self._tools: dict[str, str] = {}
        """By tool: the claim that found it at fault."""
        self._broken: dict[str, str] = {}
        """By part: the claim that found it broken."""
        self._errors: dict[tuple[str, str], str] = {}
        """By what an error says and of whom, "" for anybody: the claim that found it."""
        self._warnings_by_text: dict[tuple[str, ...], str] = {}
        """By what a warning says: the claim that gave it first; it explains other warnings and no error."""
        self._errors_by_text: dict[tuple[str, ...], str] = {}
        """By what an error says, word for word: the claim that found it first."""
        self._tasks: dict[str, str] = {}
        """By task: the claim that found its reference solution or its verifier unfit for anything."""

    def untried(self, part: str, text: str) -> str:
        """The claim that found why a claim could not be tried; "" where none has."""
        return self._broken.get(part) or self._errors.get((text, ""), "")

    def settle(self, findings: Sequence[Finding]) -> tuple[list[Finding], str]:
        """What a claim found without what follows from earlier findings, one finding for each cause.

        Returns:
            The findings, errors first, and the claim that found the cause of an error that was
            left out; "" where none was.
        """
        explained = ""
        remaining: list[Finding] = []
        for finding in sorted(findings, key=lambda each: not each.blocks):
            earlier = self._earlier(finding) or self._same(finding)
            explained = explained or (earlier if finding.blocks else "")
            if not earlier:
                remaining.append(finding)
            if finding.check in _RUNS and finding.blocks:
                self._tasks.setdefault(_task(finding), earlier or finding.check)
        for finding in remaining:
            self._note(finding)
        has_lines = any(_LINE.search(finding.message) for finding in remaining)
        spans = definition_spans(self._source) if has_lines else {}
        return joined(remaining, self._reached, spans), explained

    def not_tried(self, claim: str, text: str) -> None:
        """Note that a claim could not be tried, for a reason that nobody has found before."""
        self._errors[(text, "")] = claim

    def _earlier(self, finding: Finding) -> str:
        task = self._tasks.get(finding.where, "")
        if task and (finding.check in _NEED_A_SOUND_TASK or finding.part == "verifiers"):
            return task
        if finding.check in _RUNS and (tool := self._tool_of(finding)):
            return self._tools[tool]
        core = _CORE.search(finding.message)
        if core is None:
            return ""
        return self._errors.get((core[0], "")) or self._errors.get((core[0], finding.where), "")

    def _same(self, finding: Finding) -> str:
        """The claim that found the same before; a warning is no reason to leave out an error."""
        known = self._errors_by_text if finding.blocks else {**self._warnings_by_text, **self._errors_by_text}
        earlier = next((known[key] for key in _texts(finding) if key in known), "")
        return earlier if earlier != finding.check else ""

    def _tool_of(self, finding: Finding) -> str:
        """A tool at fault that explains why a reference solution does not complete its task; "" for none."""
        if finding.part == "tools":
            return finding.where if finding.where in self._tools else ""
        failed = isinstance(finding.evidence, dict) and finding.evidence.get("error")
        if finding.part != "verifiers" or finding.check == "reference_solutions_run" or failed:
            return ""
        needed = self._needed.get(_task(finding), [])
        return next((name for name in needed if self._tools.get(name) in _ABOUT_WRITES), "")

    def _note(self, finding: Finding) -> None:
        known = self._errors_by_text if finding.blocks else self._warnings_by_text
        for key in _texts(finding):
            known.setdefault(key, finding.check)
        if not finding.blocks:
            return
        self._broken.setdefault(finding.part, finding.check)
        if finding.part == "tools" and finding.check not in _RUNS:
            self._tools.setdefault(finding.where, finding.check)
        if finding.check in _FUNDAMENTAL and finding.part == "verifiers":
            self._tasks.setdefault(finding.where, finding.check)
        if core := _CORE.search(finding.message):
            of_all = finding.part in ("seed_data", "invariants") or "(line" in core[0]
            self._errors.setdefault((core[0], "" if of_all else finding.where), finding.check)


def _texts(finding: Finding) -> list[tuple[str, ...]]:
    """What a finding says of its place: all of it, and the error that it quotes."""
    place = finding.part, finding.where
    core = _CORE.search(finding.message)
    return [(*place, finding.message), *([(*place, core[0])] if core is not None else [])]


def joined(
    findings: Sequence[Finding],
    reached: Mapping[str, Sequence[str]],
    spans: Mapping[str, range] = MappingProxyType({}),
) -> list[Finding]:
    """Findings that say the same of one place, or of tools that share a helper, as one.

    Args:
        findings: What a claim found.
        reached: By tool: the definitions that it reaches, the nearest first.
        spans: By definition: its lines.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_signature(finding), []).append(finding)
    results: list[Finding] = []
    for group in groups.values():
        places = list(dict.fromkeys(finding.where for finding in group))
        line = _LINE.search(group[0].message)
        within = [name for name, lines in spans.items() if line is not None and int(line[1]) in lines]
        helper = _shared(places, reached, within) if len(places) > 1 else ""
        if helper:
            results.append(_of_all(group[0], places, f" {helper}, which they share, may be the cause."))
        elif len(places) > 1 and _CORE.search(group[0].message) and "(line" in group[0].message:
            results.append(_of_all(group[0], places, ""))
        else:
            by_place = [[finding for finding in group if finding.where == place] for place in places]
            results += [_of_one(several) for several in by_place]
    return results


def _of_one(findings: Sequence[Finding]) -> Finding:
    more = len({finding.message for finding in findings}) - 1
    return findings[0] if not more else _with(findings[0], f" ({more} more like it.)")


def _of_all(first: Finding, places: Sequence[str], words: str) -> Finding:
    others = ", ".join(places[1 : 1 + _MOST_NAMED])
    left = len(places) - 1 - _MOST_NAMED
    more = f" and {left} more" if left > 0 else ""
    return _with(first, f" The same is true of {others}{more}.{words}")


def _with(finding: Finding, words: str) -> Finding:
    return finding.replace(message=f"{finding.message.rstrip()}{words}")


def _signature(finding: Finding) -> tuple[object, ...]:
    core = _CORE.search(finding.message)
    if core is not None and "(line" in core[0]:
        return finding.part, finding.severity, core[0]
    if finding.part == "tools" and finding.check in _RUNS:
        return finding.part, finding.severity, finding.where, ""
    named = rf"(?<!\w){re.escape(finding.where)}(?!\w)"
    text = re.sub(named, "\u00b7", finding.message) if finding.where else finding.message
    where = "" if finding.part == "tools" else finding.where
    return finding.part, finding.severity, where, _VARYING.sub("\u00b7", text)


def _shared(places: Sequence[str], reached: Mapping[str, Sequence[str]], within: Sequence[str]) -> str:
    """A helper that all of some tools reach: the one in which an error came up, where that is known, else the
    nearest of the first one; "" where there is none."""
    if not all(place in reached for place in places):
        return ""
    others = [set(reached[place]) for place in places[1:]]
    near = [name for name in reached[places[0]] if name.startswith("_") and name not in places]
    shared = [name for name in near if all(name in other for other in others)]
    return next((name for name in shared if not within or name in within), "")


def _task(finding: Finding) -> str:
    evidence = finding.evidence
    named = evidence.get("task") if isinstance(evidence, dict) else None
    return named if isinstance(named, str) else finding.where
