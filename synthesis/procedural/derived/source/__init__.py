"""The source of tools.py for a derived environment."""
