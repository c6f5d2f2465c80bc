"""Runs where harbor is: reads every task folder as Harbor does and prints what it found as JSON."""

import json
import sys
from pathlib import Path

from harbor.models.task.task import Task


def main(folder):
    found = {}
    for path in sorted(Path(folder).iterdir()):
        task = Task(path)
        servers = [[server.name, server.transport] for server in task.config.environment.mcp_servers]
        found[task.config.metadata["task"]] = {
            "valid": Task.is_valid_dir(path),
            "instruction": task.instruction,
            "servers": servers,
        }
    print(json.dumps(found))


main(*sys.argv[1:])
