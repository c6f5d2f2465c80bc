"""Data models from outside, read into a schema that an environment can begin with."""

from synthesis.intake.import_options import ImportOptions
from synthesis.intake.reader import read, read_ddl, read_text

__all__ = ["ImportOptions", "read", "read_ddl", "read_text"]
