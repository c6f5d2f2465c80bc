"""OpenAPI files, read into the foreign model."""
