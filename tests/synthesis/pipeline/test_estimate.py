"""What environments will cost."""

import pytest

from synthesis.documents.trajectory import Usage
from synthesis.llm.prices import Price
from synthesis.pipeline.attempt import Attempt
from synthesis.pipeline.estimate import averages, estimate
from synthesis.pipeline.stages.registry import STAGES


def made(stage, input_tokens, output_tokens, calls=1):
    return Attempt(
        stage=stage,
        number=1,
        author="model",
        usage=Usage(input_tokens=input_tokens, output_tokens=output_tokens),
        calls=calls,
    )


def test_attempts_of_one_run_count_together():
    results = averages(
        [
            ("a", made("schema", 100, 10)),
            ("a", made("schema", 300, 30)),
            ("b", made("schema", 200, 20, calls=2)),
        ]
    )
    schema = results["schema"]
    assert (schema.input_tokens, schema.output_tokens, schema.calls, schema.environments) == (300, 30, 2, 2)


def test_attempts_without_a_model_count_for_nothing():
    assert averages([("a", made("schema", 0, 0, calls=0))]) == {}


def test_without_records_the_published_figures_stand():
    message = estimate(100, recorded={}, price=Price(input=1.25, output=10.0))
    assert message.basis == "published"
    assert message.cost == pytest.approx(57.09 + 0.56 + 2.21, rel=0.02)
    assert set(message.stages) == set(STAGES)


def test_records_take_the_place_of_published_figures():
    recorded = averages([("a", made(stage, 1_000, 500)) for stage in STAGES])
    message = estimate(10, recorded=recorded, price=Price(input=1.0, output=2.0))
    assert (message.basis, message.tokens) == ("recorded", 9 * 1_500 * 10)
    assert message.cost == pytest.approx(9 * 10 * 2_000 / 1_000_000)


def test_a_model_without_a_price_gives_tokens_only():
    message = estimate(1, recorded={}, price=None)
    assert message.cost is None
    assert message.tokens > 0
