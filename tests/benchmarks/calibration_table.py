"""How well calibration foretells measured curves it has not seen: the built-in ones, or any file of them.

    python -m tests.benchmarks.calibration_table [CURVES.csv]

Loads left out, the upper half of the loads, lengths left out, the bands' coverage, and saturation.
"""

import argparse
import sys
from pathlib import Path

from data.tables import CATALOGUE
from tests.benchmarks.curve_file import read_points
from tests.benchmarks.hold_outs import coverage_lines, hold_out_table, hold_outs
from tests.benchmarks.open_loop import open_loop_table
from tests.benchmarks.usable_rows import usable_table

BUILT_IN = CATALOGUE / "measured_points.csv"


def main() -> int:
    """Read, hold out, print; exit code 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("curves", nargs="?", type=Path, default=BUILT_IN)
    points = read_points(parser.parse_args().curves)
    found = list(hold_outs(points))
    parts = (usable_table(points), hold_out_table(found), coverage_lines(found), open_loop_table(points))
    report = "\n\n".join("\n".join(part) for part in parts if part)
    print(report)
    return 1 if "  over" in report else 0


if __name__ == "__main__":
    sys.exit(main())
