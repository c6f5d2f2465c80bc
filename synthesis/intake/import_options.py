"""Import options: what the asker wants of a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synthesis.intake.convert.selection import MOST_TABLES


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What the asker wants of a source.

    Attributes:
        dialect: Dialect of a script, one of `DIALECTS`; empty to find out.
        tables: Names of the tables wanted; empty for all, or the best connected ones of very many.
        rows: Rows per table to bring along, anonymised; 0 for none.
        seed: Seed of everything that is drawn: the values that stand in for personal ones.
        name: What the business is called; empty for what the source calls itself.
        most_tables: Tables to keep at most.
    """

    dialect: str = ""
    tables: Sequence[str] = ()
    rows: int = 0
    seed: int = 0
    name: str = ""
    most_tables: int = MOST_TABLES
