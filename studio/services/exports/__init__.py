"""Exports: bundles, collections and training data."""
