"""Judging: the reliability of judges and the grades of environments."""
