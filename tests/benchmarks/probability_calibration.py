"""Whether targets hold as often as the plan says they would, by many independent simulated trials.

    python -m tests.benchmarks.probability_calibration --trials 1000

Prints, for each stated chance, how many trials held, the share, and the 95 % binomial interval around what
was stated; then the same by metric.
"""

import argparse
import sys
from collections.abc import Sequence

from scipy.stats import binom

from tests.models.probability_trials import STATED, Trial, run_trial


def line(name: str, trials: Sequence[Trial]) -> str:
    """One group of trials against what was stated of them."""
    stated = sum(each.stated_fraction for each in trials) / len(trials)
    held = sum(each.held for each in trials)
    low, high = binom.ppf([0.025, 0.975], len(trials), stated) / len(trials)
    return (
        f"{name:16} {len(trials):5} trials  stated {stated:5.1%}  held {held / len(trials):5.1%}  "
        f"[{low:5.1%}, {high:5.1%}]"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the trials and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(argv)
    trials = [run_trial(asked.seed + number) for number in range(asked.trials)]
    for wanted in STATED:
        sys.stdout.write(
            line(f"about {wanted:.0%}", [t for t in trials if abs(t.stated_fraction - wanted) < 0.1]) + "\n"
        )
    for metric, quantile in sorted({(each.metric, each.quantile) for each in trials}):
        own = [each for each in trials if (each.metric, each.quantile) == (metric, quantile)]
        sys.stdout.write(line(f"{metric} p{quantile * 100:g}", own) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
