"""Runs where verifiers is: evaluates a scripted model, then validates every task; prints the rewards as JSON.

The model plays every reference solution, two calls a turn where there are two, and once it says nothing.
"""

import importlib
import json
import os
import sys
import tempfile
from pathlib import Path

from scripted_endpoint import Endpoint, evaluated, started

EXAMPLES = Path(__file__).parents[3] / "examples"


def rewards(bundle, url, folder):
    given = ["verifiers_taskset", "--env.taskset.bundle", bundle]
    given += ["--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess"]
    places = os.pathsep.join([str(EXAMPLES), os.environ["PYTHONPATH"]])
    traces = evaluated(url, folder, *given, path=places)
    return {trace["task"]["data"]["id"]: trace["rewards"]["verdict"]["score"] for trace in traces}


def validated(bundle, folder):
    sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module("verifiers_taskset").main(bundle, folder)


def main(bundle, path):
    url = started(path)
    with tempfile.TemporaryDirectory() as folder:
        values = {"gold": rewards(bundle, url, f"{folder}/gold")}
        Endpoint.plays = False
        values |= {"no_op": rewards(bundle, url, f"{folder}/no_op")}
        print(json.dumps({**values, "validated": validated(bundle, folder)}))


main(*sys.argv[1:])
