"""Runs in Ray's environment: the suite's pool on actors of a cluster of this machine; prints its speeds."""

import json
import sys
from pathlib import Path

import ray

from benchmarks.interop_pool import pool_speeds
from synthesis.adapters.ray import ray_pool
from synthesis.documents.tools import ToolCall

bundle, seconds, call = sys.argv[1:]
ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, log_to_driver=False)
speeds = pool_speeds(Path(bundle), ToolCall.model_validate_json(call), float(seconds), ray_pool)
ray.shutdown()
print(json.dumps(speeds))
