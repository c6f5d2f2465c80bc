"""Runs where transformers is: reads the tools the way TRL does, plays, and prints what came of it as JSON."""

import inspect
import json
import sys
from pathlib import Path

from transformers.utils import get_json_schema

from synthesis.adapters.trl import environment_factory, reward


def tools_of(environment):
    names = [name for name, _ in inspect.getmembers(type(environment), predicate=inspect.isfunction)]
    return [
        getattr(environment, name)
        for name in names
        if name not in ("reset", "get_reward") and not name.startswith("_")
    ]


def main(bundle, path):
    environment = environment_factory(bundle)()
    tools = {tool.__name__: tool for tool in tools_of(environment)}
    scores = {"gold": {}, "no_op": {}}
    for task in json.loads(Path(path).read_text()):
        for name, calls, answer in (("gold", task["calls"], task["answer"]), ("no_op", [], "")):
            environment.reset(prompt=[], task_id=task["id"])
            for call in calls:
                tools[call["name"]](**call["arguments"])
            completion = [{"role": "assistant", "content": answer}]
            (scores[name][task["id"]],) = reward([completion], [environment], prompts=[])
    print(json.dumps({"schemas": [get_json_schema(tool) for tool in tools.values()], **scores}))


main(*sys.argv[1:])
