"""The web application around the engine."""
