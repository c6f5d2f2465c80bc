"""Formats: how a bundle is written to files and read back. One codec per file, one visible table of them."""
