"""Formats: what ships and how it is written."""
