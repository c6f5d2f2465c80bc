"""Runs in Inspect's environment: evaluates a scripted model on a bundle and prints the scores as JSON.

The model plays every reference solution, then says nothing.
"""

import json
import sys
import tempfile
from pathlib import Path

import tiktoken
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, get_model

from synthesis.adapters.inspect_ai import worldwright_task


class Letters:
    """Inspect counts tokens with an encoding that tiktoken would download."""

    def encode(self, text, **_):
        return list(text.encode())


tiktoken.get_encoding = lambda _name: Letters()
tiktoken.encoding_for_model = lambda _name: Letters()


def scripted(tasks, plays):
    """A model that knows each task by its instruction."""

    def output(messages, *_):
        task = next(
            task for task in tasks if any(task["instruction"] in message.text for message in messages)
        )
        step = sum(message.role == "assistant" for message in messages)
        calls = task["calls"] if plays else []
        if step < len(calls):
            return ModelOutput.for_tool_call("mockllm/model", calls[step]["name"], calls[step]["arguments"])
        return ModelOutput.from_content("mockllm/model", task["answer"] if plays else "")

    return get_model("mockllm/model", custom_outputs=output)


def scores(bundle, tasks, plays, folder):
    (log,) = evaluate(
        worldwright_task(bundle), model=scripted(tasks, plays), display="none", log_dir=folder, max_samples=4
    )
    assert log.status == "success", log.error
    return {sample.id: sample.scores["verdicts"].value for sample in log.samples}


def main(bundle, path):
    tasks = json.loads(Path(path).read_text())
    with tempfile.TemporaryDirectory() as folder:
        values = {"gold": scores(bundle, tasks, True, folder), "no_op": scores(bundle, tasks, False, folder)}
    print(json.dumps(values))


main(*sys.argv[1:])
