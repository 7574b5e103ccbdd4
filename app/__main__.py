"""`python -m app` opens the dashboard; with a command behind it, it is the command line."""

import sys

from app.cli import main

sys.exit(main(sys.argv[1:]))
