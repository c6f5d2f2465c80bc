"""Pages for signing in and out."""
