"""Pages about runs and operations."""
