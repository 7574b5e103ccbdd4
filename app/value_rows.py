"""What tasks are worth and what waiting takes of it, workload by workload, so that the sum can be checked."""

from app.figure_rows import Figure, FigureRow, workload_uses
from app.formatting import number, show
from app.workbench import View
from models.net_value import WorthLine, worth_lines

KINDS = {
    "half_life": "halves again and again",
    "deadline": "falls at a deadline",
    "conversion": "sales lost to delay",
    "waiting_time": "an hour of waiting costs",
    "patience": "callers lose patience",
    "iterations": "turns of a loop: left out",
}


def value_rows(seen: View) -> list[FigureRow]:
    """One row a workload that states a worth; what is left out keeps its row, with dashes."""
    return [_row(seen, line) for line in worth_lines(seen.scenario, seen.plan)]


def _row(seen: View, line: WorthLine) -> FigureRow:
    return FigureRow(
        names={"Workload": line.workload},
        figures={
            "Worth per task": Figure(
                show("value_usd_per_task", line.value_usd_per_task), "what the workload says, without delay"
            ),
            "Tasks a month": Figure(
                number(line.task_count_per_month),
                "tasks/s at peak x mean of day x hours in a month x 3,600 s",
            ),
            "Worth a month": Figure(
                show("value_usd_per_month", line.value_usd_per_month), "worth per task x tasks a month"
            ),
            "Lost per task": Figure(
                show("lost_usd_per_task", line.lost_usd_per_task),
                "worth without delay less the mean worth over the predicted latencies",
            ),
            "Lost to waiting": Figure(
                show("lost_usd_per_month", line.lost_usd_per_month), "lost per task x tasks a month"
            ),
        },
        words={"How worth falls": KINDS[line.kind], "Grade": "E: assumed"},
        uses=tuple(workload_uses(seen, [line.workload])),
    )
