"""Pages for reviewers."""
