"""Benchmarks: `python -m benchmarks SUITE [--json] [--quick]`; medians, spread, the machine."""
