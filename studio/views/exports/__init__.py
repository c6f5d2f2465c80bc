"""Pages that export bundles and training data."""
