"""Evaluate a model: python inspect_task.py clinic_front_desk.zip openai/gpt-5"""

import sys

from inspect_ai import eval as evaluate

from synthesis.adapters.inspect_ai import worldwright_task


def main(bundle: str, model: str) -> float:
    (log,) = evaluate(worldwright_task(bundle), model=model)
    assert log.status == "success", log.error
    return float(log.results.scores[0].metrics["accuracy"].value)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
