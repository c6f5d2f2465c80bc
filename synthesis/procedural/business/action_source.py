"""Action source: the tools that change state, process by process."""

from __future__ import annotations

from synthesis.procedural.business.hold_tools import hold_tools
from synthesis.procedural.business.message_tools import message_tools
from synthesis.procedural.business.model import Business
from synthesis.procedural.business.money_tools import money_tools
from synthesis.procedural.business.seat_tools import seat_tools
from synthesis.procedural.business.slot_tools import slot_tools
from synthesis.procedural.business.supply_tools import supply_tools
from synthesis.procedural.business.work_tools import work_tools


def action_tools(business: Business) -> list[str]:
    """Every tool that changes state, process by process, then those of money and messages."""
    makers = {
        "hold": hold_tools,
        "slot": slot_tools,
        "seat": seat_tools,
        "supply": supply_tools,
        "work": work_tools,
    }
    tools = [tool for process in business.processes for tool in makers[process.shape](business, process)]
    seen: dict[str, str] = {}
    for tool in [*tools, *money_tools(business), *message_tools(business)]:
        seen.setdefault(tool.partition("(")[0], tool)
    return list(seen.values())
