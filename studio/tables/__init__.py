"""Lists as tables: which columns, how each cell reads, by what they sort."""
