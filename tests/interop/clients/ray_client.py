"""Runs in Ray's environment: plays every task on two actors, loses one, prints what came of it."""

import json
import runpy
import sys
from pathlib import Path

import ray

from synthesis.adapters.ray import ray_pool
from synthesis.documents.trajectory import FinalAnswer
from synthesis.errors import HostLost
from synthesis.rollouts.reference import ReferenceAgent


def played(pool, task, *, plays):
    with pool.episode(task.id) as episode:
        episode.reset(0)
        for call in task.reference_solution if plays else ():
            episode.step(call)
        return episode.step(FinalAnswer(text=task.reference_answer if plays else ""))[1]


def main(bundle):
    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, log_to_driver=False)
    with ray_pool([bundle], hosts=2, isolation="shared") as pool:
        (tasks,) = pool.tasks.values()
        scores = {
            kind: {task.id: played(pool, task, plays=kind == "gold") for task in tasks}
            for kind in ("gold", "no_op")
        }
        episode = pool.episode(tasks[0].id)
        ray.kill(pool._places[0].handle._actor)
        try:
            episode.reset()
            lost = False
        except HostLost:
            lost = True
        episode.close()
        again = played(pool, tasks[0], plays=True)
        whole = {task.id: pool.roll_out(task.id, ReferenceAgent()).verdicts[0].reward for task in tasks}
        replaced = [host.replaced for host in pool.health]
    ray.shutdown()
    example = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "ray_pool.py"))["main"]
    return {
        **scores,
        "lost": lost,
        "again": again,
        "whole": whole,
        "replaced": replaced,
        "example": example(bundle),
    }


print(json.dumps(main(sys.argv[1])))
