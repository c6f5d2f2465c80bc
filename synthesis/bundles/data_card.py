"""DataCard: what a set of training data was made of, and whether its splits are clean."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from synthesis.bundles.conversation import MALFORMED_ARGUMENTS, has_malformed_arguments, identity, outcome
from synthesis.documents.bundle import Bundle
from synthesis.documents.document import Document
from synthesis.errors import InvalidInput

_BAR = 20
"""Characters of the longest bar."""
UNSPLIT = "unsplit"
"""The split of tasks that are in none."""


class DataCard(Document):
    """Counts of the trajectories behind some data."""

    trajectories: int
    trainable: int
    """Those whose outcome says something about the agent; the others are left out of training data."""
    labels: dict[str, int]
    environments: dict[str, int]
    kinds: dict[str, int]
    difficulties: dict[str, int]
    splits: dict[str, int]
    agents: dict[str, int]
    mixed_environments: dict[str, tuple[str, ...]]
    """Environments that stand in several splits, with these; a score on them measures memory."""
    malformed_arguments: int = 0
    """Trajectories with a call whose arguments were no JSON object; they stand as text in an object."""

    def text(self, title: str, lines: Mapping[str, int]) -> str:
        """The card as Markdown, for people.

        Args:
            title: What the data is.
            lines: How many lines of it there are by split.
        """
        parts = [f"# {title}", f"{self.trajectories} trajectories, {self.trainable} of them for training."]
        details = {
            "Lines by split": lines,
            "Trajectories by label": self.labels,
            "By environment": self.environments,
            "By task kind": self.kinds,
            "By difficulty": self.difficulties,
            "By split": self.splits,
            "By agent": self.agents,
        }
        parts += [counted(heading, counts) for heading, counts in details.items()]
        if self.malformed_arguments:
            parts.append(
                "## Malformed calls\n\nTrajectories with a call whose arguments were no JSON object, which "
                f"is a format violation: {self.malformed_arguments}. So that every row can be parsed, such "
                f'arguments are `{{"{MALFORMED_ARGUMENTS}": "..."}}` with the text as it was written. Leave '
                "these calls out of what a model imitates, or put the text back where each token is trained "
                "with its reward."
            )
        if self.mixed_environments:
            parts.append(f"Warning: {_mixed_text(self.mixed_environments)}")
        return "\n\n".join(parts) + "\n"


def counted(heading: str, counts: Mapping[str, int]) -> str:
    """Counts as a section of Markdown: a table in which bars are as long as the counts."""
    most = max(counts.values(), default=0)
    rows = "\n".join(
        f"| {name} | {count} | {'█' * round(_BAR * count / most) if most else ''} |"
        for name, count in counts.items()
    )
    return f"## {heading}\n\n| name | count | |\n|---|---|---|\n{rows}".rstrip()


def data_card(bundles: Iterable[Bundle]) -> DataCard:
    """Counts over all trajectories of some bundles.

    Raises:
        InvalidInput: A trajectory is of a task its environment lacks.
    """
    results = list(bundles)
    facts = [{**identity(b, j), **outcome(j)} for b in results for j in b.trajectories]
    return DataCard(
        trajectories=len(facts),
        trainable=sum(bool(fact["trainable"]) for fact in facts),
        labels=_counts(facts, "label"),
        environments=_counts(facts, "environment"),
        kinds=_counts(facts, "kind"),
        difficulties=_counts(facts, "difficulty"),
        splits=_counts(facts, "split"),
        agents=_counts(facts, "agent"),
        mixed_environments=mixed_environments(results),
        malformed_arguments=sum(has_malformed_arguments(j) for b in results for j in b.trajectories),
    )


def mixed_environments(bundles: Iterable[Bundle]) -> dict[str, tuple[str, ...]]:
    """Environments whose trajectories stand in several splits, by name.

    Bundles of one environment's name or content are one environment, whichever revision they hold.
    """
    names: dict[str, str] = {}
    splits: dict[str, set[str]] = defaultdict(set)
    for bundle in bundles:
        environment = bundle.environment
        name = names.setdefault(environment.fingerprint, environment.name)
        for judged in bundle.trajectories:
            splits[name].add(str(identity(bundle, judged)["split"] or UNSPLIT))
    return {name: tuple(sorted(texts)) for name, texts in sorted(splits.items()) if len(texts) > 1}


def require_clean_splits(bundles: Iterable[Bundle]) -> None:
    """Pass when no environment is in two splits.

    Raises:
        InvalidInput: One does; the text names it.
    """
    if mixed := mixed_environments(bundles):
        raise InvalidInput(f"{_mixed_text(mixed)} Give all tasks of an environment the same split.")


def _mixed_text(mixed: Mapping[str, tuple[str, ...]]) -> str:
    message = "; ".join(f"{name} ({', '.join(splits)})" for name, splits in mixed.items())
    return f"environments that are in several splits: {message}."


def _counts(facts: list[dict[str, Any]], key: str) -> dict[str, int]:
    return dict(sorted(Counter(str(fact[key] or UNSPLIT) for fact in facts).items()))
