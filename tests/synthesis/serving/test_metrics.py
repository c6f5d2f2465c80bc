from __future__ import annotations

from synthesis.serving.metrics import Metrics


def test_counters_gauges_and_the_histogram_are_in_prometheus_text() -> None:
    metrics = Metrics()
    metrics.count("worldwright_instances_opened_total")
    metrics.call("ok", 0.0004)
    metrics.call("ok", 0.3)
    metrics.call("refused", 99)
    lines = metrics.text({"worldwright_instances": 1.0}).splitlines()
    assert lines.count("# TYPE worldwright_calls_total counter") == 1
    for line in (
        "worldwright_instances 1",
        "worldwright_instances_opened_total 1",
        'worldwright_calls_total{status="ok"} 2',
        'worldwright_calls_total{status="refused"} 1',
        'worldwright_call_seconds_bucket{le="0.0005"} 1',
        'worldwright_call_seconds_bucket{le="0.5"} 2',
        'worldwright_call_seconds_bucket{le="10.0"} 2',
        'worldwright_call_seconds_bucket{le="+Inf"} 3',
        "worldwright_call_seconds_count 3",
    ):
        assert line in lines
