"""From the foreign model to a schema and rows of a world."""
