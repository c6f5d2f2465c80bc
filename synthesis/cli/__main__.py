"""`python -m synthesis.cli`: the command line where no script is installed."""

import sys

from synthesis.cli.command_line import main

sys.exit(main())
