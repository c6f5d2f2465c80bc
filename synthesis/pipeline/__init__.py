"""The order of things: stages, self-correction, what is kept."""
