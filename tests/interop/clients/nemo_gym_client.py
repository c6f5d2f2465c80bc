"""Runs where verifiers is: its own taskset for NeMo Gym, on `worldwright serve --nemo-gym` and exported rows.

Prints the rewards of a scripted model that plays every reference solution, and of one that does nothing.
"""

import json
import sys
import tempfile
from pathlib import Path

from scripted_endpoint import Endpoint, evaluated, started

SETTINGS = """
[env.taskset]
id = "nemo_gym"
dataset = "{rows}"
[env.taskset.task]
resources_url = "{url}"
[env.agent.harness]
id = "null"
[env.agent.runtime]
type = "subprocess"
"""


def main(url, rows, path):
    endpoint = started(path)
    values = {}
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.toml"
        settings.write_text(SETTINGS.format(rows=rows, url=url))
        for name, Endpoint.plays in (("gold", True), ("no_op", False)):
            traces = evaluated(endpoint, f"{folder}/{name}", "@", str(settings))
            values[name] = [trace["rewards"]["nemo_gym"]["score"] for trace in traces]
    print(json.dumps(values))


main(*sys.argv[1:])
