"""How pages show things: diagrams, lists, table queries, row changes, downloads."""
