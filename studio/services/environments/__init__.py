"""Environments: their parts, revisions, checks and quality gates."""
