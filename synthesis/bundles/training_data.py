"""Training data: turns with a loss mask, and preference pairs, as JSON lines by split with a data card.

Hugging Face `datasets` loads the folder by its path; README.md is the card for people, data_card.json the
same for programs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from synthesis.bundles.archive import write_folder, write_zip
from synthesis.bundles.conversation import (
    chat_message,
    function_of,
    functions_of,
    identity,
    judged_trajectories,
    messages_of,
    opening,
    outcome,
    replies,
    task_of,
)
from synthesis.bundles.data_card import UNSPLIT, data_card
from synthesis.bundles.dataset_card import dataset_head
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.errors import InvalidInput
from synthesis.rollouts.history import History, SlidingWindow
from synthesis.rollouts.preferences import MOST_PER_TASK, PreferencePair, preference_pairs
from synthesis.rollouts.training_samples import TrainingSample, recorded_samples, scored, training_samples

_LOSS = (
    "the environment itself (schema, rows, tool code, verifiers), checks and reviews",
    "the rows each step changed and the state hashes",
    "verdicts after the first that was scored",
    "trajectories that say nothing about the agent (environment and infrastructure errors, unscored)",
)


class TrainingSamplesCodec:
    """One line per turn: what the agent was shown and its reply, with the loss on the reply.

    Args:
        history: What of a conversation a turn is shown. By default what it was shown when it played, and
            AWM's window of 3 for trajectories that recorded nothing.
        reasoning: Whether messages hold what the model thought, as `reasoning_content`.
    """

    name = "training_samples"
    title = "Training samples, one per turn with its history window and loss mask (JSON lines, data card)"
    loss: tuple[str, ...] = (*_LOSS, "exchanges outside the history window of a turn")
    reads = False
    suffix = ".zip"

    def __init__(self, history: History | None = None, *, reasoning: bool = True) -> None:
        self._history, self._reasoning = history, reasoning

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write a folder, or a zip when the path ends in .zip.

        Raises:
            InvalidInput: The bundle holds no trajectories, or the path is taken or cannot be written.
        """
        lines = (line for judged in judged_trajectories(bundle) for line in self.lines(bundle, judged))
        return _write(bundle, path, f"Training samples of {bundle.environment.name}", lines, format=self.name)

    def read(self, path: Path) -> Bundle:
        """Refuses: samples do not hold their environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")

    def lines(self, bundle: Bundle, judged: JudgedTrajectory) -> Iterable[dict[str, Any]]:
        """One line per turn of a trajectory; none when it is not for training.

        Raises:
            InvalidInput: The trajectory belongs to another environment.
        """
        fingerprint = judged.trajectory.fingerprint
        history, samples = self._samples(bundle, judged)
        for sample in samples:
            yield {
                "id": f"{fingerprint}:{sample.turn}",
                "trajectory": fingerprint,
                **identity(bundle, judged),
                **outcome(judged),
                "history": history,
                "turn": sample.turn,
                "turns": sample.turns,
                "messages": sample.messages,
                "loss_mask": sample.loss_mask,
                "tools": functions_of(bundle.environment, judged, sample.offered),
                **({"sampled": sample.sampled.model_dump(mode="json")} if sample.sampled else {}),
            }

    def _samples(self, bundle: Bundle, judged: JudgedTrajectory) -> tuple[str, list[TrainingSample]]:
        """The name of the history policy, and the samples."""
        recorded = judged.trajectory.conversation
        if recorded is not None and self._history is None:
            recorded = recorded if self._reasoning else recorded.without_reasoning()
            samples = recorded_samples(
                judged,
                recorded,
                lambda message: chat_message(message, recorded, reasoning=self._reasoning),
            )
            return recorded.history, samples
        history: History = self._history or SlidingWindow()
        messages = messages_of(bundle, judged, reasoning=self._reasoning)
        return history.name, training_samples(judged, messages, history=history)


class PreferencePairsCodec:
    """One line per pair of episodes of one task: the one that earned more, and the one that earned less.

    Args:
        most_per_task: Pairs of one task.
        least_margin: Rewards must differ by more than this.
    """

    name = "preference_pairs"
    title = "Preference pairs of episodes of one task, chosen and rejected (TRL DPO; JSON lines, data card)"
    loss: tuple[str, ...] = (*_LOSS, "episodes with no better or worse one of their task")
    reads = False
    suffix = ".zip"

    def __init__(self, *, most_per_task: int = MOST_PER_TASK, least_margin: float = 0.0) -> None:
        self._most, self._least_margin = most_per_task, least_margin

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write a folder, or a zip when the path ends in .zip; without pairs, its card says so.

        Raises:
            InvalidInput: The bundle holds no trajectories, or the path is taken or cannot be written.
        """
        pairs = preference_pairs(
            judged_trajectories(bundle), most_per_task=self._most, least_margin=self._least_margin
        )
        lines = (pair_line(bundle, pair) for pair in pairs)
        return _write(bundle, path, f"Preference pairs of {bundle.environment.name}", lines, format=self.name)

    def read(self, path: Path) -> Bundle:
        """Refuses: pairs do not hold their environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")


def pair_line(bundle: Bundle, pair: PreferencePair) -> dict[str, Any]:
    """One pair: the prompt, both continuations and what each earned."""
    facts = identity(bundle, pair.chosen)
    sides = {"chosen": pair.chosen, "rejected": pair.rejected}
    line: dict[str, Any] = {
        "id": f"{pair.chosen.trajectory.fingerprint}:{pair.rejected.trajectory.fingerprint}",
        **{key: value for key, value in facts.items() if key not in ("agent", "model", "seed")},
        "margin": pair.margin,
        **_compared(bundle, pair),
    }
    for side, judged in sides.items():
        verdict = scored(judged)
        assert verdict is not None
        line[f"{side}_reward"], line[f"{side}_label"] = verdict.reward, verdict.label
        line[f"{side}_agent"], line[f"{side}_seed"] = judged.trajectory.agent, judged.trajectory.seed
    return line


def _compared(bundle: Bundle, pair: PreferencePair) -> dict[str, Any]:
    """Prompt, tools and the two continuations: as recorded where both episodes got and were offered the same,
    else as they follow from their steps."""
    environment = bundle.environment
    (prompt, chosen), (messages, rejected) = (
        _split(messages_of(bundle, judged)) for judged in (pair.chosen, pair.rejected)
    )
    tools = functions_of(environment, pair.chosen)
    if prompt == messages and tools == functions_of(environment, pair.rejected):
        return {"prompt": prompt, "chosen": chosen, "rejected": rejected, "tools": tools}
    return {
        "prompt": opening(environment, task_of(bundle, pair.chosen)),
        "chosen": replies(pair.chosen),
        "rejected": replies(pair.rejected),
        "tools": [function_of(tool) for tool in environment.tools.tools],
    }


def _split(messages: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What comes before the first reply, and the rest."""
    replied = [message["role"] == "assistant" for message in messages]
    place = replied.index(True) if any(replied) else len(messages)
    return messages[:place], messages[place:]


def _write(bundle: Bundle, path: Path, title: str, lines: Iterable[dict[str, Any]], *, format: str) -> Path:
    by_split: dict[str, list[bytes]] = defaultdict(list)
    for line in lines:
        by_split[str(line["split"] or UNSPLIT)].append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
    counts = {split: len(contents) for split, contents in sorted(by_split.items())}
    card = data_card([bundle])
    details = {"title": title, "lines": counts, **card.model_dump(mode="json")}
    data = {split: f"data/{split}.jsonl" for split in by_split}
    files = {
        **{f"data/{split}.jsonl": b"".join(results) for split, results in by_split.items()},
        "data_card.json": orjson.dumps(details, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        "README.md": (dataset_head(format, data) + card.text(title, counts)).encode(),
    }
    if path.suffix.lower() == ".zip":
        return write_zip(files, path, folder=bundle.environment.name)
    return write_folder(files, path)
