"""Pages about one environment and its revisions."""
