"""Pages that start and follow synthesis."""
