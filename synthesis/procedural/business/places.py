"""Places: which tables of places a business has, and who works there."""

from __future__ import annotations

from synthesis.procedural.business.columns import reference_to
from synthesis.procedural.business.model import BusinessTable
from synthesis.procedural.business.planned import BusinessPlan


def locate(
    tables: dict[str, BusinessTable], place: BusinessTable, staff: BusinessTable, plan: BusinessPlan
) -> None:
    """Say of staff where they work if the business has several places, or is somewhere as a whole.

    Places of which the sentence says nothing are left out where nothing is at them.

    Args:
        tables: Those of the business by name, which may lose that of places.
        place: The table of places.
        staff: The table of staff, which may get a column.
        plan: What was planned.
    """
    if any(column.table == place.name for table in tables.values() for column in table.columns):
        return
    if plan.sites or any(count.noun == place.noun for count in plan.counts):
        staff.columns.append(reference_to(place))
    elif place.noun not in (*plan.places, *plan.resources):
        del tables[place.name]
