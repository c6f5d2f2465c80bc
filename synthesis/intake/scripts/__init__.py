"""SQL scripts: a file cut into statements and read into the foreign model."""
