"""Everything a page can show, for those who should not see it."""

from tests.studio.views.conftest import (
    as_,
    on_localhost,
    shared_shelf,
    shelf,
    stocked,
    worlds_end_with_the_test,
)

__all__ = ["as_", "on_localhost", "shared_shelf", "shelf", "stocked", "worlds_end_with_the_test"]
