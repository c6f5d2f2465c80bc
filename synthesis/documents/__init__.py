"""Nouns: frozen, closed, fingerprinted values that never act. One noun per file."""
