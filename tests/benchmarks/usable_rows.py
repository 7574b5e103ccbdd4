"""What each source's rows become: fitted performances, refusals, and why rows were left out."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from models.architectures import batched_accelerator
from models.measurements import SourcedMeasurement
from models.performance import CannotServe
from tests.benchmarks.curve_file import configurations, offer_of


@dataclass(slots=True, kw_only=True)
class Count:
    """Rows and configurations of one source by what became of them."""

    rows: int = 0
    fitted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def usable_table(points: Sequence[SourcedMeasurement]) -> list[str]:
    """One line per source, with its refusals and reasons below it."""
    counts: dict[str, Count] = defaultdict(Count)
    for (source, *_), rows in configurations(points).items():
        count = counts[source]
        count.rows += len(rows)
        found = batched_accelerator.fit(offer_of(rows), rows)
        if isinstance(found, CannotServe):
            count.refused[found.binding_constraint] += 1
            continue
        count.fitted += 1
        for notice in found.notices:
            if " rows left out: " in notice:
                number, reason = notice.split(maxsplit=1)[0], notice.split(" left out: ")[1]
                count.left_out[reason] += int(number)
    lines = []
    for source, count in sorted(counts.items()):
        lines.append(f"{source}: {count.rows} rows, {count.fitted} configurations fitted")
        lines += [f"  {number} refused: {text}" for text, number in count.refused.most_common()]
        lines += [f"  {number} rows left out: {text}" for text, number in count.left_out.most_common()]
    return lines
