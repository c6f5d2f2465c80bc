"""Play one task over the wire: python remote_client.py http://localhost:8848 [TASK]"""

import sys

from synthesis.adapters.client import Client


def main(url: str, task: str = "") -> float | None:
    with Client(url) as server:
        chosen = task or server.tasks()[0].id
        with server.open(task=chosen, patience=30) as instance:
            print("give an agent", instance.mcp_url)
            result = instance.call("find_patients", name="Ilse Farrowmere")
            print(result.status, result.observation())
            verdict = instance.verify("She owes 170.00; the oldest invoice is of 12 January 2026.")
            print(verdict.label, verdict.reward)
            return verdict.reward


if __name__ == "__main__":
    main(*sys.argv[1:])
