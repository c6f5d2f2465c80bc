"""Places in sources: the line and column of what cannot be read, so that an editor can go there."""

from __future__ import annotations

import ast
import re

from synthesis.errors import InvalidInput

LONGEST = 200_000
"""Characters of a source that is looked at; longer ones are left to the sandbox."""

_LINE = re.compile(r"\bline (\d+)\b(?!, column)", re.IGNORECASE)


def require_python(source: str) -> None:
    """Pass when a source parses as Python; nothing of it is run.

    Raises:
        InvalidInput: It does not; the text names line and column, both from 1.
    """
    if len(source) > LONGEST:
        return
    try:
        ast.parse(source)
    except SyntaxError as error:
        raise InvalidInput(
            f"This is not valid Python: {error.msg} at line {error.lineno or 1}, column {error.offset or 1}."
        ) from None
    except (ValueError, RecursionError, MemoryError):
        return  # the sandbox, which stands such sources, says what is wrong with it


def with_column(message: str, source: str) -> str:
    """A message whose "line 3" also says at which column that line begins to hold something."""
    lines = source.splitlines()

    def placed(match: re.Match[str]) -> str:
        number = int(match[1])
        text = lines[number - 1] if 1 <= number <= len(lines) else ""
        return f"{match[0]}, column {len(text) - len(text.lstrip()) + 1}"

    return _LINE.sub(placed, message, count=1)
