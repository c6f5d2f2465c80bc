"""Pages about rollouts and trajectories."""
