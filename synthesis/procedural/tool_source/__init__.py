"""The source of tools.py, written from a blueprint."""
