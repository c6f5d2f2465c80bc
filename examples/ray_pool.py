"""Play tasks on actors of a Ray cluster: python ray_pool.py clinic_front_desk.zip"""

import sys
from concurrent.futures import ThreadPoolExecutor

import ray

from synthesis.adapters.ray import ray_pool
from synthesis.documents.trajectory import FinalAnswer


def main(bundle: str) -> float:
    ray.init()
    with ray_pool([bundle], hosts=2) as pool, ThreadPoolExecutor(8) as threads:

        def play(task) -> float:
            with pool.episode(task.id) as episode:
                episode.reset(seed=0)
                for call in task.reference_solution:  # an agent chooses its calls here
                    episode.step(call)
                return episode.step(FinalAnswer(text=task.reference_answer))[1]

        rewards = list(threads.map(play, *pool.tasks.values()))
    return sum(rewards) / len(rewards)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
