"""Runs: queueing, executing, watching and stopping them."""
