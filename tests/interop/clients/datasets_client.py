"""Runs where datasets is: loads every exported file of a folder and prints its rows and columns as JSON."""

import json
import sys
import tempfile
from pathlib import Path

import datasets

found = {}
for path in sorted(Path(sys.argv[1]).glob("*.jsonl")):
    with tempfile.TemporaryDirectory() as cache:
        loaded = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=cache)
        found[path.stem] = {"rows": len(loaded), "columns": loaded.column_names}
print(json.dumps(found))
