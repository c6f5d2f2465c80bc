"""Suite `answers`: how often right answers are taken and wrong ones are not, by kind of wording.

The tasks in tests/data/answers come from environments of every origin (the golden clinic, public schemas,
procedural ones). Each is answered by three banks of phrases that were written apart: the development bank
(`synthesis.verification.wordings`), which the reader may be tuned on, the test bank, whose figures count, and
`phrasings.json`.
The phrasings of `phrasings.json` were written without a look at the reader's word lists; on first sight of
them it took 0.944 of the right answers and 0.157 of the wrong ones, before it was widened.
`replies.jsonl` holds replies as language models word them, with their labels. `blind.jsonl` holds two sets of
answers that were worded for their tasks one by one; the reader was widened on one half of their tasks, whose
figures stand apart from those of the half that nobody looked at.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.answers_bank import TestBank
from benchmarks.answers_phrasings import PhrasingBank
from benchmarks.machine import machine
from synthesis.documents.tasks import Task
from synthesis.reading.document import ParsedText
from synthesis.reading.effects import Effects, effects_from
from synthesis.reading.judgement import AnswerReading, judge_answer
from synthesis.reading.mismatched_forms import currency_of
from synthesis.reading.observations import Observations
from synthesis.verification.wordings.development import DevelopmentBank
from synthesis.verification.wordings.making import wordings
from synthesis.verification.wordings.wording import Wording

DATA = Path(__file__).parent.parent / "tests" / "data" / "answers"
PER_TASK = 40
QUICK_EVERY = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """A task of an environment, with other values of its facts' columns."""

    environment: str
    task: Task
    others: Mapping[str, tuple[str, ...]]
    effects: Effects | None = None
    """What a right end consists of, where the file tells it."""
    observed: Observations | None = None
    """What the reference solution's calls showed, where the file tells it."""
    currency: str = ""
    """In which the texts of its world tell amounts, where they are known."""


@dataclass(slots=True)
class Tally:
    """How often answers of one kind were taken as right."""

    answers: int = 0
    accepted: int = 0
    unclear: int = 0

    def count(self, reading: AnswerReading) -> None:
        """Take in one reading."""
        self.answers += 1
        self.accepted += reading.right
        self.unclear += bool(reading.unclear)


def main(arguments: argparse.Namespace) -> dict[str, Any]:
    """The suite as `python -m benchmarks answers` runs it; `--quick` takes every sixth task."""
    every = QUICK_EVERY if arguments.quick else 1
    return run(every=every)


def run(*, every: int = 1) -> dict[str, Any]:
    """Judge both halves; the figures at the top are those of the test half."""
    asked = list(subjects())[::every]
    development = half(asked, DevelopmentBank())
    test = half(asked, TestBank())
    phrasings = half(asked, PhrasingBank())
    by_hand = {name: worded_by_hand(name, kind) for name, kind in BY_HAND.items()}
    replied = replies({(one.environment, one.task.id): one for one in subjects()})
    return {
        "suite": "answers",
        "machine": machine(),
        "environments": len({one.environment for one in asked}),
        "tasks": len(asked),
        "answers": sum(one["answers"] for one in (development, test, phrasings, replied, *by_hand.values())),
        **{name: test[name] for name in ("right_accepted", "wrong_accepted", "unclear", "ms_per_answer")},
        "test": test,
        "development": development,
        "phrasings": phrasings,
        "replies": replied,
        **by_hand,
    }


def subjects(name: str = "subjects") -> Iterator[Asked]:
    """The tasks of a file, in its order."""
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            others = {name: tuple(values) for name, values in row["others"].items()}
            task = {"difficulty": "medium", "min_calls": 0, "reference_solution": [], **row["task"]}
            effects = effects_from(row["effects"]) if "effects" in row else None
            shown = row.get("observed")
            changes = row.get("changes")
            touched = None if changes is None else [(each["table"], _key(each["key"])) for each in changes]
            written: list[Any] = [({}, each["after"]) for each in changes or () if each.get("after")]
            observed = Observations(shown["texts"], shown["values"], touched, written) if shown else None
            currency = currency_of(ParsedText("\n".join(shown["texts"]))) if shown else ""
            yield Asked(row["environment"], Task.model_validate(task), others, effects, observed, currency)


def _key(key: Any) -> Any:
    """A row's key as JSON has it: one of several columns is a list there."""
    return tuple(key) if isinstance(key, list) else key


def half(asked: Iterable[Asked], bank: Any) -> dict[str, Any]:
    """Judge the wordings of one bank."""
    worded = [
        (one, wording)
        for one in asked
        for wording in wordings(one.task, others=one.others, bank=bank, count=PER_TASK, currency=one.currency)
    ]
    return _judged(worded)


def replies(asked: Mapping[tuple[str, str], Asked]) -> dict[str, Any]:
    """Judge the replies that were written as language models write them."""
    worded = []
    for line in (DATA / "replies.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wording = Wording(kind=row["kind"], text=row["text"], right=row["right"])
        worded.append((asked[row["environment"], row["task"]], wording))
    return _judged(worded)


def worded_by_hand(name: str, kind: Callable[[Mapping[str, Any]], str]) -> dict[str, Any]:
    """Judge answers that were worded task by task.

    Args:
        name: Of the file of answers; that of their tasks has the same beginning.
        kind: What an answer is listed under.
    """
    asked = {(one.environment, one.task.id): one for one in subjects(f"{name}_tasks")}
    worded = []
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wording = Wording(kind=kind(row), text=row["text"], right=row["right"])
        worded.append((asked[row["environment"], row["task"]], wording))
    return _judged(worded)


def _half(row: Mapping[str, Any]) -> str:
    """The half of a task, by its name alone."""
    mark = hashlib.sha256(f"{row['environment']}/{row['task']}".encode()).hexdigest()
    return "looked at" if int(mark, 16) % 2 else "unseen"


def _environment(row: Mapping[str, Any]) -> str:
    return str(row["environment"])


def _kind(row: Mapping[str, Any]) -> str:
    return str(row["kind"])


BY_HAND: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "blind": _half,
    "composed": _environment,
    **dict.fromkeys(("fresh", "unseen", "latest", "novel", "last", "varied", "apart", "afresh"), _kind),
    "written": _environment,
    **dict.fromkeys(("authored", "played", "untried", "reserved", "invented", "withheld"), _kind),
}
"""Files of answers that were worded task by task, and what each lists an answer under; see their README."""


def judged(one: Asked, text: str) -> AnswerReading:
    """An answer to a task whose end state is right."""
    commits = one.task.kind == "read"
    return judge_answer(
        text,
        facts=one.task.answer_facts,
        blocking=one.task.blocking,
        expects_refusal=one.task.kind == "refuse",
        changed=one.task.kind in ("write", "mixed"),
        commits=commits,
        instruction=one.task.instruction,
        reference=one.task.reference_answer,
        others=one.others,
        effects=one.effects,
        observed=one.observed,
    )


def _judged(worded: list[tuple[Asked, Wording]]) -> dict[str, Any]:
    kinds: dict[tuple[bool, str], Tally] = defaultdict(Tally)
    begun = time.process_time()
    for one, wording in worded:
        kinds[wording.right, wording.kind].count(judged(one, wording.text))
    seconds = time.process_time() - begun
    right, wrong = _sum(kinds, right=True), _sum(kinds, right=False)
    return {
        "answers": len(worded),
        "right": right.answers,
        "wrong": wrong.answers,
        "right_accepted": _share(right.accepted, right.answers),
        "wrong_accepted": _share(wrong.accepted, wrong.answers),
        "unclear": _share(right.unclear + wrong.unclear, len(worded)),
        "ms_per_answer": round(1_000 * seconds / max(1, len(worded)), 3),
        "kinds": {
            f"{'right' if is_right else 'wrong'}: {kind}": {
                "answers": tally.answers,
                "accepted": tally.accepted,
                "unclear": tally.unclear,
            }
            for (is_right, kind), tally in sorted(kinds.items())
        },
    }


def _sum(kinds: Mapping[tuple[bool, str], Tally], *, right: bool) -> Tally:
    chosen = [tally for (is_right, _), tally in kinds.items() if is_right is right]
    return Tally(
        *(sum(getattr(each, name) for each in chosen) for name in ("answers", "accepted", "unclear"))
    )


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 4)
