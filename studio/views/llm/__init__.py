"""Pages about model spend."""
