"""Data models from outside, read into a schema that an environment can begin with."""

from synthesis.intake.reader import Wishes, read, read_ddl, read_text

__all__ = ["Wishes", "read", "read_ddl", "read_text"]
