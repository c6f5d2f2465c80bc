"""Browsing: states of databases, the scratch console, saved filters."""
