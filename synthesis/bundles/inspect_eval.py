"""inspect_eval: trajectories as logs of Inspect (`.eval`), one file per agent and model.

Inspect's own library writes them, because the format is its own and moves with it. It is large, so it is no
dependency: whoever wants these logs installs it.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC
from pathlib import Path
from types import ModuleType
from typing import Any

from synthesis.bundles.archive import write_folder, write_zip
from synthesis.bundles.conversation import (
    MALFORMED_ARGUMENTS,
    identity,
    judged_trajectories,
    messages_of,
    outcome,
    task_of,
)
from synthesis.documents.bundle import Bundle, JudgedTrajectory
from synthesis.documents.trajectory import Usage
from synthesis.errors import InvalidInput
from synthesis.rollouts.training_samples import scored

SCORER = "worldwright"
LIBRARY = "inspect_ai"
"""What writes these logs; whoever wants them installs it."""


class InspectEvalCodec:
    """Trajectories for Inspect's log viewer and everything that reads its logs."""

    name = "inspect_eval"
    title = "Inspect logs (.eval), one per agent and model (needs inspect_ai)"
    loss: tuple[str, ...] = (
        "the environment itself (schema, rows, tool code, verifiers), checks and reviews",
        "the rows each step changed and the state hashes",
        "verdicts after the first that was scored",
        "equal bytes: Inspect numbers messages at random",
    )
    reads = False
    suffix = ".zip"

    def write(self, bundle: Bundle, path: Path) -> Path:
        """Write a folder, or a zip when the path ends in .zip.

        Raises:
            InvalidInput: The bundle holds no trajectories, Inspect is not installed, or the path is taken or
                cannot be written.
        """
        episodes = judged_trajectories(bundle)
        files = {f"{agent}.eval": content for agent, content in eval_logs(bundle, episodes)}
        if path.suffix.lower() == ".zip":
            return write_zip(files, path, folder=bundle.environment.name)
        return write_folder(files, path)

    def read(self, path: Path) -> Bundle:
        """Refuses: a log does not hold its environment.

        Raises:
            InvalidInput: Always.
        """
        raise InvalidInput(f"{path}: {self.name} cannot be read back; keep the native bundle.")


def eval_logs(bundle: Bundle, episodes: Iterable[JudgedTrajectory]) -> Iterator[tuple[str, bytes]]:
    """One log per agent and model, by a name that files can have.

    Raises:
        InvalidInput: Inspect is not installed, or a trajectory belongs to another environment.
    """
    by_agent: dict[str, list[JudgedTrajectory]] = defaultdict(list)
    for judged in episodes:
        by_agent[_played_by(judged)].append(judged)
    inspect = require_inspect()
    with tempfile.TemporaryDirectory(prefix="worldwright-") as folder:
        for agent, played in sorted(by_agent.items()):
            path = Path(folder, "log.eval")
            inspect.log.write_eval_log(_log(inspect, bundle, agent, played), str(path), format="eval")
            yield re.sub(r"[^A-Za-z0-9._-]+", "-", agent), path.read_bytes()
            path.unlink()


def require_inspect() -> ModuleType:
    """Inspect's library.

    Raises:
        InvalidInput: It is not installed.
    """
    try:
        import inspect_ai
        import inspect_ai.log
        import inspect_ai.model
        import inspect_ai.scorer
        import inspect_ai.tool
    except ImportError as error:
        raise InvalidInput(
            "Inspect's logs are written by its own library, which is not installed: pip install inspect_ai"
        ) from error
    return inspect_ai  # type: ignore[no-any-return]


def _played_by(judged: JudgedTrajectory) -> str:
    trajectory = judged.trajectory
    return f"{trajectory.agent}-{trajectory.model}" if trajectory.model else trajectory.agent


def _log(inspect: Any, bundle: Bundle, agent: str, episodes: list[JudgedTrajectory]) -> Any:
    environment = bundle.environment
    # The log says when it was made; the world's own clock keeps equal bundles equal.
    created = environment.scenario.clock.replace(tzinfo=UTC).isoformat()
    ids: dict[str, int] = defaultdict(int)
    samples = []
    for judged in episodes:
        ids[judged.trajectory.task_id] += 1
        samples.append(_sample(inspect, bundle, judged, epoch=ids[judged.trajectory.task_id]))
    rewards = [verdict.reward for verdict in map(scored, episodes) if verdict is not None]
    log = inspect.log
    return log.EvalLog(
        status="success",
        eval=log.EvalSpec(
            created=created,
            task=environment.name,
            task_id=environment.fingerprint,
            dataset=log.EvalDataset(name=environment.name, samples=len(ids), sample_ids=sorted(ids)),
            model=agent,
            config=log.EvalConfig(epochs=max(ids.values())),
            metadata={"title": environment.scenario.title, "fingerprint": environment.fingerprint},
        ),
        results=log.EvalResults(
            total_samples=len(episodes),
            completed_samples=len(rewards),
            scores=[
                log.EvalScore(
                    name=SCORER,
                    scorer=SCORER,
                    scored_samples=len(rewards),
                    unscored_samples=len(episodes) - len(rewards),
                    metrics={"mean": log.EvalMetric(name="mean", value=sum(rewards) / len(rewards))}
                    if rewards
                    else {},
                )
            ],
        ),
        stats=log.EvalStats(started_at=created, completed_at=created),
        samples=samples,
    )


def _sample(inspect: Any, bundle: Bundle, judged: JudgedTrajectory, *, epoch: int) -> Any:
    task, verdict = task_of(bundle, judged), scored(judged)
    messages = [_message(inspect, message) for message in messages_of(bundle, judged)]
    replies = [message for message in messages if message.role == "assistant"]
    facts = {**identity(bundle, judged), **outcome(judged), "trajectory": judged.trajectory.fingerprint}
    model = _played_by(judged)
    output = inspect.model.ModelOutput(model=model)
    if replies:
        output = inspect.model.ModelOutput.from_message(replies[-1])
        output.model = model
    return inspect.log.EvalSample(
        id=task.id,
        epoch=epoch,
        input=task.instruction,
        target=task.reference_answer,
        messages=messages,
        output=output,
        scores={
            SCORER: inspect.scorer.Score(
                value=verdict.reward, answer=judged.trajectory.answer, explanation=verdict.explanation
            )
        }
        if verdict
        else {},
        metadata=facts,
        model_usage=_usage(inspect, judged),
        error=None,
    )


def _message(inspect: Any, message: dict[str, Any]) -> Any:
    model, content = inspect.model, message["content"] or ""
    match message["role"]:
        case "system":
            return model.ChatMessageSystem(content=content)
        case "user":
            return model.ChatMessageUser(content=content)
        case "tool":
            return model.ChatMessageTool(
                content=content, tool_call_id=message["tool_call_id"], function=message["name"]
            )
    calls = [_call(inspect, call) for call in message.get("tool_calls", ())]
    return model.ChatMessageAssistant(content=content, tool_calls=calls or None)


def _call(inspect: Any, call: dict[str, Any]) -> Any:
    function = call["function"]
    arguments = function["arguments"]
    wrong = "The arguments are not a JSON object." if arguments.keys() == {MALFORMED_ARGUMENTS} else None
    return inspect.tool.ToolCall(
        id=call["id"], function=function["name"], arguments=arguments, parse_error=wrong
    )


def _usage(inspect: Any, judged: JudgedTrajectory) -> dict[str, Any]:
    used = [step.usage for step in judged.trajectory.steps if step.usage is not None]
    if not used:
        return {}
    total: Usage = sum(used[1:], used[0])
    return {
        _played_by(judged): inspect.model.ModelUsage(
            input_tokens=total.input_tokens,
            output_tokens=total.output_tokens,
            total_tokens=total.input_tokens + total.output_tokens,
            input_tokens_cache_read=total.cached_tokens,
            total_cost=total.cost,
        )
    }
