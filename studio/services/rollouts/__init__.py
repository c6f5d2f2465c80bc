"""Rollouts: agents, batches, trajectories and statistics."""
