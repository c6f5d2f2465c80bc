"""Synthesis: one environment, a batch, a schema import, a correction."""
