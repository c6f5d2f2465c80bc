"""Four episodes at once: python gymnasium_vector.py clinic_front_desk.zip"""

import json
import sys

import gymnasium

import synthesis.adapters.gymnasium  # noqa: F401 registers Worldwright-v0


def main(bundle: str) -> list[float]:
    envs = gymnasium.make_vec("Worldwright-v0", num_envs=4, bundle=bundle, task="read_total_owed")
    observations, _ = envs.reset(seed=7)
    print(json.loads(observations[0])["instruction"])
    call = json.dumps({"name": "find_patients", "arguments": {"name": "Ilse Farrowmere"}})
    envs.step([call] * 4)
    answer = json.dumps({"answer": "She owes 170.00; the oldest invoice is of 12 January 2026."})
    _, rewards, terminated, _, _ = envs.step([answer, answer, '{"answer": ""}', "no JSON at all"])
    envs.close()
    assert all(terminated)
    return [float(reward) for reward in rewards]


if __name__ == "__main__":
    print(main(sys.argv[1]))
