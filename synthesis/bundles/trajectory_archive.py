"""TrajectoryArchive: trajectories of many environments in one archive, dealt into splits, with a data card.

Lines are written as they come, so that memory holds the episodes of one call of `add`, a digest of each
trajectory and the counts, however many trajectories there are. Equal trajectories, added in the same order
with the same settings, give equal bytes (Inspect's own logs excepted, which its library writes).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import orjson

from synthesis.bundles.archive import pack_folder
from synthesis.bundles.atif import document as atif_document
from synthesis.bundles.chat_jsonl import chat_line, two_roles_line
from synthesis.bundles.conversation import has_malformed_arguments, identity, outcome
from synthesis.bundles.data_card import UNSPLIT, DataCard
from synthesis.bundles.dataset_card import dataset_head
from synthesis.bundles.inspect_eval import eval_logs, require_inspect
from synthesis.bundles.splits import SPLITS, Assignment, Split, SplitSettings
from synthesis.bundles.training_data import TrainingSamplesCodec, pair_line
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.environment import Environment
from synthesis.errors import UnknownName
from synthesis.rollouts.history import make_history
from synthesis.rollouts.preferences import preference_pairs

Format = Literal[
    "chat_jsonl", "chat_two_roles", "training_samples", "preference_pairs", "atif", "inspect_eval"
]
FORMATS: dict[Format, str] = {
    "chat_jsonl": "Chat conversations with tools and rewards, one per line (TRL, ms-swift)",
    "chat_two_roles": "The same for models without tool messages, tools and calls as text (Gemma, Cohere)",
    "training_samples": "Training samples, one per turn with its history and loss mask",
    "preference_pairs": "Preference pairs, a better and a worse try at one task (TRL DPO)",
    "atif": "ATIF 1.8, one file each (Harbor)",
    "inspect_eval": "Inspect logs (.eval), needs inspect_ai",
}
"""Every format with what it is."""

TRAINING: frozenset[Format] = frozenset(
    {"chat_jsonl", "chat_two_roles", "training_samples", "preference_pairs"}
)
"""Formats for training: what says nothing about the agent is left out of them."""

REPEATED = "Duplicate of another exported trajectory."

Entries = Iterable[tuple[str, bytes]]


class TrajectoryArchive:
    """The archive while it grows.

    Args:
        folder: An empty scratch folder on the disk where the archive's content is put together.
        format: One of `FORMATS`.
        splits: Shares and seed of the splits.
        history: For training samples: what of a conversation a turn is shown, "" for what was recorded.
        reasoning: For chat lines and training samples: whether they hold what models thought.

    Raises:
        UnknownName: There is no such format or history.
        InvalidInput: The shares do not make 100 percent, or Inspect's library is needed and missing.
    """

    def __init__(
        self,
        folder: Path,
        format: str,
        *,
        splits: SplitSettings | None = None,
        history: str = "",
        reasoning: bool = True,
    ) -> None:
        require_format(format)
        self._settings = splits or SplitSettings()
        self._settings.shares()
        self._folder, self.format, self._history = folder, format, history
        self._reasoning = reasoning
        self._samples = TrainingSamplesCodec(make_history(history) if history else None, reasoning=reasoning)
        if format == "inspect_eval":
            require_inspect()
        self._seen: set[bytes] = set()
        self._assigned: dict[str, Assignment] = {}
        self._fingerprints: dict[str, str] = {}
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._lines: Counter[str] = Counter()
        self._places: Counter[str] = Counter()
        self.repeated = 0
        """Trajectories that were in it already."""

    @property
    def held(self) -> int:
        """Trajectories in it."""
        return sum(self._counts["split"].values())

    def place(self, environment: str, fingerprint: str, assigned: Assignment) -> None:
        """Say which split an environment belongs to; to be called before its trajectories are added.

        Args:
            environment: Its name.
            fingerprint: By which it was assigned, the same for all its revisions.
            assigned: Its split.
        """
        self._assigned[environment] = assigned
        self._fingerprints[environment] = fingerprint

    def add(self, environment: Environment, episodes: Sequence[JudgedTrajectory]) -> None:
        """Write trajectories of one environment; for preference pairs all episodes of a task belong together.

        Raises:
            InvalidInput: One belongs to another environment.
        """
        bundle = Bundle(environment=environment)
        split = self._assigned[environment.name].split
        fresh = [judged for judged in episodes if self._is_new(judged)]
        for judged in fresh:
            facts = {**identity(bundle, judged), **outcome(judged), "split": split}
            self._counts["trainable"][str(bool(facts["trainable"]))] += 1
            self._counts["malformed_arguments"][str(has_malformed_arguments(judged))] += 1
            for key in ("label", "environment", "kind", "difficulty", "split", "agent"):
                self._counts[key][str(facts[key] or UNSPLIT)] += 1
        if fresh:
            self._write(split, bundle, fresh)

    def finish(self, path: Path, *, details: Mapping[str, Any]) -> dict[str, Any]:
        """Write the card and pack the archive.

        Args:
            path: Of the archive.
            details: What else the card says: how it was chosen, what was left out and why.

        Returns:
            The card.

        Raises:
            InvalidInput: The path cannot be written.
        """
        title = f"Trajectories as {self.format}"
        card = self._card()
        splits = [
            {"environment": name, "fingerprint": self._fingerprints[name], **one.model_dump(mode="json")}
            for name, one in sorted(self._assigned.items())
            if name in card.environments
        ]
        document = {
            "title": title,
            "format": self.format,
            "history": self._history,
            "reasoning": self._reasoning,
            "lines": dict(sorted(self._lines.items())),
            **card.model_dump(mode="json"),
            "environments_by_split": _in_order(Counter(each["split"] for each in splits)),
            "moved": [each for each in splits if each["moved"]],
            "split_settings": self._settings.model_dump(mode="json"),
            "repeated": self.repeated,
            **details,
        }
        self._put("data_card.json", _json(document, orjson.OPT_INDENT_2))
        self._put("splits.jsonl", b"".join(_json(each) for each in splits))
        head = dataset_head(
            self.format if self.format in TRAINING else "files",
            {split: self._data_file(split) for split, count in self._lines.items() if count},
        )
        text = card.text(title, document["lines"]) + _moved_text(document)
        self._put("README.md", (head + text).encode())
        pack_folder(self._folder, path, folder=f"trajectories-{self.format}")
        return document

    def _is_new(self, judged: JudgedTrajectory) -> bool:
        digest = bytes.fromhex(judged.trajectory.fingerprint)
        if digest in self._seen:
            self.repeated += 1
            return False
        self._seen.add(digest)
        return True

    def _write(self, split: Split, bundle: Bundle, episodes: Sequence[JudgedTrajectory]) -> None:
        if self.format not in TRAINING:
            for name, content in _FILES[self.format](bundle, episodes):
                self._places[f"{split}/{name}"] += 1
                place = f"data/{split}/{_numbered(name, self._places[f'{split}/{name}'])}"
                self._put(place, content)
                self._append(split, [{"file": place, "environment": bundle.environment.name, "split": split}])
            return
        self._append(split, ({**line, "split": split} for line in self._training_lines(bundle, episodes)))

    def _data_file(self, split: str) -> str:
        """The lines of a split; of formats that are no lines, one for each of its files."""
        return f"data/{split}.jsonl" if self.format in TRAINING else f"files/{split}.jsonl"

    def _append(self, split: Split, lines: Iterable[Mapping[str, Any]]) -> None:
        with self._opened(self._data_file(split)).open("ab") as file:
            for line in lines:
                file.write(_json(line))
                self._lines[split] += 1

    def _training_lines(
        self, bundle: Bundle, episodes: Sequence[JudgedTrajectory]
    ) -> Iterator[dict[str, Any]]:
        match self.format:
            case "chat_jsonl":
                yield from (chat_line(bundle, judged, reasoning=self._reasoning) for judged in episodes)
            case "chat_two_roles":
                yield from (two_roles_line(bundle, judged) for judged in episodes)
            case "training_samples":
                for judged in episodes:
                    yield from self._samples.lines(bundle, judged)
            case _:
                yield from (pair_line(bundle, pair) for pair in preference_pairs(episodes))

    def _opened(self, name: str) -> Path:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _put(self, name: str, content: bytes) -> None:
        self._opened(name).write_bytes(content)

    def _card(self) -> DataCard:
        counts = {key: dict(sorted(results.items())) for key, results in self._counts.items()}
        return DataCard(
            trajectories=self.held,
            trainable=self._counts["trainable"]["True"],
            labels=counts.get("label", {}),
            environments=counts.get("environment", {}),
            kinds=counts.get("kind", {}),
            difficulties=counts.get("difficulty", {}),
            splits=_in_order(self._counts["split"]),
            agents=counts.get("agent", {}),
            mixed_environments={},
            malformed_arguments=self._counts["malformed_arguments"]["True"],
        )


def require_format(name: str) -> None:
    """Pass when there is such a format.

    Raises:
        UnknownName: There is none.
    """
    if name not in get_args(Format):
        raise UnknownName("format", name, [*FORMATS])


def _atif_files(bundle: Bundle, episodes: Sequence[JudgedTrajectory]) -> Entries:
    for judged in episodes:
        name = f"{bundle.environment.name}/{judged.trajectory.task_id}.json"
        yield name, orjson.dumps(atif_document(bundle, judged))


def _eval_files(bundle: Bundle, episodes: Sequence[JudgedTrajectory]) -> Entries:
    for agent, content in eval_logs(bundle, episodes):
        yield f"{bundle.environment.name}/{agent}.eval", content


_FILES: dict[str, Callable[[Bundle, Sequence[JudgedTrajectory]], Entries]] = {
    "atif": _atif_files,
    "inspect_eval": _eval_files,
}


def _numbered(name: str, number: int) -> str:
    stem, _, suffix = name.rpartition(".")
    return f"{stem}-{number:05d}.{suffix}"


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    return {split: counts[split] for split in SPLITS if counts.get(split)}


def _moved_text(document: Mapping[str, Any]) -> str:
    parts = []
    if left := document.get("left_out"):
        rows = "\n".join(f"| {each['why']} | {each['count']} |" for each in left)
        parts.append(f"## Left out\n\n| why | count |\n|---|---|\n{rows}")
    if moved := document["moved"]:
        rows = "\n".join(
            f"| {each['environment']} | {each['split']} | "
            f"{', '.join(f'{count} of {split}' for split, count in each['moved'].items())} |"
            for each in moved
        )
        parts.append(
            "## Tasks that moved with their environment\n\nAll trajectories of an environment are in one "
            "split.\n\n"
            f"| environment | went to | tasks that named another split |\n|---|---|---|\n{rows}"
        )
    return "".join(f"\n{part}\n" for part in parts)


def _json(value: Mapping[str, Any], option: int = 0) -> bytes:
    return orjson.dumps(value, option=option | orjson.OPT_APPEND_NEWLINE)
