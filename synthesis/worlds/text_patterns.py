"""Text patterns: an author's regular expressions, matched in time that is linear in the text.

pydantic's own engine (Rust's regex) does it: no look-around, no back-references, so no pattern can make
a short text take for ever. It is the engine that `Field(pattern=...)` is declared with.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, core_schema

LONGEST_PATTERN = 1_000
LARGEST_PATTERN = 20_000
"""What a pattern may come to with its counted repetitions written out: time grows with it."""

_DECIMAL = "(?!^[-+.]*$)"
"""How the patterns of pydantic's Decimal begin: something else than signs and points has to be there."""
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[()|]|.", re.DOTALL)


class UnfitPattern(ValueError):
    """A pattern that is not matched; the text goes on after the pattern's name."""


def fits(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text; a pattern that is not matched is found in none."""
    try:
        return all(validator.isinstance_python(text) for validator in _compiled(pattern))
    except UnfitPattern:
        return False


def check_pattern(pattern: str) -> None:
    """Do nothing if it can be matched.

    Raises:
        UnfitPattern: It is too large, or the engine does not take it.
    """
    _compiled(pattern)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> tuple[SchemaValidator, ...]:
    if len(pattern) > LONGEST_PATTERN:
        raise UnfitPattern(f"has {len(pattern)} characters; {LONGEST_PATTERN} are allowed")
    if (size := written_out(pattern)) > LARGEST_PATTERN:
        raise UnfitPattern(
            f"comes to {size} parts with its repetitions written out; {LARGEST_PATTERN} are allowed"
        )
    plain = pattern.replace(f"^{_DECIMAL}", "^", 1)
    patterns = (plain,) if plain == pattern else (plain, "[^-+.]")
    try:
        return tuple(
            SchemaValidator(core_schema.str_schema(pattern=one, regex_engine="rust-regex"))
            for one in patterns
        )
    except SchemaError as error:
        why = str(error).strip().splitlines()[-1].strip().removeprefix("error: ")
        raise UnfitPattern(
            f"cannot be matched in linear time ({why:.200}); leave out look-around, back-references and "
            "what only Python's re knows, or check it in the tool's code"
        ) from error


def written_out(pattern: str) -> int:
    """How many parts a pattern has when each counted repetition is written out as often as it counts."""
    sizes, last = [0], [0]
    for part in _PART.findall(pattern):
        if part == "(":
            sizes.append(0)
            last.append(0)
        elif part == ")" and len(sizes) > 1:
            inner = sizes.pop()
            last.pop()
            sizes[-1] += inner
            last[-1] = inner
        elif part.startswith("{") and part[1:]:
            times = max(int(number[:9]) for number in re.findall(r"\d+", part))
            sizes[-1] += last[-1] * max(0, times - 1)
            last[-1] *= max(1, times)
        elif part not in ("|", "*", "+", "?"):
            sizes[-1] += 1
            last[-1] = 1
    return sum(sizes)
