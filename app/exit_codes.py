"""Exit codes of the command line."""

ALL_DONE, NOTHING_DONE, USAGE, DONE_IN_PART = 0, 1, 2, 3
INTERRUPTED = 130  # as shells report Ctrl-C
