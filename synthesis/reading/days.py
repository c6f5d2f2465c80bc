"""Days of the calendar, as they are written for comparison."""

from __future__ import annotations

from datetime import date


def iso_day(year: int | str, month: int | str, day: int | str) -> str:
    """The day as YYYY-MM-DD, "" where there is none such."""
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def yearless(month: int, day: str) -> str:
    """A day without a year: "0000-MM-DD"."""
    return f"0000-{day}" if iso_day(2024, month, day[3:]) else ""
