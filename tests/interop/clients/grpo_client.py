"""Runs where TRL is: trains as the recipe says and prints the points of its curve as JSON."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "grpo"))

from train import main

print(json.dumps(main(sys.argv[1:])))
