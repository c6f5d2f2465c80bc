#!/usr/bin/env python
"""Django's command line for the studio."""

from __future__ import annotations

import os
import sys

from studio.management.command_line import main

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    main(sys.argv)
