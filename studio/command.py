"""`worldwright studio`: the studio's commands where the package is installed; without a name, it serves."""

from __future__ import annotations

import os
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run one of the studio's commands.

    Args:
        arguments: The command's name and options as for manage.py; `serve` when there are none.

    Returns:
        0; a failure ends the process as Django's command line does.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    from studio.management.command_line import main as run_command

    run_command(["worldwright studio", *(arguments or ["serve"])])
    return 0
