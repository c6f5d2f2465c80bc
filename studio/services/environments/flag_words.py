"""What flags say is wrong, and where, to people who look at no code."""

from __future__ import annotations

from studio.models import Flag
from studio.services.environments.titles import Titles
from studio.services.environments.trade_words import trade_word


def flag_words(flag: Flag, titles: Titles) -> str:
    """What is wrong and where, for inside of a sentence: "a tool does not work right (Return item)".

    Args:
        flag: The flag.
        titles: Of its environment.
    """
    reason = trade_word(flag.get_reason_display().lower())
    place = titles.place(flag.where) if flag.where else trade_word(flag.part.replace("_", " "))
    return f"{reason} ({place})" if place else reason
